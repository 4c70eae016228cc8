// Erases one person: at the service on request, in the archived files, in the logs, in the state; and reports what
// was removed and what lies outside our reach. Part of the composition. Each step may be done again: the next owner of the
// state completes what was ended half-way.
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { planEntry } from '../../core/log/other-entries.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import { heldValues, type Subject } from '../../core/erasing.ts'
import { SyncError } from '../../core/words/errors.ts'
import { everyEntry } from '../../core/log/log-lines.ts'
import type { Settings } from '../../core/settings.ts'
import type { LoggedPerson, LogHead } from '../../core/log/sync-log.ts'
import { eraseInLogs } from '../../log/erase.ts'
import { eraseRecords, type LeftFile, whyNot } from '../../sources/erase.ts'
import { type Forgotten } from '../../store/log/forget.ts'
import { statePlace } from '../../store/file/place.ts'
import type { OwnedState } from '../../store/state-store.ts'
import { nodeProgram, systemClock as clock } from '../../system.ts'
import type { Desk } from '../run/desk.ts'
import { assertOfService } from '../run/service/service-binding.ts'
import { type AtService, eraseAtService, type SeenAtService } from './erase-at-service.ts'
import { eraseOptOuts } from './opt-out-erasing.ts'
import { doubtedText, type OtherDatabase, outsideText, positionsNaming } from './out-of-reach.ts'
import { inMessages, type SoughtPerson, theirsIn } from './sought.ts'

export interface Asked {
  /** A key, a mail or an id, as in `audit show`. */
  readonly contact: string
  /** What is done with the contact at the service first; undefined: nothing. */
  readonly atService?: AtService | undefined
}

export interface Certificate {
  readonly at: string
  readonly run_id: string
  readonly contact_ids: readonly number[]
  /** When the person was erased for the first time, where that is not now; ISO 8601. */
  readonly erasedBefore: string | null
  readonly removed: Omit<Forgotten, 'tokens' | 'doubtedCreates'> & {
    readonly tokens: readonly string[]
    readonly files: readonly { readonly file: string; readonly records: number }[]
    readonly logs: readonly string[]
    readonly copies: readonly string[]
    /** Records that were left out when files were archived, since the first time. */
    readonly whenArchived: number
  }
  /** Files and rows that could not be searched, or may be about the person. */
  readonly notErased: readonly LeftFile[]
  readonly deletedAtService: readonly number[]
  /** What was seen at the service afterwards. */
  readonly seenAtService: readonly SeenAtService[]
  /** What still holds the person, or may, and is not ours to change. */
  readonly outside: readonly string[]
  readonly head: LogHead
}

interface Meant extends SoughtPerson {
  readonly people: readonly LoggedPerson[]
  /** The state has nothing of them; archived files may. */
  readonly isUnknown: boolean
}

/** Values that the log holds, beside those of links and operations. */
async function subjectOf(state: OwnedState, people: readonly LoggedPerson[]): Promise<Subject> {
  const subject = state.subjectOf(people)
  const values = new Map(subject.values.map((one) => [JSON.stringify(one), one]))
  const add = (fields: Readonly<Record<string, unknown>>): void => {
    for (const one of heldValues(fields)) values.set(JSON.stringify(one), one)
  }
  for (const { person } of people)
    for await (const { fields } of everyEntry(state, { person })) {
      add(Object.fromEntries(Object.entries(fields).map(([field, { from }]) => [field, from])))
      add(Object.fromEntries(Object.entries(fields).map(([field, { to }]) => [field, to])))
    }
  return { ...subject, values: [...values.values()] }
}

/** What the text may be the name of, in any pipeline. */
function namesIn(contact: string, { pipelines }: Settings): Omit<Subject, 'values'> {
  const [, kind, rest = contact] = /^(key|mail|id):(.*)$/s.exec(contact) ?? []
  const name = rest.trim()
  const isMail = name.includes('@') && kind !== 'key' && kind !== 'id'
  const isKey = kind === undefined || kind === 'key'
  const isId = kind === 'id' || (kind === undefined && /^\d+$/.test(name))
  return {
    keys: isKey ? pipelines.map(({ name: pipeline }) => ({ pipeline, key: name })) : [],
    mails: isMail ? [mailKey(name)] : [],
    contactIds: isId ? [Number(name)] : [],
  }
}

