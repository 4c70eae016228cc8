// What a command prints, as a picture for the README: SVG, so that a test can compare it with what is printed today.

const LINE = 19
const CHARACTER = 7.8
const MARGIN = 20
/** By the sign that a line begins with. */
const COLOURS: Readonly<Record<string, string>> = {
  $: '#f8fafc',
  '+': '#86efac',
  '-': '#fca5a5',
  '~': '#fcd34d',
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('  ', ' \u00a0')

function drawn(line: string, index: number): string {
  const text = line.trimStart()
  if (text === '') return ''
  const x = MARGIN + (line.length - text.length) * CHARACTER
  const y = MARGIN + 14 + index * LINE
  const colour = COLOURS[text[0] ?? ''] ?? (text.includes(' -> ') ? '#7dd3fc' : '#cbd5e1')
  // The length is set because each reader's font has its own width.
  return `<text x="${x.toFixed(1)}" y="${y}" fill="${colour}" textLength="${(text.length * CHARACTER).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>\n`
}

export function terminalPicture(title: string, lines: readonly string[]): string {
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CHARACTER + 2 * MARGIN)
  const height = lines.length * LINE + 2 * MARGIN
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="#0f172a"/>
${lines.map(drawn).join('')}</svg>
`
}
