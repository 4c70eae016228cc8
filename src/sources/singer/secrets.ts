// What of a tap's own output may stand in the operational log: without the secrets of its configuration and without e-mail
// addresses. Where a tap has its secrets is a habit, not a rule: a file of JSON behind --config.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createRedaction } from '../../core/words/secrets/redact.ts'
import { maybeSecretName } from '../../core/words/secrets/secret-name.ts'
import { faultCode } from '../fault.ts'

const CONFIG = /^(?:--config|-c)$/
const CONFIG_IN_ONE = /^--config=(.*)$/s
/** An address may hold a password. */
const ADDRESS_NAME = /ur[il]$/i
const MAIL = /[^\s"'<>()\\,;:=@]+@[^\s"'<>()\\,;:=@]+/g

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

/** Every text under a name that looks like a secret's. */
function secretsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    maybeSecretName(name) || ADDRESS_NAME.test(name) ? texts(inner) : secretsIn(inner),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function configOf(argument: string, home: string): Promise<unknown> {
  const inline = parsed(argument)
  if (inline !== undefined) return inline
  try {
    return parsed(await readFile(resolve(home, argument), 'utf8'))
  } catch (error) {
    // The tap will say so itself.
    if (faultCode(error) === undefined) throw error
    return undefined
  }
}

/** Masks secrets and e-mail addresses. */
export async function tapRedaction(
  command: readonly string[],
  home: string,
): Promise<(text: string) => string> {
  const configs = command.flatMap((argument, at) => {
    const inOne = CONFIG_IN_ONE.exec(argument)?.[1]
    return inOne ?? (CONFIG.test(command[at - 1] ?? '') ? argument : [])
  })
  const found = await Promise.all(configs.map(async (one) => secretsIn(await configOf(one, home))))
  const masked = createRedaction(found.flat())
  return (text) => masked(text).replaceAll(MAIL, '[address]')
}