function unknownContact(contact: string): SyncError {
  const hint =
    'Name a key, an e-mail address or a contact id. A person who was erased is found by e-mail address or key, and by the id of a contact that contact-sync status names; one who was never sent by e-mail address.'
  return new SyncError(
    'USAGE',
    `the state knows no contact ${contact}, and no person was erased under that name`,
    {
      hint,
    },
  )
}

/** A person who is not in the log: erased before, never sent, or in archived files alone. */
function unlogged(state: OwnedState, settings: Settings, contact: string): Meant {
  const names = namesIn(contact, settings)
  const before = state.erasedBefore(names)
  const rows = state.namedInRows(names)
  const wasErased = (key: Subject['keys'][number]): boolean =>
    state.erasedBefore({ keys: [key], mails: [], contactIds: [] }) !== undefined
  const keys = [...names.keys.filter(wasErased), ...rows.keys]
  const isUnknown = before === undefined && rows.keys.length + rows.mails.length === 0
  // A record that is skipped leaves nothing in the state, and lies in the archive all the same.
  if (isUnknown && !names.mails.some((mail) => /^[^@\s]+@[^@\s]+$/.test(mail))) throw unknownContact(contact)
  const contactIds = before?.contactIds ?? []
  // What is held and was never sent has names as well, by which files and later records are known.
  const { mails, values } = state.subjectOf([{ keys, contactIds: [], mails: names.mails }])
  if (keys.length > 1 && mails.length > 1)
    throw new SyncError(
      'USAGE',
      `${contact} may be several persons: records of ${keys.map(({ pipeline }) => pipeline).join(', ')} with different e-mail addresses`,
      { hint: 'Name the e-mail address of the one who is meant: contact-sync audit forget mail:ADDRESS' },
    )
  return { people: [], subject: { keys, contactIds, mails, values }, before, isUnknown }
}

/** The names by which they were asked for: the log may know only hashes of them, since its values expire. */
async function namesOfThem(
  { keys, mails }: Omit<Subject, 'values'>,
  people: ReadonlyMap<number, LoggedPerson>,
  state: OwnedState,
): Promise<Pick<Subject, 'keys' | 'mails'>> {
  const leads = async (name: string, pipeline?: string): Promise<boolean> =>
    (await state.people(name, pipeline)).some(({ person }) => people.has(person))
  const own: Subject['keys'][number][] = []
  for (const one of keys) if (await leads(`key:${one.key}`, one.pipeline)) own.push(one)
  const [mail] = mails
  return { keys: own, mails: mail !== undefined && (await leads(`mail:${mail}`)) ? [mail] : [] }
}

/** All persons who must be meant: one with the same mail and no other contact is the same person. */
async function meant(state: OwnedState, settings: Settings, contact: string): Promise<Meant> {
  const people = new Map((await state.people(contact)).map((person) => [person.person, person]))
  if (people.size === 0) return unlogged(state, settings, contact)
  const ids = new Set([...people.values()].flatMap(({ contactIds }) => contactIds))
  if (people.size > 1 && ids.size > 1)
    throw new SyncError('USAGE', `${contact} may be several persons: contacts ${[...ids].join(', ')}`, {
      hint: 'Check each with contact-sync audit show id:N, then: contact-sync audit forget id:N',
    })
  const named = await namesOfThem(namesIn(contact, settings), people, state)
  for (const mail of state.subjectOf([...people.values()]).mails)
    for (const other of await state.people(`mail:${mail}`))
      if (other.contactIds.every((id) => ids.has(id))) people.set(other.person, other)
  const all = [...people.values()]
  const known = await subjectOf(state, all)
  const isNew = (key: Subject['keys'][number]): boolean =>
    !known.keys.some((one) => one.pipeline === key.pipeline && one.key === key.key)
  const subject = {
    ...known,
    keys: [...known.keys, ...named.keys.filter(isNew)],
    mails: [...new Set([...known.mails, ...named.mails])],
  }
  return { people: all, subject, before: state.erasedBefore(subject), isUnknown: false }
}

interface Work extends Meant {
  /** As it was named. */
  readonly contact: string
  readonly settings: Settings
  readonly state: OwnedState
  readonly id: string
  readonly desk: Desk
  readonly atService: AtService | undefined
}

/** What the disk kept from being searched or written is named, and the erasure is not done. */
const leaving =
  (left: LeftFile[], where: string) =>
  (error: unknown, name?: string): void =>
    void left.push({ file: name === undefined ? where : `${where}: ${name}`, why: whyNot(error) })

