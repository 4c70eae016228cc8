// The keys of servers as OpenSSH keeps them in `known_hosts`: plain names, patterns, names that are hashed, keys that were
// revoked. Lines for authorities (@cert-authority) are passed over.
import { createHash, createHmac } from 'node:crypto'

export interface KnownKey {
  readonly type: string
  /** As it comes over the wire. */
  readonly key: Buffer
  readonly line: number
  readonly isRevoked: boolean
}

const HASHED = /^\|1\|([A-Za-z0-9+/=]+)\|([A-Za-z0-9+/=]+)$/

function isNamed(pattern: string, name: string): boolean {
  const [, salt, hash] = HASHED.exec(pattern) ?? []
  if (salt !== undefined && hash !== undefined)
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
  const form = pattern.toLowerCase().replaceAll(/[^\w*?-]/g, String.raw`\$&`)
  return new RegExp(`^${form.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name)
}

function isMeant(hosts: string, name: string): boolean {
  const patterns = hosts.split(',')
  if (patterns.some((one) => one.startsWith('!') && isNamed(one.slice(1), name))) return false
  return patterns.some((one) => !one.startsWith('!') && isNamed(one, name))
}

/** What the server is called in such a file. */
export const knownName = (host: string, port: number): string => (port === 22 ? host : `[${host}]:${port}`)

/** The keys that the file has for that name, in its order. */
export function keysOfServer(text: string, name: string): readonly KnownKey[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const words = line.trim().split(/[ \t]+/)
    const marker = words[0]?.startsWith('@') === true ? words.shift() : undefined
    const [hosts = '', type = '', key = ''] = words
    if (hosts === '' || hosts.startsWith('#') || key === '' || marker === '@cert-authority') return []
    if (!isMeant(hosts, name)) return []
    const isRevoked = marker === '@revoked'
    return [{ type, key: Buffer.from(key, 'base64'), line: index + 1, isRevoked }]
  })
}

/** As ssh and ssh-keygen show a key. */
const fingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** The kind of a key: the first text in it. */
function typeOf(key: Buffer): string {
  const length = key.length >= 4 ? key.readUInt32BE(0) : 0
  return key.toString('latin1', 4, 4 + Math.min(length, 64))
}

/** Why the server with that key is not talked to; undefined where the file has it. */
export function keyProblem(key: Buffer, known: readonly KnownKey[], name: string): string | undefined {
  const same = known.filter((one) => one.key.equals(key))
  const shown = `${typeOf(key)} ${fingerprint(key)}`
  if (same.some(({ isRevoked }) => isRevoked)) return `the key of the server (${shown}) has been revoked`
  if (same.length > 0) return undefined
  const [other] = known.filter(({ isRevoked }) => !isRevoked)
  if (other === undefined) return `known_hosts has no key of ${name}; the server shows ${shown}`
  return `the key of the server has changed: it shows ${shown}, and known_hosts has ${other.type} ${fingerprint(other.key)} on line ${other.line}`
}
