// Rows that a quote has swallowed: one that was not closed where its value ends takes whole rows into that value, as far as
// the next quote. Such a row is a valid one, so it is told by what stands in it. Pure.

const BREAK = /\r\n|\n|\r/
const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/**
 * How many rows a row looks like: each of its lines has as many values as the header, and an e-mail address in the same
 * column as the others. 1: it is one row.
 */
export function rowsWithin(values: readonly string[], delimiter: string): number {
  if (values.length < 2 || !values.some((value) => value.includes('\n') || value.includes('\r'))) return 1
  const lines = values
    .join(delimiter)
    .split(BREAK)
    .map((line) => line.split(delimiter))
  if (lines.some(({ length }) => length !== values.length)) return 1
  const hasMail = values.some((_, column) => lines.every((line) => MAIL.test(line[column]?.trim() ?? '')))
  return hasMail ? lines.length : 1
}
