// Finds `:cursor` in a query, and nothing that only looks like it: in texts, quoted names, comments and casts.

const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[^]*?\*\/|\$(\w*)\$[^]*?\$\1\$|::|(:cursor)\b/gi

/** The query with its placeholders in the form of the driver, and how many there are. */
export function withPlaceholders(query: string, form: string): { text: string; count: number } {
  let count = 0
  const text = query
    .trim()
    .replace(/;\s*$/, '')
    .replaceAll(TOKEN, (found: string, _tag, cursor: string | undefined) => {
      if (cursor === undefined) return found
      count += 1
      return form
    })
  return { text, count }
}
