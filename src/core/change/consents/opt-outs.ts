// Contacts that were found blocked or unsubscribed at the service (`consents.outbox`): which of them are news for the
// source, and the file that tells it. Pure.
//
// seen now | seen last         | by us | what follows
// 1 or 2   | the same          | any   | nothing: it was noted
// 1 or 2   | another, or never | yes   | remembered
// 1 or 2   | another, or never | no    | remembered, and noted for the outbox
// other    | 1 or 2            | any   | remembered, so that the next 1 or 2 is news, also one that a record asked for before
// other    | other, or never   | any   | nothing
import { hash } from 'node:crypto'
import { isWithdrawn } from '../permission.ts'

/** A mail_status that a read has shown. */
export interface SeenStatus {
  readonly contactId: number
  /** Blank where it was not shown. */
  readonly mail: string
  readonly status: number
  /** The pipeline whose run has read it. */
  readonly pipeline: string
  readonly at: number
  /** A request of this run has set it. */
  readonly isOurs: boolean
}

/** A line of the outbox. */
export interface OptOut {
  readonly mail: string
  readonly status: number
  readonly seenAt: number
  readonly pipeline: string
  /** Blank where no record has the contact. */
  readonly key: string
}

export interface OptOutStore {
  /** Remembers it, and notes it for the outbox where it is news. */
  noteStatus(seen: SeenStatus): Promise<void>
  /**
   * The oldest file of the outbox that was not written to its end; what was noted since is put into a new one. Its number and
   * content stay the same until it has been written, whatever is noted meanwhile.
   */
  openOptOuts(): Promise<{ readonly number: number; readonly rows: readonly OptOut[] } | undefined>
  /** The file was written; its rows leave the state. */
  optOutsWritten(number: number): Promise<void>
}

export type StatusNews = 'nothing' | 'remember' | 'report'

/** `last`: undefined where none was remembered. */
export function statusNews(status: number, last: number | undefined, isOurs: boolean): StatusNews {
  if (status === last || (!isWithdrawn(status) && !isWithdrawn(last))) return 'nothing'
  return isWithdrawn(status) && !isOurs ? 'report' : 'remember'
}

const COLUMNS = ['mail', 'status', 'seen_at', 'pipeline', 'key'] as const

const line = (values: readonly (string | number)[]): string =>
  `${values.map((value) => `"${String(value).replaceAll('"', '""')}"`).join(',')}\n`

const HEADER = line(COLUMNS)

/** The name depends on the content, so that no file is replaced by one that says something else. */
export function optOutFile(number: number, rows: readonly OptOut[]): { name: string; text: string } {
  const lines = rows.map(({ mail, status, seenAt, pipeline, key }) =>
    line([mail, status, new Date(seenAt).toISOString(), pipeline, key]),
  )
  const text = [HEADER, ...lines].join('')
  const digest = hash('sha256', text, 'hex').slice(0, 8)
  return { name: `opt-outs-${String(number).padStart(6, '0')}-${digest}.csv`, text }
}

export const isOptOutFile = (name: string): boolean => /^opt-outs-\d{6,}-[0-9a-f]{8}\.csv$/.test(name)

const ROW = /(?:"(?:[^"]|"")*",?)+\n/g
const VALUE = /"((?:[^"]|"")*)"/g

/** The text of such a file without the rows that are named and how many they were. */
export function withoutRows(
  text: string,
  isNamed: (row: Pick<OptOut, 'mail' | 'pipeline' | 'key'>) => boolean,
): { readonly text: string; readonly removed: number } {
  const rows = text.match(ROW) ?? []
  const kept = rows.filter((row, index) => {
    const [mail = '', , , pipeline = '', key = ''] = [...row.matchAll(VALUE)].map(([, value = '']) =>
      value.replaceAll('""', '"'),
    )
    return index === 0 || !isNamed({ mail, pipeline, key })
  })
  return { text: kept.join(''), removed: rows.length - kept.length }
}
