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

interface Scan {
  state: State
  line: number
  column: number
  opened: { line: number; column: number }
  previous: string
}

function advance(scan: Scan, character: string): void {
  if (character === '\r' || (character === '\n' && scan.previous !== '\r')) {
    scan.line += 1
    scan.column = 0
  } else if (character !== '\n') scan.column += 1
  scan.previous = character
}

/** The state after a character, or that a quoted value goes on behind its closing quote. */
function nextState(state: State, character: string, { delimiter, quote }: QuoteRules): State | 'mistake' {
  const isEnd = character === delimiter || character === '\n' || character === '\r'
  if (state === 'quoted') return character === quote ? 'closing' : 'quoted'
  if (state === 'closing' && character === quote) return 'quoted'
  if (isEnd) return 'start'
  if (state === 'closing') return 'mistake'
  return state === 'start' && character === quote ? 'quoted' : 'plain'
}

/** The first quoted value that never ends, or that goes on after its closing quote. Lines and columns count from 1. */
export async function findQuoteMistake(
  text: AsyncIterable<string>,
  rules: QuoteRules,
): Promise<QuoteMistake | undefined> {
  const scan: Scan = { state: 'start', line: 1, column: 0, opened: { line: 1, column: 1 }, previous: '' }
  for await (const piece of text) {
    for (const character of piece) {
      advance(scan, character)
      const next = nextState(scan.state, character, rules)
      if (next === 'mistake') return { ...scan.opened, kind: 'followed by text' }
      if (next === 'quoted' && scan.state === 'start') scan.opened = { line: scan.line, column: scan.column }
      scan.state = next
    }
  }
  return scan.state === 'quoted' ? { ...scan.opened, kind: 'never closed' } : undefined
}
