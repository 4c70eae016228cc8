// A value that a person sets right for a record, checked by the mapping before it is noted. Part of the composition; the decisions
// are entered into the sync log.
import {
  type Correction,
  droppedText,
  formerCorrection,
  type NewCorrection,
} from '../../core/change/others/correction.ts'
import { isOfUndo } from '../../core/log/audit.ts'
import { correctionEntry } from '../../core/log/other-entries.ts'
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import { acceptedValue, givenText } from '../../core/mapping/fields/accepted-value.ts'
import type { KnownLink } from '../../core/change/diff.ts'
import { isWithheldBy } from '../../core/change/merge-method.ts'
import type { Operation } from '../../core/change/operation.ts'
import type { FieldValue } from '../../core/mapping/contact.ts'
import type { CustomFieldRules } from '../../core/mapping/custom-fields.ts'
import { mappedFields } from '../../core/mapping/optional.ts'
import { loadRuleKit, type RuleKit } from '../../core/mapping/values/rule-kit.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { isBlank } from '../../core/words/blank.ts'
import { SyncError } from '../../core/words/errors.ts'
import { suggestion } from '../../core/words/nearest.ts'
import type { Desk } from '../run/desk.ts'
import { recordMeant } from './record-meant.ts'
import { customFieldsOf, type FieldTexts, readReject } from './rejected-record.ts'

interface Which {
  readonly pipeline: string
  /** A key, FILE:LINE, or the id of a reject; `key:` and `reject:` in front say which. */
  readonly record: string
  readonly fields: FieldTexts
}

/** What `correct` has done. */
export interface Corrected {
  readonly pipeline: string
  readonly key: string
  readonly contact_id: number | null
  readonly fields: FieldTexts
  /** Where its values are taken from: the next run sends them, unless they wait for a file, or for the create of the contact. */
  readonly from: 'reject' | 'contact' | 'create' | 'next_file'
  /** Why the record is still rejected with them; null where it is not. */
  readonly still: string | null
}

function pipelineOf(name: string, { settings }: Desk): PipelineSettings {
  const found = settings.pipelines.find((one) => one.name === name)
  if (found !== undefined) return found
  throw new SyncError('USAGE', `the configuration has no pipeline ${name}`, {
    hint: suggestion(
      name,
      settings.pipelines.map((one) => one.name),
    ),
  })
}

interface Accepting {
  readonly pipeline: PipelineSettings
  readonly customFields: CustomFieldRules
  readonly kit: RuleKit
}

const refusedValue = (field: string, problem: string): SyncError =>
  new SyncError('USAGE', `${field}: the value ${problem}`, {
    hint: 'Give the value as the service is to have it.',
  })

/** The value as it is noted. Throws USAGE for a field that the pipeline does not map, and for a value that its field cannot hold. */
function acceptedText(field: string, text: string, { pipeline, customFields, kit }: Accepting): string {
  const mapped = mappedFields(pipeline)
  const [, mapping] = mapped.find(([name]) => name === field) ?? []
  const names = mapped.map(([name]) => name)
  if (mapping === undefined || acceptedValue(field, '', customFields) === undefined)
    throw new SyncError('USAGE', `${field} is no field that ${pipeline.name} maps`, {
      hint: suggestion(field, names),
    })
  const [owner] = pipeline.owners?.[field] ?? []
  if (owner !== undefined && owner.pipeline !== pipeline.name)
    throw new SyncError('USAGE', `${field} belongs to the pipeline ${owner.pipeline} (owns)`, {
      hint: `Correct it there: contact-sync correct ${owner.pipeline} KEY ${field}=VALUE`,
    })
  const given = givenText(mapping, text, kit)
  if (typeof given !== 'string') throw refusedValue(field, given.problem)
  const check = acceptedValue(field, given, customFields)?.check
  if (check !== undefined && 'problem' in check) throw refusedValue(field, check.problem)
  return given
}