async function eraseFiles(work: Work) {
  const { settings, state, subject } = work
  const changed: { file: string; records: number }[] = []
  const left: LeftFile[] = []
  for (const pipeline of settings.pipelines) {
    const isOfOthers = (key: string): boolean => state.isOfOthers(subject, pipeline.name, key)
    const theirs = await theirsIn(pipeline, work, { isOfOthers, now: clock.now() })
    const found = await eraseRecords(pipeline.source, theirs)
    const named = (file: string): string => `${pipeline.name}: ${file}`
    changed.push(...found.changed.map((one) => ({ ...one, file: named(one.file) })))
    left.push(...found.left.map((one) => ({ ...one, file: named(one.file) })))
  }
  const isGone = (name: string): boolean => settings.pipelines.every((one) => one.name !== name)
  const former = subject.keys.map(({ pipeline }) => pipeline).filter(isGone)
  for (const name of new Set(former.map(state.presentName).filter(isGone)))
    left.push({
      file: `${name}: all files`,
      why: 'the pipeline is no longer configured; its folders were not searched',
    })
  changed.push(...eraseOptOuts(settings.consents.outbox, subject, leaving(left, 'outbox')))
  return { changed, left }
}

/**
 * Prints, for each path of the list on standard input, the application id in a database's file; a file that cannot be read is
 * taken for a copy.
 */
const PRINT_IDS = `
const { openSync, readFileSync, readSync } = require('node:fs')
const idOf = (path) => {
  const bytes = Buffer.alloc(4)
  try {
    readSync(openSync(path, 'r'), bytes, 0, 4, 68)
    return bytes.toString('latin1')
  } catch {
    return 'CSY1'
  }
}
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(idOf)))`

/**
 * By another process: one that closes a file loses all locks that it has on it (POSIX), and these may be the files of states
 * that this process has.
 */
function applicationIds(paths: readonly string[]): readonly string[] {
  const { stdout } = spawnSync(nodeProgram, ['-e', PRINT_IDS], {
    input: JSON.stringify(paths),
    encoding: 'utf8',
  })
  try {
    return JSON.parse(stdout) as string[]
  } catch {
    return paths.map(() => 'CSY1')
  }
}

/** Our databases beside the state: copies from before an upgrade, which are removed, and others, which are named. */
function copiesOf(path: string): { old: string[]; others: OtherDatabase[] } {
  const folder = dirname(path)
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => name).filter((name) => name !== basename(path))
  const isOld = (name: string): boolean => name.startsWith(`${basename(path)}.before-schema-`)
  const unknown = names.filter((name) => !isOld(name))
  const ids = applicationIds(unknown.map((name) => join(folder, name)))
  const others = unknown.filter((_, index) => ids[index] === 'CSY1')
  return {
    old: names.filter(isOld),
    others: others.map((name) => ({ name, isState: names.includes(`${name}.mark`) })),
  }
}

/** What must follow once a person's rows are gone: no page of the state and no copy of it holds them. May be done again. */
function completeErasure(settings: Settings, state: OwnedState): ReturnType<typeof copiesOf> {
  state.sweep()
  state.accept()
  const place = statePlace(settings.state.path)
  const copies = copiesOf(place)
  for (const name of copies.old) rmSync(join(dirname(place), name), { force: true })
  state.endSweep()
  return copies
}

/** Of an erasure whose process was ended before it was done. Throws STATE_FULL where the state cannot be rewritten. */
export function completeErasures({ settings, state }: Pick<Desk, 'settings' | 'state'>): void {
  if (state.isSweepDue()) completeErasure(settings, state)
}

/** A person whose values have expired, and who is no longer linked, is known by the name that was given alone. */
const leftForWantOfNames = ({ subject, people }: Work): readonly LeftFile[] =>
  people.length > 0 && subject.mails.length + subject.keys.length === 0
    ? [
        {
          file: 'archived files',
          why: 'the values of this person in the sync log have expired; call this again with an e-mail address or a key of theirs',
        },
      ]
    : []

/** Contacts that showed nothing any more, or were gone. */
const clearedOf = (seen: readonly SeenAtService[]): readonly number[] =>
  seen.filter(({ left }) => left.length === 0).map(({ contactId }) => contactId)

