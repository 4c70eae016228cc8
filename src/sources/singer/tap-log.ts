// What a tap says on its standard error: line by line, made fit for the operational log, and not without end.
import { StringDecoder } from 'node:string_decoder'

const MOST_LINES = 500
const MOST_CHARS = 500
/** A line that never ends is not kept whole. */
const LONGEST_REST = 16 * 1024

export interface TapLog {
  add(piece: Buffer): void
  /** What is left of a last line without a line break. */
  end(): void
  /** The last line, for the message of a tap that failed. */
  last(): string
}

export function createTapLog(redact: (text: string) => string, write: (text: string) => void): TapLog {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let lines = 0
  let last = ''
  const line = (text: string): void => {
    // Masked before it is cut: half a secret would not be found.
    const fit = redact(text.trim()).slice(0, MOST_CHARS)
    if (fit === '') return
    last = fit
    lines += 1
    if (lines <= MOST_LINES) write(fit)
    if (lines === MOST_LINES + 1) write('and more, not logged')
  }
  const finish = (): void => {
    line(rest)
    rest = ''
  }
  return {
    add(piece) {
      const parts = (rest + decoder.write(piece)).split(/\r\n|\r|\n/)
      rest = parts.pop() ?? ''
      for (const part of parts) line(part)
      if (rest.length > LONGEST_REST) finish()
    },
    end: finish,
    last: () => last,
  }
}
