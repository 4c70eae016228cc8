// `template: "{Position}, {Abteilung}"`: columns set into text. A blank column takes the text before it along, and at the
// beginning and the end the text behind it: no stray comma stays, and the values on both sides of a blank stay apart.

/** Columns without text between them are one part. */
type Part = { readonly text: string } | { readonly columns: readonly string[] }

export interface Template {
  readonly columns: readonly string[]
  /** The text with every column's value set in; blank when all of them are. */
  render(value: (column: string) => string): string
}

function templateParts(template: string): Part[] {
  const parts: Part[] = []
  let text = ''
  for (const piece of template.split(/(\{\{|\}\}|\{[^{}]*\})/)) {
    if (piece === '{{' || piece === '}}') text += piece.charAt(0)
    else if (piece.startsWith('{') && piece.endsWith('}')) {
      if (text !== '') parts.push({ text })
      const last = text === '' ? parts.pop() : undefined
      text = ''
      const before = last !== undefined && 'columns' in last ? last.columns : []
      parts.push({ columns: [...before, piece.slice(1, -1).trim()] })
    } else text += piece
  }
  if (text !== '') parts.push({ text })
  return parts
}

/** The bracket that was closed here has gone with the blank in it: `{A} ({B}) {C}`. */
const withoutClosing = (text: string): string => text.replace(/^[^()[\]]*[)\]]/u, '')

/** Reads a template; `{{` and `}}` stand for the braces themselves. */
export function parseTemplate(template: string): Template {
  const parts = templateParts(template)
  return {
    columns: parts.flatMap((part) => ('columns' in part ? part.columns : [])),
    render(value) {
      const made = parts.map((part) => ('columns' in part ? part.columns.map(value).join('') : part.text))
      const filled = parts.map((part, index) => 'columns' in part && made[index] !== '')
      if (parts.some((part) => 'columns' in part) && !filled.includes(true)) return ''
      const kept = (text: string, index: number): string => {
        if (filled[index + 1] === false) return ''
        if (index === 0 || filled[index - 1] === true) return text
        const isBetween = index < parts.length - 1 && filled.indexOf(true) < index
        return isBetween ? withoutClosing(text) : ''
      }
      return parts.map((part, index) => ('text' in part ? kept(part.text, index) : made[index])).join('')
    },
  }
}
