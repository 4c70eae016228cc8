// Which delimiter a CSV text uses, by looking at its first records; quotes are heeded, unlike in most sniffers.

const DELIMITERS = [',', ';', '\t', '|'] as const

const RECORDS = 50

/** Delimiters per record, for the first records of the text. */
function countsPerRecord(text: string, delimiter: string, quote: string | undefined): number[] {
  const counts: number[] = []
  let count = 0
  let isQuoted = false
  let isBlank = true
  let atStart = true
  for (const character of text) {
    if (isQuoted) isQuoted = character !== quote
    else if (character === quote && (atStart || !isBlank)) isQuoted = atStart || isQuoted
    else if (character === '\n' || character === '\r') {
      if (!isBlank) counts.push(count)
      if (counts.length >= RECORDS) return counts
      count = 0
      isBlank = true
      atStart = true
      continue
    } else if (character === delimiter) count += 1
    if (character !== '\n' && character !== '\r') isBlank = false
    atStart = character === delimiter
  }
  if (!isBlank) counts.push(count)
  return counts
}

/** The delimiter under which most records have as many values as the header; `,` for a single column. */
export function sniffDelimiter(text: string, quote: string | undefined): string {
  let best: { delimiter: string; score: number } = { delimiter: ',', score: 0 }
  for (const delimiter of DELIMITERS) {
    const [header = 0, ...rows] = countsPerRecord(text, delimiter, quote)
    if (header === 0) continue
    const agreeing = rows.filter((count) => count === header).length
    const share = rows.length === 0 ? 0.5 : agreeing / rows.length
    // Agreement decides; among equals, more columns.
    const score = share + header / 10_000 + 0.001
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}
