// Seals texts under a key derived from a secret that is kept elsewhere: with the state, or a copy of it, but without that
// secret, they cannot be read. Tokens of sources are sealed under a secret of the configuration, what sessions of the console
// hold under the cookie of the browser.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface TextSeal {
  /** Reveals nothing about the secret; another secret has another name. */
  readonly name: string
  seal(text: string): string
  /** Undefined for what was sealed under another name, or changed since. */
  open(box: string): string | undefined
}

/** `about`: what the text is, and what for; another one has another key. */
export function createTextSeal(secret: string, about: readonly string[]): TextSeal {
  const info = createHash('sha256').update(JSON.stringify(about)).digest()
  const derived = Buffer.from(hkdfSync('sha256', secret, '', info, 2 * KEY_BYTES))
  const key = derived.subarray(0, KEY_BYTES)
  const name = derived.subarray(KEY_BYTES).toString('hex')
  const options = { authTagLength: TAG_BYTES }
  return {
    name,
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, options).setAAD(Buffer.from(name))
      const sealed = [cipher.update(text, 'utf8'), cipher.final()]
      return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString('base64')
    },
    open(box) {
      const bytes = Buffer.from(box, 'base64')
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
      const opener = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), options)
      opener.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const text = opener.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
        return Buffer.concat([text, opener.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}
