// Erases one person: at the service if asked to, in the files that were put away, in the logs, in the state; and says what
// was removed and what lies outside our reach. Part of the composition. Each step may be done again: who is ended half-way
// calls it once more.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { erasureEntry, planEntry } from '../core/audit.ts'
import { namesMail, redaction, type Subject } from '../core/erasing.ts'
import { SyncError } from '../core/errors.ts'
import { recordKey, wantedColumns } from '../core/mapping.ts'
import { runId } from '../core/run-id.ts'
import type { PipelineSettings, Settings } from '../core/settings.ts'
import type { LoggedPerson, LogHead } from '../core/sync-log.ts'
import { eraseInLogs } from '../log/erase.ts'
import { createService } from '../service/service.ts'
import { eraseRecords } from '../sources/erase.ts'
import type { Theirs } from '../sources/erasing.ts'
import { type Forgotten } from '../store/forget.ts'
import type { OwnedState } from '../store/state-store.ts'
import { systemClock as clock, systemRandom as random } from '../system.ts'
import { asOwner } from './as-owner.ts'
import { assertOfService, bindAtFirstUse } from './service-binding.ts'

export interface Asked {
  /** A key, a mail or an id, as in `audit show`. */
  readonly contact: string
  readonly deleteAtService: boolean
  /** Called when it is known who is meant, before anything is done; throws where it is not to be done. */
  confirm(subject: Subject): Promise<void>
}

export interface Certificate {
  readonly at: string
  readonly run_id: string
  readonly contact_ids: readonly number[]
  readonly removed: Omit<Forgotten, 'tokens'> & {
    readonly tokens: readonly string[]
    readonly files: readonly { readonly file: string; readonly records: number }[]
    readonly logs: readonly string[]
    readonly copies: readonly string[]
  }
  readonly deletedAtService: readonly number[]
  /** What still holds the person, or may, and is not ours to change. */
  readonly outside: readonly string[]
  readonly head: LogHead
}

/** Everybody who must be meant: who bears the same mail and is no other contact is the same person. */
async function meant(
  state: OwnedState,
  contact: string,
): Promise<{ people: LoggedPerson[]; subject: Subject }> {
  const people = new Map((await state.people(contact)).map((person) => [person.person, person]))
  if (people.size === 0)
    throw new SyncError('USAGE', `the sync log knows no contact ${contact}`, {
      hint: 'Name a key, a mail address or a contact id. Who was erased already is not found any more.',
    })
  const ids = new Set([...people.values()].flatMap(({ contactIds }) => contactIds))
  if (people.size > 1 && ids.size > 1)
    throw new SyncError('USAGE', `${contact} may be several people: contacts ${[...ids].join(', ')}`, {
      hint: 'Look at each with contact-sync audit show id:N, then: contact-sync audit forget id:N',
    })
  for (const mail of state.subjectOf([...people.values()]).mails)
    for (const other of await state.people(`mail:${mail}`))
      if (other.contactIds.every((id) => ids.has(id))) people.set(other.person, other)
  return { people: [...people.values()], subject: state.subjectOf([...people.values()]) }
}

interface Work {
  readonly settings: Settings
  readonly state: OwnedState
  readonly subject: Subject
  readonly id: string
}

/** Before anything is destroyed: what cannot be deleted there can be tried again. */
async function deleteAtService(
  { settings, state, subject, id }: Work,
  signal: AbortSignal,
): Promise<number[]> {
  const { perDay } = settings.service.rateLimit
  const daily = perDay === undefined ? {} : { daily: state.dailyAllowance(perDay) }
  const service = createService(settings.service, { clock, random, window: state.window, ...daily })
  const session = service.session({ signal })
  const deleted: number[] = []
  try {
    await bindAtFirstUse(settings, state.binding, session)
    for (const contactId of subject.contactIds) {
      const result = await session.deleteContact(contactId)
      const isGone = result.kind === 'ok' || result.kind === 'absent'
      const [first] = subject.keys
      await state.note(
        erasureEntry(
          { contactId, isDone: isGone, request: result.request },
          { at: clock.now(), runId: id, pipeline: first?.pipeline ?? null, configHash: '' },
        ),
      )
      if (!isGone)
        throw new SyncError(
          'SERVICE_UNREACHABLE',
          `contact ${contactId} could not be deleted: ${result.summary}`,
          {
            hint: 'Nothing was erased yet. Call it again, or without --delete-at-service.',
          },
        )
      if (result.kind === 'ok') deleted.push(contactId)
    }
    return deleted
  } finally {
    await service.close()
  }
}

function theirs(pipeline: PipelineSettings, { state, subject }: Work): Theirs {
  const keys = new Set(subject.keys.filter((one) => one.pipeline === pipeline.name).map(({ key }) => key))
  const redacted = redaction(subject)
  return {
    columns: wantedColumns(pipeline),
    isTheirs(header, values) {
      const key = recordKey(pipeline, header)?.(values)
      if (key !== undefined && keys.has(key)) return true
      if (!namesMail(subject, values)) return false
      return key === undefined || !state.isOfOthers(subject, pipeline.name, key)
    },
    isNamed: (text) => namesMail(subject, [text]),
    redacted,
  }
}

