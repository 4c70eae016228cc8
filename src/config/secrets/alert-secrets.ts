// The secrets of receivers: what webhooks are signed with, and passwords of mail servers.
import type { AlertSecrets } from '../alert-settings.ts'
import { type FoundSecret, optionalSecret, type SecretOptions } from './secrets.ts'
import { type Path, type Tree, valueAt } from '../text/tree.ts'

const ADVICE = {
  secret: { variable: 'CONTACT_SYNC_ALERT_SECRET', use: 'text' },
  password: { variable: 'CONTACT_SYNC_MAIL_PASSWORD', use: 'text' },
} as const

type Asked = (FoundSecret & { readonly place: number; readonly name: keyof AlertSecrets })[]

/** One for each entry of `alerts`, in order; with problems, what is given for them must not be used. */
export async function readAlertSecrets(
  tree: Tree,
  options: SecretOptions,
): Promise<Omit<FoundSecret, 'value'> & { readonly values: readonly AlertSecrets[] }> {
  const alerts = valueAt(tree.value, ['alerts'])
  const number = Array.isArray(alerts) ? alerts.length : 0
  const asked: Asked = []
  for (let place = 0; place < number; place += 1) {
    const entry: Path = ['alerts', place]
    const of = async (name: keyof AlertSecrets, paths: { literal: Path; file: Path }) =>
      asked.push({ place, name, ...(await optionalSecret(tree, { ...paths, ...ADVICE[name] }, options)) })
    await of('secret', { literal: [...entry, 'secret'], file: [...entry, 'secret_file'] })
    await of('password', {
      literal: [...entry, 'mail', 'password'],
      file: [...entry, 'mail', 'password_file'],
    })
  }
  const valueOf = (place: number, name: keyof AlertSecrets): string | undefined => {
    const value = asked.find((one) => one.place === place && one.name === name)?.value ?? ''
    return value === '' ? undefined : value
  }
  return {
    values: Array.from({ length: number }, (_, place) => ({
      secret: valueOf(place, 'secret'),
      password: valueOf(place, 'password'),
    })),
    problems: asked.flatMap(({ problems }) => problems),
    warnings: asked.flatMap(({ warnings }) => warnings),
  }
}
