// The certificate of a sandbox that answers over TLS: made when it starts, signed by itself, its key never on disk. Node can
// sign, but not make a certificate, so its few fields are written as DER here (RFC 5280). Why no library does it:
// docs/decisions/certificate.md.
import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

const DAY_MS = 86_400_000
const VALID_DAYS = 397
const LAST_YEAR_OF_UTC_TIME = 2049

const OIDS = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectKey: '551d0e',
  keyUsage: '551d0f',
  alternativeNames: '551d11',
  basicConstraints: '551d13',
  extendedKeyUsage: '551d25',
  serverAuthentication: '2b06010505070301',
} as const

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  address: 0x87,
  version: 0xa0,
  extensions: 0xa3,
} as const

const SHORT_LENGTH = 0x80

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  if (content.length < SHORT_LENGTH) return Buffer.concat([Buffer.of(tag, content.length), content])
  const digits = content.length.toString(16)
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.of(tag, SHORT_LENGTH | length.length), length, content])
}

const oid = (name: keyof typeof OIDS): Buffer => der(TAG.oid, Buffer.from(OIDS[name], 'hex'))

function time(ms: number): Buffer {
  const date = new Date(ms)
  const isUtcTime = date.getUTCFullYear() <= LAST_YEAR_OF_UTC_TIME
  const digits = `${date.toISOString().slice(0, 19).replaceAll(/\D/g, '')}Z`
  return isUtcTime
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits))
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const [first, last] = [groups(head), groups(tail ?? '')]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return Buffer.from([...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join(''), 'hex')
}

const alternativeName = (name: string): Buffer =>
  isIP(name) === 0 ? der(TAG.dnsName, Buffer.from(name)) : der(TAG.address, addressBytes(name))

const CRITICAL = der(TAG.boolean, Buffer.of(0xff))
/** digitalSignature and keyCertSign; the two lowest bits are unused. */
const KEY_USES = Buffer.of(2, 0b1000_0100)

function extensions(names: readonly string[], publicKey: Buffer): Buffer {
  const keyId = createHash('sha256').update(publicKey).digest().subarray(0, 20)
  const extension = (name: keyof typeof OIDS, value: Buffer, ...critical: readonly Buffer[]): Buffer =>
    der(TAG.sequence, oid(name), ...critical, der(TAG.octets, value))
  return der(
    TAG.sequence,
    // It is its own authority: clients that are given it as a root trust it, and nothing else.
    extension('basicConstraints', der(TAG.sequence, CRITICAL), CRITICAL),
    extension('keyUsage', der(TAG.bitString, KEY_USES), CRITICAL),
    extension('extendedKeyUsage', der(TAG.sequence, oid('serverAuthentication'))),
    extension('alternativeNames', der(TAG.sequence, ...names.map(alternativeName))),
    extension('subjectKey', der(TAG.octets, keyId)),
  )
}

export interface ServerCertificate {
  /** PEM. */
  readonly certificate: string
  /** PEM. */
  readonly privateKey: string
  /** SHA-256 of the certificate, as tools show it: `AB:CD:...`. */
  readonly fingerprint: string
}

/** For a server with these host names and addresses, valid from the day before. */
export function createCertificate(names: readonly string[], now: number): ServerCertificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' })
  const algorithm = der(TAG.sequence, oid('ecdsaWithSha256'))
  const label = der(TAG.sequence, oid('commonName'), der(TAG.utf8, Buffer.from('contact-sync sandbox')))
  const name = der(TAG.sequence, der(TAG.set, label))
  const signed = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.of(2))),
    // Positive, and never the same: a client may remember issuer and number.
    der(TAG.integer, Buffer.of(1), randomBytes(15)),
    algorithm,
    name,
    der(TAG.sequence, time(now - DAY_MS), time(now + VALID_DAYS * DAY_MS)),
    name,
    publicKey,
    der(TAG.extensions, extensions(names, publicKey)),
  )
  const signature = sign('sha256', signed, keys.privateKey)
  const whole = der(TAG.sequence, signed, algorithm, der(TAG.bitString, Buffer.of(0), signature))
  const certificate = new X509Certificate(whole)
  return {
    certificate: certificate.toString(),
    privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    fingerprint: certificate.fingerprint256,
  }
}
