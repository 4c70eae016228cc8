// What only a whole input tells, over the state in memory: rejects that give way, shared mails, who is missing, and which older
// changes its records take the place of.
import { endedRejects } from '../../../src/core/outcome/ended-rejects.ts'
import { isRepair } from '../../../src/core/change/others/repair.ts'
import { JUDGED_AGAIN, OVERTAKABLE } from '../../../src/core/change/states.ts'
import { sendingOrder } from '../../../src/core/change/steps.ts'
import type { MissingRules } from '../../../src/core/state.ts'
import {
  type Input,
  isIn,
  isKeyed,
  type Link,
  linkOf,
  linksWhere,
  type Row,
  rowsWhere,
  type Tables,
  NEW_ROW,
} from './tables.ts'

/** The line of the accepted record of the input that has the key. */
function acceptedLine(tables: Tables, { seen, pipeline }: Input, key: string): number | undefined {
  const link = linkOf(tables, pipeline, key)
  return seen.keys.get(key) ?? (link === undefined ? undefined : seen.links.get(link.id))
}

export function yieldRejects(tables: Tables, input: Input, keep: 'first' | 'last'): number {
  let dropped = 0
  for (const reject of [...tables.rejects.values()]) {
    const { key, inputId, code, record } = reject
    if (inputId !== input.id || key === undefined || code === 'KEY_DUPLICATE') continue
    const line = acceptedLine(tables, input, key)
    if (line === undefined) continue
    if (keep === 'first') {
      reject.code = 'KEY_DUPLICATE'
      reject.reason += `; key: the record on line ${line} has the same key and was accepted`
    } else if (record.source.line < line) {
      tables.rejects.delete(reject.id)
      dropped += 1
    }
  }
  return dropped
}

const WHY = 'and under duplicate_check_method: email the service would merge them'
const MOST_LINES = 5

export const isPlannedOf = (input: Pick<Input, 'id'>, row: Row): boolean =>
  row.inputId === input.id && row.state === 'planned'

/** Why the service would merge a create into another record of its mail. */
function sharedMailReason(tables: Tables, create: Row, takers: readonly Row[]): string | undefined {
  const { pipeline, mailKey, key } = create
  const alike = takers
    .filter((row) => row.mailKey === mailKey)
    .sort((one, other) => one.record.source.line - other.record.source.line || one.id - other.id)
  if (alike.length > 1) {
    const others = alike.slice(0, MOST_LINES + 1).filter((row) => row.id !== create.id)
    const lines = [...new Set(others.map((row) => row.record.source.line))].slice(0, MOST_LINES)
    return `the same e-mail address as on line ${lines.join(', ')}, ${WHY}`
  }
  const ofPipeline = rowsWhere(tables, (row) => row.pipeline === pipeline)
  const isMoving = (link: Link): boolean =>
    ofPipeline.some(
      (row) =>
        row.key === link.key &&
        row.state === 'planned' &&
        (row.mailKey !== undefined || row.fields['mail'] === '') &&
        row.mailKey !== link.mailKey &&
        isKeyed(row),
    )
  const owner = linksWhere(
    tables,
    (link) => link.pipeline === pipeline && link.mailKey === mailKey && !isMoving(link),
  )[0]
  if (owner !== undefined) return `the e-mail address belongs to key ${owner.key} of this pipeline, ${WHY}`
  const doubt = ofPipeline.find(
    (row) => row.mailKey === mailKey && row.state === 'in_doubt' && row.key !== key,
  )
  return doubt === undefined
    ? undefined
    : `a create with this e-mail address, of key ${doubt.key}, is in doubt, ${WHY}`
}

export function holdSharedMails(tables: Tables, input: Input): number {
  const takers = rowsWhere(
    tables,
    (row) => isPlannedOf(input, row) && ['create', 'update'].includes(row.kind) && row.mailKey !== undefined,
  )
  const reasons = takers
    .filter(({ kind }) => kind === 'create')
    .flatMap((create) => {
      const reason = sharedMailReason(tables, create, takers)
      return reason === undefined ? [] : [{ create, reason }]
    })
  for (const { create, reason } of reasons) Object.assign(create, { state: 'held', reason })
  return reasons.length
}

