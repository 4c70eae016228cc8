// Where a quoted value goes wrong. The parser says only where it noticed, which may be thousands of lines later;
// a person needs the place where the quote opened. Not a parser: it looks for the first mistake and nothing else.

export interface QuoteMistake {
  readonly line: number
  readonly column: number
  readonly kind: 'never closed' | 'followed by text'
}

export interface QuoteRules {
  readonly delimiter: string
  readonly quote: string
}

type State = 'start' | 'plain' | 'quoted' | 'closing'

/** The first quoted value that never ends, or that goes on after its closing quote. Lines and columns count from 1. */
export async function findQuoteMistake(
  text: AsyncIterable<string>,
  { delimiter, quote }: QuoteRules,
): Promise<QuoteMistake | undefined> {
  let state: State = 'start'
  let line = 1
  let column = 0
  let opened = { line: 1, column: 1 }
  let previous = ''
  for await (const piece of text) {
    for (const character of piece) {
      const isBreak = character === '\n' || character === '\r'
      if (character === '\r' || (character === '\n' && previous !== '\r')) {
        line += 1
        column = 0
      } else if (!isBreak) column += 1
      previous = character
      if (state === 'quoted') {
        if (character === quote) state = 'closing'
        continue
      }
      if (state === 'closing' && character === quote) state = 'quoted'
      else if (character === delimiter || isBreak) state = 'start'
      else if (state === 'closing') return { ...opened, kind: 'followed by text' }
      else if (state === 'start' && character === quote) {
        state = 'quoted'
        opened = { line, column }
      } else state = 'plain'
    }
  }
  return state === 'quoted' ? { ...opened, kind: 'never closed' } : undefined
}
