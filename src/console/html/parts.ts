// The small pieces that pages are composed of. Everything goes through hono's `html`, which escapes what is not
// our own HTML; data is only ever passed to it as text.
import { isMissingIn } from '../../core/change/own-inputs.ts'
import type { Contact, FieldValue } from '../../core/mapping/contact.ts'
import { html, type Html, said } from './markup.ts'
import { distanceText, momentText, number } from '../../core/words/format.ts'
import { shortHash } from './text.ts'

export const nothing: Html = html``

/** Each kind with its own mark: colour alone is not accessible. */
const MARKS = { good: '✓', warn: '!', bad: '✕', busy: '…', calm: '·' } as const

export type Tone = keyof typeof MARKS

export const badge = (tone: Tone, text: string): Html =>
  html`<span class="badge ${tone}"><span aria-hidden="true">${MARKS[tone]}</span> ${text}</span>`

const RUN_TONES: Readonly<Record<string, Tone>> = {
  ok: 'good',
  done: 'good',
  processed: 'good',
  unchanged: 'calm',
  partial: 'warn',
  held: 'warn',
  in_doubt: 'warn',
  planned: 'busy',
  reading: 'busy',
  running: 'busy',
  waiting: 'busy',
  failed: 'bad',
  rejected: 'bad',
  unfinished: 'bad',
}

/** The words of the program (`in_doubt`) for display; codes stay as they are. */
export const spoken = (word: string): string =>
  word === word.toUpperCase() ? word : word.replaceAll('_', ' ')

export const statusBadge = (status: string): Html => badge(RUN_TONES[status] ?? 'calm', spoken(status))

/** In UTC; `now` adds how far away that is. */
export function moment(ms: number, now?: number): Html {
  const iso = new Date(ms).toISOString()
  const distance = now === undefined ? nothing : html` <span class="quiet">${distanceText(ms, now)}</span>`
  return html`<time datetime="${iso}">${momentText(ms).replace(' UTC', '')}</time>${distance}`
}

/** Zeros are muted, and take no room on a phone. */
export const count = (value: number, href?: string): Html =>
  value === 0
    ? html`<span class="nought zero">0</span>`
    : href === undefined
      ? html`${number(value)}`
      : html`<a href="${href}">${number(value)}</a>`

export const hashText = (hash: string): Html =>
  html`<code class="hash" title="${hash}">${shortHash(hash)}</code>`

/** `isKept`: the state has its settings. */
export function configurationHash(hash: string, isKept: boolean): Html {
  if (hash === '') return nothing
  return isKept ? html`<a href="/configuration/${hash}">${hashText(hash)}</a>` : hashText(hash)
}

/** What to type. */
export const command = (text: string): Html => html`<code class="command">${text}</code>`

/** A field's value: blank is named, several are separated. */
export function fieldValue(value: FieldValue | null | undefined): Html {
  if (value === null || value === undefined || value === '') return html`<span class="nought">blank</span>`
  if (Array.isArray(value))
    return html`${value.map((item) => html`<span class="chip">${said(String(item))}</span> `)}`
  return said(String(value))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Whose contact it is, in two lines; a line that says nothing is left out. */
export function nameAndMail(contact: Contact): Html {
  const name = [contact['first_name'], contact['family_name']].map(textOf).filter((text) => text !== '')
  const texts = [name.join(' '), textOf(contact['mail'])].filter((text) => text !== '')
  return html`${texts.map((text) => html`<div>${said(text)}</div>`)}`
}

/** Beside what reverts another run, so that it is seen to be one. */
export const undoBadge = (run: string): Html =>
  html`<a class="badge busy" href="/runs/${run}" title="of run ${run}"
    ><span aria-hidden="true">↺</span> undo<span class="unseen"> of run ${run}</span></a
  >`

/** A list of names and what they stand for. */
export const facts = (rows: readonly (readonly [string, Html])[]): Html =>
  html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

/** What stands where there is nothing to show: that this is so, and what it means. */
export const none = (text: string): Html => html`<p class="none">${text}</p>`

export const note = (tone: Tone, content: Html): Html => html`<div class="note ${tone}">${content}</div>`

/** Where a record stands, as the sync log has it. */
export function rowOrInput(place: { readonly file: string; readonly line: number }): Html {
  if (isMissingIn(place)) return html`missing in ${said(place.file)}`
  return place.line === 0 ? html`${said(place.file)}` : html`${said(place.file)}:${place.line}`
}