async function eraseFiles(work: Work) {
  const changed: { file: string; records: number }[] = []
  const left: string[] = []
  for (const pipeline of work.settings.pipelines) {
    const found = await eraseRecords(pipeline.source, theirs(pipeline, work))
    changed.push(...found.changed.map((one) => ({ ...one, file: `${pipeline.name}: ${one.file}` })))
    left.push(...found.left.map(({ file, why }) => `${pipeline.name}: ${file}: ${why}`))
  }
  return { changed, left }
}

const SQLITE_ID_AT = 68

/** Databases of ours beside the state: copies from before an upgrade, which are removed, and others, which are named. */
function copiesOf(path: string): { old: string[]; others: string[] } {
  const folder = dirname(path)
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const isOld = (name: string): boolean => name.startsWith(`${basename(path)}.before-schema-`)
  const isCopy = (name: string): boolean => {
    if (name === basename(path) || isOld(name)) return false
    return (
      readFileSync(join(folder, name))
        .subarray(SQLITE_ID_AT, SQLITE_ID_AT + 4)
        .toString('latin1') === 'CSY1'
    )
  }
  const names = files.map(({ name }) => name)
  return { old: names.filter(isOld), others: names.filter(isCopy) }
}

function outsideText(
  { settings, subject }: Work,
  deleted: readonly number[],
  copies: readonly string[],
): string[] {
  const left = subject.contactIds.filter((id) => !deleted.includes(id))
  const { baseUrl } = settings.service
  return [
    ...(left.length === 0
      ? []
      : [`the service ${baseUrl}: contact ${left.join(', ')}; --delete-at-service would delete it`]),
    ...copies.map((name) => `a copy of the state: ${name}`),
    'backups of the state, and of its folder, wherever they were put',
    'files that wait in the inbox, and the systems that they come from: their records are skipped from now on',
    'exports of the sync log and of rejects that were given away',
    'whatever was printed, and where the operational log is sent to',
  ]
}

async function erase(
  work: Work,
  people: readonly LoggedPerson[],
  deleted: readonly number[],
): Promise<Certificate> {
  const { settings, state, subject, id } = work
  const redacted = redaction(subject)
  const { folder } = settings.log
  const files = await eraseFiles(work)
  const logs = folder === undefined ? [] : await eraseInLogs(folder, redacted)
  const at = clock.now()
  const forgotten = state.forget({ subject, people, redacted, at, runId: id })
  state.sweep()
  state.accept()
  const { old, others } = copiesOf(settings.state.path)
  for (const name of old) rmSync(join(dirname(settings.state.path), name), { force: true })
  return {
    at: new Date(at).toISOString(),
    run_id: id,
    contact_ids: subject.contactIds,
    removed: { ...forgotten, files: files.changed, logs, copies: old },
    deletedAtService: deleted,
    outside: [...files.left, ...outsideText(work, deleted, others)],
    head: await state.logHead(),
  }
}

/** An earlier call was ended before it was done. */
function sweepIfDue(state: OwnedState): void {
  if (state.isSweepDue()) state.sweep()
}

/**
 * Throws USAGE where nobody or more than one person may be meant, STATE_LOCKED beside a daemon, SERVICE_UNREACHABLE where
 * the service did not delete the contact (then nothing was erased), STATE_FULL where the state cannot be written anew.
 */
export function forgetContact(
  settings: Settings,
  asked: Asked,
  { pid, signal }: { pid: number; signal: AbortSignal },
): Promise<Certificate> {
  return asOwner(settings, pid, async (state) => {
    sweepIfDue(state)
    if (asked.deleteAtService) assertOfService(settings, state.binding)
    const { people, subject } = await meant(state, asked.contact)
    await asked.confirm(subject)
    const work = { settings, state, subject, id: runId(clock.now(), random) }
    const deleted = asked.deleteAtService ? await deleteAtService(work, signal) : []
    return erase(work, people, deleted)
  })
}

/** Lets somebody come again who was erased: by mail, or by pipeline and key. How many tombstones were taken away. */
export function readmitContact(settings: Settings, contact: string, pid: number): Promise<number> {
  return asOwner(settings, pid, async (state) => {
    sweepIfDue(state)
    const key = contact.replace(/^key:/, '')
    const mail = contact.replace(/^mail:/, '')
    const keys = settings.pipelines.map(({ name }) => ({ pipeline: name, key }))
    const lifted = state.readmit({ keys, mails: mail.includes('@') ? [mail] : [] })
    if (lifted > 0) {
      const at = clock.now()
      const reason = 'a person who was erased may come again'
      await state.note(
        planEntry(
          { action: 'readmit', reason },
          { at, runId: runId(at, random), pipeline: null, configHash: '' },
        ),
      )
    }
    return lifted
  })
}
