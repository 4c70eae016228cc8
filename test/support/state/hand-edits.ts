// Edits made by hand, over the state in memory: what was sent to contacts, and which values of theirs are kept.
import {
  assertedOnceReleased,
  type HandEditStore,
  type JudgedEdits,
  keptAtCreate,
  openAfterTerms,
} from '../../../src/core/change/others/hand-edits.ts'
import type { Settled } from '../../../src/core/change/operation.ts'
import { stepFields } from '../../../src/core/change/steps.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'
import { byId, linkOf, linksWhere, type Sent, type Tables } from './tables.ts'

const sentTo = ({ sent }: Tables, id: number): Sent => sent.get(id) ?? { last: {}, open: [] }

function put({ sent }: Tables, id: number, { last, open }: Sent): void {
  if (Object.keys(last).length + open.length === 0) sent.delete(id)
  else sent.set(id, { last, open })
}

export function addAttempts(tables: Tables, id: number, fields: Contact): void {
  const { last, open } = sentTo(tables, id)
  const isThere = (pair: readonly unknown[]): boolean =>
    open.some((one) => JSON.stringify(one) === JSON.stringify(pair))
  put(tables, id, { last, open: [...open, ...Object.entries(fields).filter((pair) => !isThere(pair))] })
}

/** Of a contact, the fields that another has as well, with another value. */
const common = (contact: Contact, other: Contact): Contact =>
  Object.fromEntries(
    Object.entries(contact).filter(
      ([field, value]) =>
        Object.hasOwn(other, field) && JSON.stringify(value) !== JSON.stringify(other[field]),
    ),
  )

/** What other pipelines sent to the contact of a create or an update before; undefined where none has it. */
export function sentByOthers(tables: Tables, { operation, settlement }: Settled) {
  const { kind, pipeline } = operation
  if (kind !== 'update' && kind !== 'create') return undefined
  const contactId = 'contactId' in settlement ? settlement.contactId : operation.contactId
  if (contactId === undefined) return undefined
  const others = linksWhere(tables, (link) => link.contactId === contactId && link.pipeline !== pipeline)
  if (others.length === 0) return undefined
  return { last: sentTo(tables, contactId).last, pushed: others.sort(byId).map(({ known }) => known) }
}

/** What a step sent, where the contact has other links or an attempt is noted. */
export function noteSent(tables: Tables, settled: Settled): void {
  const { operation, settlement, sent, status, terms, onlyAdds } = settled
  const { kind, pipeline } = operation
  if (settlement.kind === 'done' && terms !== undefined) {
    const { last, open } = sentTo(tables, settlement.contactId)
    put(tables, settlement.contactId, { last, open: [...openAfterTerms(open, terms)] })
  }
  const foundId = settlement.kind === 'settled' ? (settlement.contactId ?? operation.contactId) : undefined
  if (kind === 'create' && operation.sent > 0 && foundId !== undefined)
    addAttempts(tables, foundId, operation.fields)
  if (settlement.kind !== 'done' || kind === 'terms' || kind === 'delete' || status === 'ignored') return
  const { mail_status: _, ...fields } = sent ?? stepFields(operation)
  const id = settlement.contactId
  if (Object.keys(fields).length === 0) return
  const isShared =
    linksWhere(tables, (link) => link.contactId === id && link.pipeline !== pipeline).length > 0
  if (!isShared && !tables.sent.has(id)) return
  const { last, open } = sentTo(tables, id)
  const left = open.filter(([field]) => kind === 'create' || !Object.hasOwn(fields, field))
  const others = linksWhere(tables, (link) => link.contactId === id && link.pipeline !== pipeline)
  const earlier = kind === 'create' ? [...others.sort(byId).map(({ known }) => known), last] : []
  const stays = onlyAdds === true ? keptAtCreate(fields, earlier) : {}
  put(tables, id, { last: isShared ? { ...last, ...fields, ...stays } : {}, open: left })
  for (const contact of earlier) addAttempts(tables, id, common(contact, fields))
  addAttempts(tables, id, common(fields, stays))
}

export function keepEdits(tables: Tables, judgedEdits: JudgedEdits, at: number): void {
  const { pipeline, key, contactId, judged, open } = judgedEdits
  const isOfRecord = (one: { pipeline: string; key: string }) => one.pipeline === pipeline && one.key === key
  const before = tables.edits.filter(isOfRecord)
  const now = open.map((edit) => {
    const known = before.find(({ field }) => field === edit.field)
    const isSame = known !== undefined && JSON.stringify(known.service) === JSON.stringify(edit.service)
    const source = edit.source ?? known?.source ?? null
    return { ...edit, source, pipeline, key, contactId, since: isSame ? known.since : at, lookedAt: at }
  })
  const names = [...judged, ...open.map(({ field }) => field)]
  tables.edits = [
    ...tables.edits.filter((one) => !isOfRecord(one) || !names.includes(one.field)),
    ...now,
  ].sort((one, other) =>
    [one.pipeline, one.key, one.field].join('\0') < [other.pipeline, other.key, other.field].join('\0')
      ? -1
      : 1,
  )
}

export function forgetEdits(
  tables: Tables,
  of: { pipeline: string; key: string; contactId: number | undefined },
): void {
  tables.edits = tables.edits.filter(({ pipeline, key }) => pipeline !== of.pipeline || key !== of.key)
  const id = of.contactId
  if (id !== undefined && linksWhere(tables, (link) => link.contactId === id).length === 0)
    tables.sent.delete(id)
}

/** Its terms are compared again when its record comes again. */
function compareTerms(
  tables: Tables,
  { pipeline, key, field }: { pipeline: string; key: string; field: string },
): void {
  const link = linkOf(tables, pipeline, key)
  if (link === undefined) return
  link.fingerprint = undefined
  link.terms = assertedOnceReleased(link.terms ?? [], field)
}

export function memoryHandEdits(tables: Tables): HandEditStore {
  return {
    sentValues: async (ids) =>
      ids.map((id) => ({
        ...sentTo(tables, id),
        pushed: linksWhere(tables, (link) => link.contactId === id)
          .sort(byId)
          .map(({ known }) => known),
      })),
    keepEdits: async (judged, at) => keepEdits(tables, judged, at),
    async editsToLookAt(pipeline, { before, now, after = '', limit }) {
      const mine = tables.edits.filter(
        (one) => one.pipeline === pipeline && one.key > after && !one.field.startsWith('term '),
      )
      const due = mine.filter(({ lookedAt }) => lookedAt < before || lookedAt > now).map(({ key }) => key)
      return [...new Set(due)].slice(0, limit).map((key) => {
        const edits = mine.filter((one) => one.key === key)
        const fields = edits.map(({ field, source }) => ({ field, source }))
        return { key, contactId: edits[0]?.contactId ?? 0, fields }
      })
    },
    openEdits: async (pipelines) =>
      tables.edits
        .filter(({ pipeline }) => pipelines.includes(pipeline))
        .map(({ lookedAt, ...edit }) => (lookedAt === 0 ? { ...edit, isReleased: true } : edit)),
    async releaseEdits({ pipeline, key, field }) {
      const found = tables.edits.filter(
        (one) => one.pipeline === pipeline && one.key === key && (field === undefined || one.field === field),
      )
      for (const one of found) {
        addAttempts(tables, one.contactId, { [one.field]: one.service })
        one.lookedAt = 0
        if (one.field.startsWith('term ')) compareTerms(tables, one)
      }
      return found.length
    },
  }
}
