// Sealing the personal part of an entry under the key of its person, and opening it again; and the keyed hashes under
// which persons and terms are found without their names being stored anywhere in plain.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { personalDigest } from '../../core/log/audit-chain.ts'
import type { Connection } from '../file/connection.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SALT_BYTES = 16
/** 128 bits: aliases do not collide by chance. */
export const PRINT_BYTES = 16
/** Of one unit of a string. */
const MOST_UTF8_BYTES = 3
const BOX_HEAD = NONCE_BYTES + TAG_BYTES

/** Random bytes, taken from a larger piece: asking for each few costs more than sealing. */
export type RandomBytes = (bytes: number) => Buffer

const PIECE = 8192

export function createRandom(): RandomBytes {
  let piece: Buffer = Buffer.alloc(0)
  let used = 0
  return (bytes) => {
    if (used + bytes > piece.length) {
      piece = randomBytes(PIECE)
      used = 0
    }
    used += bytes
    return piece.subarray(used - bytes, used)
  }
}

export interface Opened {
  readonly personal: string
  /** Hexadecimal. */
  readonly salt: string
}

/** Salt and text in one piece of memory, which is used again and again. */
function createPlain(): (salt: Buffer, text: string) => Buffer {
  let piece: Buffer = Buffer.alloc(0)
  return (salt, text) => {
    const most = SALT_BYTES + MOST_UTF8_BYTES * text.length
    if (piece.length < most) piece = Buffer.alloc(most)
    salt.copy(piece)
    return piece.subarray(0, SALT_BYTES + piece.write(text, SALT_BYTES))
  }
}

export interface Sealing {
  readonly personal: string
  readonly secret: Buffer
  readonly seq: number
}

/** A box can be opened in its own place only: `seq` is part of what is authenticated. */
export function createSeal(random: RandomBytes): (given: Sealing) => { box: Buffer; digest: string } {
  const plain = createPlain()
  return ({ personal, secret, seq }) => {
    const salt = random(SALT_BYTES)
    const nonce = random(NONCE_BYTES)
    // A secret that is given as raw bytes takes four times as long.
    const cipher = createCipheriv(CIPHER, createSecretKey(secret), nonce)
    cipher.setAAD(Buffer.from(String(seq)))
    const hidden = cipher.update(plain(salt, personal))
    // GCM holds nothing back: this only makes the tag.
    cipher.final()
    const box = Buffer.concat([nonce, cipher.getAuthTag(), hidden], BOX_HEAD + hidden.length)
    return { box, digest: personalDigest(salt.toString('hex'), personal) }
  }
}

/** Undefined where the box was not sealed with this key, in this place, or was changed since. */
export function open(box: Buffer, key: Buffer, seq: number): Opened | undefined {
  try {
    const nonce = box.subarray(0, NONCE_BYTES)
    const cipher = createDecipheriv(CIPHER, createSecretKey(key), nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(String(seq)))
    cipher.setAuthTag(box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const all = Buffer.concat([cipher.update(box.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()])
    return {
      salt: all.subarray(0, SALT_BYTES).toString('hex'),
      personal: all.subarray(SALT_BYTES).toString('utf8'),
    }
  } catch {
    return undefined
  }
}

/** A hash under the state's own secret: without it nothing can be found by trying names. */
export type Print = (
  kind: 'key' | 'id' | 'mail' | 'term' | 'gone' | 'status' | 'withdrawn',
  ...parts: readonly string[]
) => Buffer

export function createPrint(db: Connection): Print {
  const secret = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'audit_secret'").pluck()
  let key: KeyObject | undefined
  return (kind, ...parts) => {
    key ??= createSecretKey(secret.get() ?? '', 'utf8')
    return createHmac('sha256', key)
      .update(JSON.stringify([kind, ...parts]))
      .digest()
      .subarray(0, PRINT_BYTES)
  }
}