/** `isOne`: which of the planned creates are lowered. */
export function lowerWithinAddress(tables: Tables, pipeline: string, isOne: (row: Row) => boolean): void {
  const creates = rowsWhere(tables, (row) => row.pipeline === pipeline && row.kind === 'create')
  const planned = rowsWhere(tables, (row) => row.pipeline === pipeline && row.state === 'planned')
  const isPlannedAnew = ({ key }: Row): boolean => planned.some((row) => row.key === key)
  const withdrawn = creates.filter(
    (row) => (row.consent === 1 || row.consent === 2) && !(isIn(OVERTAKABLE, row) && isPlannedAnew(row)),
  )
  const lowered = creates.flatMap((row) => {
    if (row.state !== 'planned' || row.contactId !== undefined || !isOne(row)) return []
    const statuses = withdrawn.flatMap(({ mailKey, consent }) =>
      mailKey !== undefined && mailKey === row.mailKey ? [consent ?? Infinity] : [],
    )
    return statuses.length === 0 ? [] : [{ row, consent: Math.min(...statuses, row.consent ?? Infinity) }]
  })
  for (const { row, consent } of lowered) row.consent = consent
}

const isSeen = ({ seen }: Input, { id, key }: Link): boolean =>
  seen.links.has(id) || seen.keys.has(key) || seen.skipped.has(key)

const countsFor = (link: Link, input: Input, { at, apartMs }: { at: number; apartMs: number }): boolean =>
  link.missingIn !== input.input.version && (link.missingAt === undefined || at >= link.missingAt + apartMs)

/** Whether the record of the link is in its source, or may be. */
export const mayBeNamed = ({ rejects }: Tables, link: Link): boolean =>
  !link.gone &&
  (link.missing === 0 ||
    [...rejects.values()].some((reject) => reject.pipeline === link.pipeline && reject.key === undefined))

function missingChange(
  tables: Tables,
  link: Link,
  rules: MissingRules,
): Pick<Row, 'kind' | 'terms'> | undefined {
  const remove = (link.terms ?? []).filter(({ ours }) => ours || rules.takesAllTerms).map(({ name }) => name)
  const isNamedElsewhere =
    linksWhere(
      tables,
      (other) =>
        other.contactId === link.contactId && other.pipeline !== link.pipeline && mayBeNamed(tables, other),
    ).length > 0
  if (rules.onMissing === 'delete' && !isNamedElsewhere) return { kind: 'delete', terms: undefined }
  return remove.length === 0 ? undefined : { kind: 'terms', terms: { add: [], asserts: [], remove } }
}

export function stageMissing(tables: Tables, input: Input, rules: MissingRules): void {
  const newMails = new Set(
    rowsWhere(tables, (row) => row.inputId === input.id && row.kind === 'create').map((row) => row.mailKey),
  )
  for (const link of linksWhere(tables, ({ pipeline }) => pipeline === input.pipeline)) {
    const isRekeyed = link.mailKey !== undefined && newMails.has(link.mailKey)
    if (isSeen(input, link) || isRekeyed) continue
    if (link.missing + (countsFor(link, input, rules) ? 1 : 0) < rules.missingIn) continue
    const change = missingChange(tables, link, rules)
    if (change === undefined) continue
    const id = tables.nextOperation()
    const source = { file: input.input.name, line: 0 }
    tables.operations.set(id, {
      ...NEW_ROW,
      ...change,
      id,
      inputId: input.id,
      runId: input.runId,
      pipeline: link.pipeline,
      key: link.key,
      record: { source, values: [], text: undefined, fingerprint: '' },
      cause: 'missing',
      undoes: undefined,
      desired: {},
      linkId: link.id,
      contactId: link.contactId,
      mailKey: undefined,
      fields: {},
      consent: undefined,
      state: 'planned',
      order: sendingOrder(change.kind),
      reason: undefined,
    })
  }
}

export function countMissing(tables: Tables, input: Input, rules: { at: number; apartMs: number }): void {
  for (const link of linksWhere(tables, ({ pipeline }) => pipeline === input.pipeline)) {
    if (isSeen(input, link)) Object.assign(link, { missing: 0, missingIn: undefined, missingAt: undefined })
    else if (countsFor(link, input, rules)) {
      link.missing += 1
      link.missingIn = input.input.version
      link.missingAt = rules.at
    }
    if (link.missing > 0 && (link.missingAt ?? 0) > rules.at) link.missingAt = rules.at
  }
}

