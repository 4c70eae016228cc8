// Which record an operator means: by its key, by a line of a file, or by the id of a reject.
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import type { RejectEntry } from '../../core/state.ts'
import { isRetriable, SyncError } from '../../core/words/errors.ts'
import type { Desk } from '../run/desk.ts'

interface Naming {
  readonly pipeline: string
  readonly record: string
}

interface Meant {
  readonly key: string
  readonly reject: RejectEntry | undefined
}

async function rejectsWhere(
  isMeant: (reject: RejectEntry) => boolean,
  pipeline: string,
  { state }: Desk,
): Promise<readonly RejectEntry[]> {
  const found: RejectEntry[] = []
  for await (const reject of state.rejects([pipeline])) if (isMeant(reject)) found.push(reject)
  return found
}

/** Whether the state has a record of that key: linked, rejected, or waiting in any way. */
async function isKnownKey(key: string, pipeline: string, desk: Desk): Promise<boolean> {
  const [known] = await desk.state.known(pipeline, [key])
  if (known?.link !== undefined || (await desk.state.openOf(pipeline, key)).length > 0) return true
  return (await rejectsWhere((reject) => reject.key === key, pipeline, desk)).length > 0
}

const PAGE = 500
/** So many entries of the sync log are looked through for a line of a file. */
const MOST_ENTRIES = 200_000

/** The key of the record that a line of a file brought, by the sync log. */
async function keyOfLine(place: string, pipeline: string, { state }: Desk): Promise<string | undefined> {
  const isOfLine = ({ pipeline: name, source, key }: LoggedEntry): boolean =>
    name === pipeline && key !== null && source !== null && `${source.file}:${source.line}` === place
  for (let from: number | undefined, read = 0; read < MOST_ENTRIES; read += PAGE) {
    const range = { order: 'newest', limit: PAGE, ...(from === undefined ? {} : { from }) } as const
    const page = await state.logPage({}, range)
    const found = page.find(isOfLine)
    if (found !== undefined) return found.key ?? undefined
    if (page.length < PAGE) return undefined
    from = page.at(-1)?.seq
  }
  return undefined
}

const unknown = (record: string, pipeline: string): SyncError =>
  new SyncError('USAGE', `${pipeline} knows no record ${record}`, {
    hint: 'Name the key of a record, a line as FILE:LINE, or the id of a reject: see contact-sync rejects list.',
  })

const ambiguous = (record: string, pipeline: string): SyncError =>
  new SyncError('USAGE', `${record} is the key of a record of ${pipeline} and the id of a reject`, {
    hint: `Write key:${record} or reject:${record}.`,
  })

const refusedReject = (why: string): SyncError =>
  new SyncError('USAGE', why, {
    hint: 'A correction is kept by key. Export the reject, correct its row and drop it: contact-sync rejects export FILE.',
  })

/** A reject whose key is its own: under the key of another record the value would go to that one's contact. */
function keyOfReject({ key, code }: RejectEntry, record: string): string {
  if (key === undefined) throw refusedReject(`the key of the rejected record ${record} cannot be read`)
  if (code === 'KEY_DUPLICATE')
    throw refusedReject(`the rejected record ${record} has the key of another record`)
  return key
}

/** The one record that is meant. Throws USAGE where there is none, or no single one. */
export async function recordMeant({ pipeline, record }: Naming, desk: Desk): Promise<Meant> {
  const [, prefix, text = record] = /^(key|reject):(.*)$/su.exec(record) ?? []
  const byId = prefix === 'key' ? [] : await rejectsWhere(({ id }) => String(id) === text, pipeline, desk)
  const isKey = prefix !== 'reject' && (await isKnownKey(text, pipeline, desk))
  const [rejected] = byId
  if (isKey && rejected !== undefined && rejected.key !== text) throw ambiguous(record, pipeline)
  if (isKey) {
    // A row that came beside the record of its key is not that record.
    const own = await rejectsWhere((one) => one.key === text && isRetriable(one), pipeline, desk)
    return { key: text, reject: own.at(-1) }
  }
  const ofLine = await rejectsWhere(({ file, line }) => `${file}:${line}` === text, pipeline, desk)
  const reject = rejected ?? ofLine.at(-1)
  if (reject !== undefined) return { key: keyOfReject(reject, record), reject }
  const key = text.includes(':') ? await keyOfLine(text, pipeline, desk) : undefined
  if (key === undefined) throw unknown(record, pipeline)
  return { key, reject: undefined }
}
