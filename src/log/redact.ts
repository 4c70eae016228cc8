// Keeps secrets out of whatever is written, by value: messages of libraries quote what they were given,
// so no list of field names would be enough.

const MASK = '[secret]'
/** Shorter values would mask ordinary words. */
const SHORTEST = 4

function disguises(secret: string): string[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64')
  return [
    secret,
    encodeURIComponent(secret),
    base64,
    base64.replace(/=+$/, ''),
    JSON.stringify(secret).slice(1, -1),
  ]
}

/** A function that masks every secret in a text: as it is, URL-encoded, in base64 and as JSON writes it. */
export function createRedaction(secrets: readonly string[]): (text: string) => string {
  const masked = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(disguises))]
  masked.sort((left, right) => right.length - left.length)
  return (text) => masked.reduce((result, secret) => result.replaceAll(secret, MASK), text)
}
