// From the checked values of `alerts` to receivers and what they want to be told of.
import { createHash } from 'node:crypto'
import { CONDITION_NAMES } from '../core/alerts/alert-rules.ts'
import type { Receiver } from '../core/alerts/receiver.ts'
import type { AlertSettings, ConfigValues } from '../core/settings.ts'
import { isLoopback } from '../core/words/network/loopback.ts'

type AlertValues = ConfigValues['alerts'][number]

/** The secrets of one entry, read from where they are kept. */
export interface AlertSecrets {
  readonly secret: string | undefined
  readonly password: string | undefined
}

const SMTPS_PORT = 465
const SUBMISSION_PORT = 587

function mailReceiver(mail: NonNullable<AlertValues['mail']>, password: string | undefined): Receiver {
  const { protocol, hostname, port } = new URL(mail.smtp)
  const isTls = protocol === 'smtps:'
  return {
    kind: 'mail',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? SMTPS_PORT : SUBMISSION_PORT) : Number(port),
    security: isTls ? 'tls' : isLoopback(hostname) ? 'plain' : 'starttls',
    user: mail.user,
    password,
    from: mail.from,
    to: mail.to,
  }
}

/** The same receiver in two entries is two receivers: each has its own rules. */
function identities(receivers: readonly Receiver[]): string[] {
  const seen = new Map<string, number>()
  return receivers.map((receiver) => {
    const address =
      receiver.kind === 'webhook' ? receiver.url : JSON.stringify([receiver.host, receiver.port, receiver.to])
    const times = seen.get(address) ?? 0
    seen.set(address, times + 1)
    return createHash('sha256')
      .update(JSON.stringify([address, times]))
      .digest('hex')
      .slice(0, 16)
  })
}

export function alertSettings(
  alerts: readonly AlertValues[],
  secrets: readonly AlertSecrets[],
): readonly AlertSettings[] {
  const receivers = alerts.map(({ webhook, format, mail }, place): Receiver => {
    const { secret, password } = secrets[place] ?? {}
    if (mail !== undefined) return mailReceiver(mail, password)
    return { kind: 'webhook', url: webhook ?? '', format, secret }
  })
  const ids = identities(receivers)
  return alerts.map((values, place) => {
    const receiver = receivers[place] ?? { kind: 'webhook', url: '', format: 'json', secret: undefined }
    return { ...values, id: ids[place] ?? '', receiver, on: values.on ?? CONDITION_NAMES }
  })
}

/** What of the receivers must never be read in a log. */
export const alertSecrets = (alerts: readonly AlertSettings[]): readonly string[] =>
  alerts.flatMap(({ receiver }) =>
    receiver.kind === 'webhook'
      ? [
          receiver.url,
          ...secretPath(receiver.url),
          ...(receiver.secret === undefined ? [] : [receiver.secret]),
        ]
      : (receiver.password ?? []),
  )

/** The secret part of a webhook's address: libraries quote it without the host. */
function secretPath(url: string): string[] {
  const { pathname, search } = new URL(url)
  const path = pathname + search
  return path.length > 8 ? [path] : []
}
