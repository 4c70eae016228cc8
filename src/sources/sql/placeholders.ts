// Finds `:cursor` in a query, and nothing that only looks like it: in texts, quoted names, comments and casts.

const OTHERS = /`[^`]*`|--[^\n]*|\/\*[^]*?\*\/|\$(?<tag>\w*)\$[^]*?\$\k<tag>\$|::|:cursor\b/
const TEXTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"/
/** MySQL has escapes by backslash, and a third kind of comment. */
const MYSQL_TEXTS = /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"|#[^\n]*/

const tokens = (texts: RegExp): RegExp => new RegExp(`${texts.source}|${OTHERS.source}`, 'gi')

/** The query with its placeholders in the form of the driver, and how many there are. */
export function withPlaceholders(
  query: string,
  form: string,
  of: 'mysql' | 'others' = 'others',
): { text: string; count: number } {
  let count = 0
  const text = query
    .trim()
    .replace(/;\s*$/, '')
    .replaceAll(tokens(of === 'mysql' ? MYSQL_TEXTS : TEXTS), (found) => {
      if (!/^:cursor$/i.test(found)) return found
      count += 1
      return form
    })
  return { text, count }
}
