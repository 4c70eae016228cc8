// What a sandbox holds, as a page: its contacts and terms, the last requests. Made on the server, without a script.
import { html } from 'hono/html'
import { plural } from '../../core/words/format.ts'
import type { SandboxRequest } from './seen.ts'
import type { Db } from '../tables.ts'

const SHOWN = 50

interface Row {
  readonly id: number
  readonly fields: string
  readonly terms: string | null
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin-bottom: 2rem; }
td, th { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .3rem .6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
code { font-size: .9em; }
.wide { overflow-x: auto; }
`

const contactText = (fields: string): string =>
  Object.entries(JSON.parse(fields) as Record<string, unknown>)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

const bodyText = ({ body }: SandboxRequest): string =>
  body === null ? '' : JSON.stringify(body).slice(0, 300)

type Cell = string | number | ReturnType<typeof html>

const table = (head: readonly string[], rows: readonly (readonly Cell[])[]) =>
  html`<div class="wide">
    <table>
      <tr>
        ${head.map((name) => html`<th>${name}</th>`)}
      </tr>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </table>
  </div>`

const CONTACTS = `SELECT contact.id, fields, (SELECT group_concat(name, ', ') FROM contact_term JOIN term ON term.id = term_id
  WHERE contact_id = contact.id) AS terms FROM contact ORDER BY contact.id DESC LIMIT ?`

const contactRows = (db: Db): Cell[][] =>
  db
    .prepare<[number], Row>(CONTACTS)
    .all(SHOWN)
    .map(({ id, fields, terms }) => [id, contactText(fields), terms ?? ''])

const termRows = (db: Db): Cell[][] =>
  db
    .prepare<[number], { id: number; name: string; description: string }>(
      'SELECT id, name, description FROM term ORDER BY id LIMIT ?',
    )
    .all(SHOWN)
    .map(({ id, name, description }) => [id, name, description])

const requestRow = (one: SandboxRequest): Cell[] => [
  html`<code>${one.method} ${one.path}${one.query}</code>`,
  one.status === 0 ? 'closed' : one.status,
  html`<code>${bodyText(one)}</code>`,
]

export function controlPage({ db, requests }: { db: Db; requests(): readonly SandboxRequest[] }) {
  const count = (name: string): number =>
    db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get() ?? 0
  const all = requests()
  const counts = `${plural(count('contact'), 'contact')}, ${plural(count('term'), 'term')}, ${plural(all.length, 'request')}. At most ${SHOWN} of each are shown.`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>contact-sync sandbox</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>Sandbox</h1>
        <p>${counts}</p>
        <h2>Contacts, newest first</h2>
        ${table(['Id', 'Fields', 'Terms'], contactRows(db))}
        <h2>Terms</h2>
        ${table(['Id', 'Name', 'Description'], termRows(db))}
        <h2>Requests, newest first</h2>
        ${table(['Request', 'Status', 'Body'], all.slice(-SHOWN).reverse().map(requestRow))}
      </body>
    </html>`
}