/** So many entries of one contact are looked at. */
const ENTRIES = 500

/** What the sync log has of the record of a contact, the newest first. */
async function entriesOf(
  contactId: number | undefined,
  key: string,
  pipeline: string,
  { state }: Desk,
): Promise<readonly LoggedEntry[]> {
  if (contactId === undefined) return []
  const page = await state.logPage({ contact: `id:${contactId}` }, { order: 'newest', limit: ENTRIES })
  return page.filter((one) => one.pipeline === pipeline && one.key === key)
}

/** Where the record of a contact came from last. */
function lastPlace(entries: readonly LoggedEntry[]) {
  const source = entries.find((one) => (one.source?.line ?? 0) > 0)?.source
  return { file: source?.file, line: source?.line }
}

/** What the last value of the source was, where what was sent last is another one. */
interface SaidBefore {
  /** Undefined where that is not known. */
  readonly said: FieldValue | undefined
  /** When `update_method` withheld it; undefined where an undo has replaced it. */
  readonly withheldAt?: number
}

function saidBefore(sentKey: string, entries: readonly LoggedEntry[]): SaidBefore | undefined {
  const isWithheld = ({ reason }: LoggedEntry): boolean => isWithheldBy(reason, sentKey)
  const about = entries.filter(
    (one) =>
      isWithheld(one) ||
      (one.outcome === 'done' && one.action !== 'correct' && one.field_names.includes(sentKey)),
  )
  const ofSource = about.find((one) => !isOfUndo(one))
  if (ofSource !== undefined && isWithheld(ofSource))
    return { said: undefined, withheldAt: Date.parse(ofSource.at) }
  const [last] = about
  if (last === undefined || !isOfUndo(last)) return undefined
  return { said: ofSource?.fields[sentKey]?.to ?? undefined }
}

/** The newest change of the record that is not done: its source has said that since what was sent last. */
async function waitingChange(key: string, pipeline: string, { state }: Desk): Promise<Operation | undefined> {
  const open = await state.openOf(pipeline, key)
  return open.find(
    ({ cause, kind, undoes }) => cause === 'record' && kind !== 'delete' && undoes === undefined,
  )
}

interface Noting {
  readonly key: string
  readonly link: KnownLink | undefined
  readonly waiting: Operation | undefined
  readonly rejected: Awaited<ReturnType<typeof readReject>> | undefined
  readonly earlier: readonly Correction[]
  readonly entries: readonly LoggedEntry[]
  readonly pipeline: PipelineSettings
  readonly customFields: CustomFieldRules
}

/** A status of the source is not sent before it has evidence. */
const needsEvidence = (sentKey: string, { map }: PipelineSettings): boolean =>
  sentKey === 'mail_status' && map['mail_status']?.require_evidence === true

/** The value that the source's was sent as, or is about to be; '' where the source has none, undefined where nothing is known of it. */
function valueComing(
  sentKey: string,
  before: SaidBefore | undefined,
  noting: Noting,
): FieldValue | undefined {
  const { link, waiting, pipeline } = noting
  // Of a field that was edited at the service the source's value may never have been sent.
  const coming = waiting?.desired[sentKey] ?? link?.edited?.[sentKey]
  if (coming === undefined && before !== undefined) return before.said
  if (coming === undefined && needsEvidence(sentKey, pipeline)) return undefined
  const value = coming ?? link?.fields[sentKey]
  const isWhole =
    waiting === undefined ? link !== undefined && link.isUnfinished !== true : waiting.kind === 'create'
  return value ?? (isWhole ? '' : undefined)
}