export function dropRejects(
  tables: Tables,
  isOver: (reject: Tables['rejects'] extends Map<number, infer R> ? R : never) => boolean,
): void {
  for (const reject of [...tables.rejects.values()]) if (isOver(reject)) tables.rejects.delete(reject.id)
}

export function dropReread(tables: Tables, { id, pipeline, seen }: Input): void {
  const earlier = [...tables.rejects.values()].filter(
    (reject) => reject.pipeline === pipeline && reject.inputId < id,
  )
  const placed = earlier.map(({ id: own, reason, record, header }) => ({
    id: own,
    ...record.source,
    reason,
    values: () => Object.fromEntries(header.map((name, at) => [name, record.values[at] ?? ''])),
  }))
  const over = endedRejects(seen.reread, placed)
  dropRejects(tables, (reject) => over.has(reject.id))
}

export const dropRows = (tables: Tables, isOver: (row: Row) => boolean): void => {
  for (const row of rowsWhere(tables, isOver)) tables.operations.delete(row.id)
}

export const sameRecord = (one: object, other: object): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** The parts of a record that a reject is given back with. */
const kept = ({ record: { values, text, rows } }: { record: Row['record'] }) => ({ values, text, rows })

export function supersede(tables: Tables, input: Input): void {
  const { id, pipeline, seen } = input
  const isClaimed = (key: string): boolean => {
    const link = linkOf(tables, pipeline, key)
    return link !== undefined && seen.links.has(link.id)
  }
  const mine = [...tables.rejects.values()].filter(({ inputId }) => inputId === id)
  dropRejects(
    tables,
    (reject) =>
      reject.pipeline === pipeline &&
      reject.inputId !== id &&
      (reject.key === undefined
        ? mine.some((one) => sameRecord(kept(one), kept(reject)))
        : mine.some(({ key }) => key === reject.key) || isClaimed(reject.key)),
  )
  const newer = rowsWhere(tables, (row) => row.pipeline === pipeline && row.inputId === id && isKeyed(row))
  const isOvertaken = (row: Row): boolean =>
    newer.some(
      ({ key, undoes }) =>
        key === row.key && (undoes === undefined || (undoes === row.undoes && !isRepair(row))),
    )
  dropRows(
    tables,
    (row) =>
      row.pipeline === pipeline &&
      isIn(OVERTAKABLE, row) &&
      row.inputId !== id &&
      (isOvertaken(row) ||
        seen.keys.has(row.key) ||
        (!isRepair(row) && isClaimed(row.key)) ||
        (row.cause === 'missing' && seen.skipped.has(row.key))),
  )
  // A record of which something was put back is compared again.
  const isPutBack = (row: Row): boolean =>
    newer.some(({ key, undoes }) => key === row.key && undoes !== undefined)
  const open = rowsWhere(
    tables,
    (row) => row.pipeline === pipeline && isIn(OVERTAKABLE, row) && row.inputId !== id,
  )
  for (const row of open)
    if (row.undoes === undefined && isPutBack(row)) row.record = { ...row.record, fingerprint: '' }
}

export function dropWhatAFullInputLacks(
  tables: Tables,
  { id, pipeline, seen }: Input,
  isLast: boolean,
): void {
  const mine = [...tables.rejects.values()].filter(({ inputId }) => inputId === id)
  const isRepairOfClaimed = (row: Row): boolean => {
    const link = linkOf(tables, pipeline, row.key)
    return isRepair(row) && link !== undefined && seen.links.has(link.id)
  }
  const isOwed = (row: Row): boolean =>
    (row.kind === 'consent' || row.kind === 'delete') &&
    row.linkId !== undefined &&
    tables.links.get(row.linkId)?.fresh === true
  dropRows(
    tables,
    (row) =>
      row.pipeline === pipeline &&
      isIn(OVERTAKABLE, row) &&
      row.inputId !== id &&
      row.cause === 'record' &&
      !isOwed(row) &&
      !isRepairOfClaimed(row) &&
      !mine.some(({ key }) => key === undefined || key === row.key),
  )
  dropRejects(tables, (reject) => reject.pipeline === pipeline && reject.inputId !== id)
  if (!isLast) return
  dropRows(
    tables,
    (row) =>
      row.pipeline === pipeline && isIn(JUDGED_AGAIN, row) && row.inputId !== id && row.cause === 'missing',
  )
}
