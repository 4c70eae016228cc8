// What a command writes, for a caller that makes something else of it.
import { Writable } from 'node:stream'

/** Of one command; a state with more open than this is for the command line. */
const LARGEST_OUTPUT = 64 * 1024 * 1024

/** Up to a limit; what comes after it is counted alone, and then there is no text. */
export function captured(): { readonly stream: Writable; text(): string | undefined } {
  const parts: Buffer[] = []
  let size = 0
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      size += part.length
      if (size <= LARGEST_OUTPUT) parts.push(part)
      done()
    },
  })
  return { stream, text: () => (size > LARGEST_OUTPUT ? undefined : Buffer.concat(parts).toString()) }
}
