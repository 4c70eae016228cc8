// `template: "{Position}, {Abteilung}"`: columns set into text. A piece of text is kept only where the
// placeholders right beside it have a value, so that a blank column leaves no stray comma behind.

type Part = { readonly text: string } | { readonly column: string }

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
      text = ''
      parts.push({ column: piece.slice(1, -1).trim() })
    } else text += piece
  }
  if (text !== '') parts.push({ text })
  return parts
}

/** Reads a template; `{{` and `}}` stand for the braces themselves. */
export function parseTemplate(template: string): Template {
  const parts = templateParts(template)
  const isBlankAt = (index: number, value: (column: string) => string): boolean => {
    const part = parts[index]
    return part !== undefined && 'column' in part && value(part.column) === ''
  }
  const columns = parts.flatMap((part) => ('column' in part ? [part.column] : []))
  return {
    columns,
    render(value) {
      if (columns.length > 0 && columns.every((column) => value(column) === '')) return ''
      return parts
        .map((part, index) => {
          if ('column' in part) return value(part.column)
          return isBlankAt(index - 1, value) || isBlankAt(index + 1, value) ? '' : part.text
        })
        .join('')
    },
  }
}
