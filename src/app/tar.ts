// A small archive of texts (ustar, gzip): enough for a support bundle, and read by every tar.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export interface ArchivedText {
  /** ASCII, at most 100 characters. */
  readonly name: string
  readonly text: string
}

const BLOCK = 512

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}

function header(name: string, size: number, atMs: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const put = (text: string, at: number): void => void block.write(text, at, 'latin1')
  put(name, 0)
  put(octal(0o600, 8), 100)
  put(octal(0, 8), 108)
  put(octal(0, 8), 116)
  put(octal(size, 12), 124)
  put(octal(Math.floor(atMs / 1000), 12), 136)
  // The sum is reckoned over the header with blanks in its own place.
  put(' '.repeat(8), 148)
  put('0', 156)
  put('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** `at`: the time of all files in it, milliseconds since the epoch. Throws RangeError for a name that does not fit. */
export async function tarGz(files: readonly ArchivedText[], at: number): Promise<Buffer> {
  const blocks = files.flatMap(({ name, text }) => {
    if (!/^[\x20-\x7e]{1,100}$/.test(name)) throw new RangeError('a name that does not fit into an archive')
    const content = Buffer.from(text, 'utf8')
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)
    return [header(name, content.length, at), content, padding]
  })
  return promisify(gzip)(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]))
}