const leftAtService = (seen: readonly SeenAtService[]): readonly LeftFile[] =>
  seen.flatMap(({ contactId, left }) =>
    left.length === 0
      ? []
      : [{ file: `contact ${contactId} at the service`, why: `it still shows ${left.join(', ')}` }],
  )

async function erase(work: Work, seen: readonly SeenAtService[]): Promise<Certificate> {
  const { settings, state, subject, people, before, id } = work
  const names = settings.pipelines.map(({ name }) => name)
  const messages = inMessages(work, [...new Set([...names, ...subject.keys.map(({ pipeline }) => pipeline)])])
  const { folder } = settings.log
  const files = await eraseFiles(work)
  if (work.isUnknown && files.changed.length === 0) throw unknownContact(work.contact)
  const logs =
    folder === undefined ? [] : await eraseInLogs(folder, messages.redactedData, leaving(files.left, 'log'))
  const at = clock.now()
  const records = files.changed.reduce((sum, one) => sum + one.records, 0)
  const { doubtedCreates, ...forgotten } = state.forget({
    subject,
    people,
    recognition: messages,
    households: settings.pipelines.flatMap(({ name, household }) => (household === undefined ? [] : [name])),
    cleared: clearedOf(seen),
    records,
    at,
    runId: id,
    decided: work.desk.decided,
    decision: work.desk.decision,
  })
  const { old, others } = completeErasure(settings, state)
  const { uncertainRejects } = forgotten
  const rejects = {
    file: 'the state',
    why: `${uncertainRejects} rejects name a person with the same name or telephone number; check with contact-sync rejects list`,
  }
  return {
    at: new Date(at).toISOString(),
    run_id: id,
    contact_ids: subject.contactIds,
    erasedBefore: before === undefined ? null : new Date(before.at).toISOString(),
    removed: { ...forgotten, files: files.changed, logs, copies: old, whenArchived: before?.leftOut ?? 0 },
    deletedAtService: seen.flatMap(({ did, isGone, contactId }) =>
      did === 'delete' && isGone ? [contactId] : [],
    ),
    seenAtService: seen,
    notErased: [
      ...files.left,
      ...leftForWantOfNames(work),
      ...(uncertainRejects > 0 ? [rejects] : []),
      ...leftAtService(seen),
      ...(work.atService !== undefined && doubtedCreates > 0
        ? [{ file: 'the service', why: doubtedText(doubtedCreates) }]
        : []),
    ],
    outside: outsideText({
      settings,
      contactIds: subject.contactIds.filter((contactId) => !clearedOf(seen).includes(contactId)),
      doubtedCreates: work.atService === undefined ? doubtedCreates : 0,
      copies: others,
      positions: await positionsNaming(messages, state, names),
    }),
    head: await state.logHead(),
  }
}

/**
 * Throws USAGE where no one or more than one person may be meant, SERVICE_UNREACHABLE where the service did not delete the
 * contact (then nothing was erased), STATE_FULL where the state cannot be rewritten. No run is active.
 */
export async function forgetContact(desk: Desk, asked: Asked): Promise<Certificate> {
  const { settings, state } = desk
  completeErasures(desk)
  const { atService: did } = asked
  if (did !== undefined) assertOfService(settings, state.binding)
  const whom = await meant(state, settings, asked.contact)
  desk.ask(whom.subject)
  const { runId } = desk.about(null)
  const work = { ...whom, contact: asked.contact, atService: did, settings, state, id: runId, desk }
  const { contactIds, keys } = whom.subject
  const pipeline = keys[0]?.pipeline ?? null
  const seen = did === undefined ? [] : await eraseAtService(desk, { did, contactIds, pipeline })
  return erase(work, seen)
}

/** Lets an erased person be created again: by mail, or by pipeline and key. Returns how many tombstones were removed. */
export async function readmitContact(desk: Desk, { contact }: { contact: string }): Promise<number> {
  completeErasures(desk)
  const { settings, state } = desk
  const key = contact.replace(/^key:/, '')
  const mail = contact.replace(/^mail:/, '')
  const keys = settings.pipelines.map(({ name }) => ({ pipeline: name, key }))
  const named = { keys, mails: mail.includes('@') ? [mail] : [] }
  const lifted = state.tombstones(named)
  if (lifted === 0) return lifted
  const reason = 'a person who was erased may be imported again'
  await desk.conclude(
    [{ do: 'readmit', named }],
    [planEntry({ action: 'readmit', reason }, desk.about(null))],
  )
  return lifted
}
