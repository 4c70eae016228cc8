// How a secret that a user or a program shows is compared with a configured one: by digests of equal length, in constant
// time, so that the time of an answer tells nothing about the secret.
import { createHash, timingSafeEqual } from 'node:crypto'

export const secretDigest = (secret: string): Buffer => createHash('sha256').update(secret, 'utf8').digest()

/** A blank text is never the right one, not even where the configured one is blank. */
export const isRightSecret = (shown: string, configured: Buffer): boolean =>
  timingSafeEqual(secretDigest(shown), configured) && shown !== ''
