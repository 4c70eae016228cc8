// The position of an offset in a text, for display: line and column. Follows the text part by part and never
// looks back further than the part at hand.

const LF = 0x0a

export interface Position {
  readonly line: number
  readonly column: number
}

export interface PositionCounter {
  /** The next part of the text, UTF-8. */
  expect(part: Buffer): void
  /** The line of an offset in bytes. Offsets must not go back. */
  lineAt(offset: number): number
  positionAt(offset: number): Position
  /** Bytes up to the end of the part at hand. */
  length(): number
}

export function createPositionCounter(): PositionCounter {
  let part: Buffer = Buffer.alloc(0)
  let start = 0
  let line = 1
  let lineStart = 0
  let at = 0

  const advance = (offset: number): void => {
    const end = Math.min(offset, start + part.length)
    while (at < end) {
      const found = part.indexOf(LF, at - start)
      if (found < 0 || start + found >= end) break
      line += 1
      at = lineStart = start + found + 1
    }
    at = Math.max(at, end)
  }
  return {
    expect(next) {
      advance(start + part.length)
      start += part.length
      part = next
    },
    lineAt(offset) {
      advance(offset)
      return line
    },
    positionAt(offset) {
      advance(offset)
      // Of a line that began in an earlier part, the column is counted in bytes.
      const before = part.toString('utf8', Math.max(0, lineStart - start), Math.max(0, offset - start))
      return { line, column: Math.max(0, start - lineStart) + before.length + 1 }
    },
    length: () => start + part.length,
  }
}