/** What the source says about a field, as far as it is known, and what was sent last. */
function sourceOf(field: string, noting: Noting) {
  const { key, link, rejected, earlier, entries, customFields } = noting
  const sentKey = acceptedValue(field, '', customFields)?.key ?? field
  const before = saidBefore(sentKey, entries)
  const was = valueComing(sentKey, before, noting)
  const isSent = ({ value }: Correction, endedAt: number): boolean => {
    if (before?.withheldAt !== undefined) return before.withheldAt <= endedAt
    const check = acceptedValue(field, value, customFields)?.check
    return check !== undefined && 'value' in check && check.value === (was ?? '')
  }
  const former = formerCorrection(earlier, { key, field }, isSent)
  const seen = rejected?.seen(field)?.raw
  const raw = seen === undefined ? former?.raw : { ...former?.raw, ...seen }
  return { last: link?.fields[sentKey], raw, was: former === undefined ? was : former.was }
}

/** What is to be noted for one record. Throws USAGE where the record, a field or a value is none. */
async function prepared(desk: Desk, which: Which, earlier: readonly Correction[]) {
  const pipeline = pipelineOf(which.pipeline, desk)
  const customFields = await customFieldsOf(pipeline, desk)
  const { state, about } = desk
  const writtenAt = about(pipeline.name).at
  const accepting = { pipeline, customFields, kit: await loadRuleKit(pipeline, { writtenAt }) }
  const fields = Object.fromEntries(
    Object.entries(which.fields).map(([field, text]) => [field, acceptedText(field, text, accepting)]),
  )
  const { key, reject } = await recordMeant(which, desk)
  const [known] = await desk.state.known(pipeline.name, [key])
  const link = known?.link
  const contactId = link?.contactId ?? null
  const against = { pipeline, customFields, state, writtenAt }
  const rejected = reject && (await readReject(reject, against))
  const entries = await entriesOf(link?.contactId, key, pipeline.name, desk)
  const place = reject ?? lastPlace(entries)
  const own = earlier.filter((one) => one.pipeline === pipeline.name)
  const waiting = await waitingChange(key, pipeline.name, desk)
  const noting = { key, link, waiting, rejected, earlier: own, entries, pipeline, customFields }
  const noted = Object.entries(fields).map(([field, value]) => {
    const { last, raw, was } = sourceOf(field, noting)
    const correction: NewCorrection = {
      ...{ pipeline: pipeline.name, key, field, value, raw, was },
      ...{ file: place.file, line: place.line, ...desk.decided },
    }
    return { correction, change: [field, { from: last ?? null, to: value }] as const }
  })
  const entry = correctionEntry(
    { key, contactId, fields: Object.fromEntries(noted.map(({ change }) => change)) },
    desk.about(pipeline.name),
  )
  const unlinked = waiting?.kind === 'create' ? 'create' : 'next_file'
  const from = reject === undefined ? (link === undefined ? unlinked : 'contact') : 'reject'
  const corrected: Corrected = {
    ...{ pipeline: pipeline.name, key, contact_id: contactId, fields, from },
    still: rejected?.still(fields) ?? null,
  }
  return { corrections: noted.map(({ correction }) => correction), entry, corrected }
}

/**
 * Notes values that are right for a record, in place of what its source says: the next run sends them, and they hold until the
 * source says something else. Throws USAGE where the record, a field or a value is none.
 */
export async function correctRecord(desk: Desk, which: Which): Promise<Corrected> {
  const earlier = await desk.state.allCorrections([which.pipeline])
  const { corrections, entry, corrected } = await prepared(desk, which, earlier)
  await desk.conclude([{ do: 'correct', corrections }], [entry])
  return corrected
}

export interface DroppedCorrections {
  readonly dropped: readonly (Pick<Correction, 'id' | 'pipeline' | 'key' | 'field'> & {
    /** The run that planned a change which waits and has the value: it is sent with that. */
    readonly waits_in: string | null
  })[]
}

