// What a file holds, as a digest of all of its bytes.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

const PIECE_BYTES = 256 * 1024

/** SHA-256, hexadecimal. Read into one piece of memory: a buffer for each part would make the heap be cleared again and again. */
export async function digestOf(path: string | Buffer): Promise<string> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  const file = await open(path)
  try {
    for (;;) {
      const { bytesRead } = await file.read(piece)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(piece.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
