// What standard output is: a terminal of some width, or something that is read later; and whether colours are welcome.
import type { WriteStream } from 'node:tty'
import { control, withoutControls } from './guarded.ts'
import type { Io } from './io.ts'

type Colour = 'red' | 'yellow' | 'green' | 'dim' | 'bold'

export interface Terminal {
  readonly isTerminal: boolean
  /** Characters in a line; Infinity without a terminal. */
  readonly columns: number
  /** Lines of the terminal; as many as a usual one has where there is none. */
  readonly rows: number
  /** Colours a text, where that is welcome. */
  paint(colour: Colour, text: string): string
}

const CODES: Record<Colour, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }
const USUAL_ROWS = 40
/** Where less fits, nothing is readable anyway. */
const NARROWEST = 30

/** NO_COLOR (any value but an empty one) and TERM=dumb turn colours off. */
export function terminalOf({ stdout, env }: Pick<Io, 'stdout' | 'env'>): Terminal {
  const { isTTY = false, columns, rows = USUAL_ROWS } = stdout as Partial<WriteStream>
  const isColoured = isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  const width = columns === undefined || columns <= 0 ? 80 : Math.max(NARROWEST, columns)
  return {
    isTerminal: isTTY,
    columns: isTTY ? width : Number.POSITIVE_INFINITY,
    rows: isTTY && rows > 0 ? rows : USUAL_ROWS,
    paint: (colour, text) =>
      isColoured ? `${control(`\u001b[${CODES[colour]}m`)}${text}${control('\u001b[0m')}` : text,
  }
}

/** The width of a text on a terminal, without its colours. */
export const widthOf = (text: string): number => Array.from(withoutControls(text)).length

/** Breaks a line at blanks; what follows is indented so far. A word that is too long stays whole, to be copied. */
export function wrap(line: string, columns: number, indent = 0): readonly string[] {
  const lines: string[] = []
  let current = /^ */.exec(line)?.[0] ?? ''
  let isEmpty = true
  for (const word of line.trim().split(/ +/)) {
    if (!isEmpty && widthOf(current) + 1 + widthOf(word) > columns) {
      lines.push(current)
      current = ' '.repeat(indent)
      isEmpty = true
    }
    current += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, current]
}