/** How a correction stands in what is known and planned of its record: under the name that its field has in a contact. */
async function standingOf({ pipeline: name, key, field, value, was }: Correction, desk: Desk) {
  const pipeline = pipelineOf(name, desk)
  const accepted = acceptedValue(field, value, await customFieldsOf(pipeline, desk))
  if (accepted === undefined || !('value' in accepted.check)) return { waitsIn: null }
  const corrected = accepted.check.value
  const waiting = await waitingChange(key, name, desk)
  const [, rule] = mappedFields(pipeline).find(([mapped]) => mapped === field) ?? []
  const isLeftAlone = isBlank(was) && (rule?.blank ?? pipeline.blank) === 'keep'
  return {
    waitsIn: waiting?.fields[accepted.key] === corrected ? waiting.runId : null,
    edit: { field: accepted.key, corrected, said: isLeftAlone ? undefined : was },
  }
}

/**
 * The source's own value counts again from its next file on; an edit at the service that is kept holds that back at once. Throws USAGE
 * where no such correction holds.
 */
export async function dropCorrection(desk: Desk, { id }: { id: number }): Promise<DroppedCorrections> {
  const names = desk.settings.pipelines.map(({ name }) => name)
  const found = (await desk.state.allCorrections(names)).find(
    (one) => one.id === id && one.ended === undefined,
  )
  if (found === undefined)
    throw new SyncError('USAGE', `no correction ${id} holds`, { hint: 'See contact-sync corrections list.' })
  const { pipeline, key, field } = found
  const why = droppedText(desk.decided.by)
  const { waitsIn, edit } = await standingOf(found, desk)
  const entry = correctionEntry(
    {
      ...{ key, contactId: null, fields: { [field]: { from: found.value, to: found.was ?? '' } } },
      ended: `correction ${id} of ${field}: ${why}`,
    },
    desk.about(pipeline),
  )
  const dropped = { pipeline, key, field, ...(edit === undefined ? {} : { edit }) }
  await desk.conclude([{ do: 'drop_corrections', corrections: [dropped], why }], [entry])
  return { dropped: [{ id, pipeline, key, field, waits_in: waitsIn }] }
}

/** What is taken in of a file of corrections. */
export interface ImportedCorrection extends Which {
  readonly note?: string | undefined
}

export interface Imported {
  readonly taken: number
  /** Held already in just this form. */
  readonly same: number
  readonly refused: readonly { readonly row: number; readonly reason: string }[]
}

function withNote(desk: Desk, note: string | undefined): Desk {
  if (note === undefined) return desk
  const decided = { ...desk.decided, note }
  return { ...desk, decided, about: (pipeline) => ({ ...desk.about(pipeline), decided }) }
}

/** A row that is refused stops no other; those that are taken are so together. */
export async function importCorrections(
  desk: Desk,
  { rows }: { rows: readonly ImportedCorrection[] },
): Promise<Imported> {
  const names = desk.settings.pipelines.map(({ name }) => name)
  const earlier = await desk.state.allCorrections(names)
  const open = earlier.filter(({ ended }) => ended === undefined)
  const isSame = ({ pipeline, record, fields }: ImportedCorrection): boolean =>
    Object.entries(fields).every(([field, value]) =>
      open.some(
        (one) =>
          one.pipeline === pipeline &&
          `key:${one.key}` === record &&
          one.field === field &&
          one.value === value,
      ),
    )
  const refused: { row: number; reason: string }[] = []
  const found: Awaited<ReturnType<typeof prepared>>[] = []
  let same = 0
  for (const [index, row] of rows.entries()) {
    if (isSame(row)) {
      same += 1
      continue
    }
    try {
      found.push(await prepared(withNote(desk, row.note), row, earlier))
    } catch (error) {
      if (!(error instanceof SyncError)) throw error
      refused.push({ row: index + 1, reason: error.message })
    }
  }
  const corrections = found.flatMap((one) => one.corrections)
  await desk.conclude(
    [{ do: 'correct', corrections }],
    found.map(({ entry }) => entry),
  )
  return { taken: found.length, same, refused }
}
