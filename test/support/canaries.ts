// Looks for canaries in whatever was written: as they are, URL-encoded, in base64 at every offset, in hexadecimal, as
// JSON and HTML write them, and broken over lines. Written without the program's own redaction: it is what is tested.

/** A sink and what came out of it. */
export interface Sink {
  readonly name: string
  readonly text: string
}

export interface Finding {
  readonly sink: string
  readonly canary: string
  readonly form: string
  readonly around: string
}

function base64Cores(canary: string): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(canary)]).toString('base64')
    return text.replace(/=+$/, '').slice(offset === 0 ? 0 : offset + 1, -1)
  })
}

/** All without white space and in small letters: that is how texts are searched. */
function forms(canary: string): ReadonlyMap<string, string> {
  const url = (text: string): string => Buffer.from(text, 'base64').toString('base64url')
  const named: [string, string][] = [
    ['plain', canary],
    ['URL', encodeURIComponent(canary)],
    ['form', new URLSearchParams({ q: canary }).toString().slice(2)],
    ['hex', Buffer.from(canary).toString('hex')],
    ['JSON', JSON.stringify(canary).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(canary)).slice(3, -3)],
    ['HTML', canary.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
    ...base64Cores(canary).flatMap((core, offset): [string, string][] => [
      [`base64 at ${offset}`, core],
      [`base64url at ${offset}`, url(core)],
    ]),
  ]
  return new Map(named.map(([name, text]) => [name, text.replaceAll(/\s/g, '').toLowerCase()]))
}

export function findCanaries(sinks: readonly Sink[], canaries: readonly string[]): Finding[] {
  const wanted = canaries.map((canary) => ({ canary, forms: forms(canary) }))
  return sinks.flatMap(({ name, text }) => {
    const searched = text.replaceAll(/\s|\\[nrt]/g, '').toLowerCase()
    return wanted.flatMap(({ canary, forms: named }) =>
      [...named].flatMap(([form, needle]): Finding[] => {
        const at = searched.indexOf(needle)
        return at < 0
          ? []
          : [{ sink: name, canary, form, around: searched.slice(Math.max(0, at - 120), at + 60) }]
      }),
    )
  })
}
