// What the state knows of the keys in a batch: their links with the ledger of terms, and what is open about them.
import type { Known, KnownLink, MergedCreate } from '../../../core/change/diff.ts'
import type { RunState } from '../../../core/run-state.ts'
import type { StateLists } from '../../../core/state.ts'
import { type AssertedTerm, termKey } from '../../../core/mapping/terms.ts'
import type { Connection } from '../../file/database.ts'
import { isKeyed } from '../../file/state-sets.ts'
import { parseAssertions, parseContact, parseUnsure, parseValue } from '../rows.ts'

interface MergedRow {
  contact_id: number
  fields: string
  consent: number | null
  reason: string | null
}

/** Held for what the service did, and another key has the contact: by a link, or by a create that was merged into it as well. */
const MERGED_CREATE = `
SELECT contact_id, fields, consent, reason FROM operation WHERE pipeline = ? AND key = ? AND ${isKeyed('operation')}
  AND state <> 'planned' AND state = 'held' AND kind = 'create' AND guard IS NULL AND contact_id IS NOT NULL
  AND (EXISTS (SELECT 1 FROM link WHERE link.contact_id = operation.contact_id AND link.pipeline = operation.pipeline AND link.gone = 0)
    OR EXISTS (SELECT 1 FROM operation AS other WHERE other.pipeline = operation.pipeline AND other.state <> 'planned' AND other.state = 'held'
      AND other.kind = 'create' AND other.contact_id = operation.contact_id AND other.key <> operation.key))
ORDER BY id DESC LIMIT 1`

const mergedCreate = ({ contact_id: contactId, fields, consent, reason }: MergedRow): MergedCreate => ({
  contactId,
  fields: parseContact(fields),
  ...(consent === null ? {} : { consent }),
  reason: reason ?? '',
})

interface KnownRow {
  id: number
  contact_id: number
  known: string
  unsure: string | null
  terms: string | null
  gone: number
  settled: number
}

/** The keys of the terms that other links, of any pipeline, assert for this contact. */
export function createTermsOfOthers(
  db: Connection,
): (contactId: number, linkId: number) => ReadonlySet<string> {
  const others = db
    .prepare<[number, number], string>(
      'SELECT terms FROM link WHERE contact_id = ? AND id <> ? AND terms IS NOT NULL',
    )
    .pluck()
  return (contactId, linkId) =>
    new Set(
      others
        .all(contactId, linkId)
        .flatMap((json) => (parseAssertions(json) ?? []).map(({ name }) => termKey(name))),
    )
}

function createAsserted(db: Connection) {
  const termsOfOthers = createTermsOfOthers(db)
  return (row: KnownRow): readonly AssertedTerm[] | undefined => {
    const asserted = parseAssertions(row.terms)
    if (asserted === undefined || asserted.length === 0) return asserted
    const others = termsOfOthers(row.contact_id, row.id)
    return asserted.map((term) => ({ ...term, shared: others.has(termKey(term.name)) }))
  }
}

export function createLinkedKeys(db: Connection): StateLists['linkedKeys'] {
  const keys = db
    .prepare<[string, string, number], string>(
      'SELECT key FROM link WHERE pipeline = ? AND key > ? ORDER BY key LIMIT ?',
    )
    .pluck()
  return async (pipeline, { after = '', limit }) => keys.all(pipeline, after, limit)
}

/** The edits that are kept; most pipelines have none, which is asked once for all keys. */
function createEdited(db: Connection): (pipeline: string) => (key: string) => Pick<KnownLink, 'edited'> {
  const any = db.prepare<[string], number>('SELECT 1 FROM hand_edit WHERE pipeline = ? LIMIT 1').pluck()
  const ofKey = db.prepare<[string, string], { field: string; source: string | null }>(
    'SELECT field, source FROM hand_edit WHERE pipeline = ? AND key = ? ORDER BY field',
  )
  return (pipeline) => {
    if (any.get(pipeline) === undefined) return () => ({})
    return (key) => {
      const rows = ofKey.all(pipeline, key)
      if (rows.length === 0) return {}
      return { edited: Object.fromEntries(rows.map(({ field, source }) => [field, parseValue(source)])) }
    }
  }
}

export function createKnown(db: Connection): RunState['known'] {
  const link = db.prepare<[string, string], KnownRow>(
    `SELECT id, contact_id, known, unsure, terms, gone,
       EXISTS (SELECT 1 FROM fingerprint WHERE fingerprint.pipeline = link.pipeline AND link_id = link.id) AS settled
     FROM link WHERE pipeline = ? AND key = ?`,
  )
  const anyLink = db.prepare<[string], number>('SELECT 1 FROM link WHERE pipeline = ? LIMIT 1').pluck()
  const asserted = createAsserted(db)
  const open = (state: 'in_doubt' | 'held', further: string) =>
    `SELECT 1 FROM operation WHERE pipeline = ? AND state <> 'planned' AND state = '${state}' ${further} LIMIT 1`
  const anyDoubt = db.prepare<[string], number>(open('in_doubt', '')).pluck()
  const doubt = db
    .prepare<[string, string], number>(open('in_doubt', `AND key = ? AND ${isKeyed('operation')}`))
    .pluck()
  const anyHeld = db.prepare<[string], number>(open('held', "AND kind = 'create'")).pluck()
  const merged = db
    .prepare<[string, number, string], number>(
      open('held', "AND kind = 'create' AND contact_id = ? AND key <> ?"),
    )
    .pluck()
  const mergedCreates = db.prepare<[string, string], MergedRow>(MERGED_CREATE)
  const editedOf = createEdited(db)
  const knownOf = (pipeline: string, keys: readonly string[]): Known[] => {
    const hasLinks = anyLink.get(pipeline) !== undefined
    const hasDoubts = anyDoubt.get(pipeline) !== undefined
    const hasHeld = anyHeld.get(pipeline) !== undefined
    const edited = editedOf(pipeline)
    const linkOf = (row: KnownRow, key: string): KnownLink => ({
      id: row.id,
      contactId: row.contact_id,
      fields: parseContact(row.known),
      unsure: parseUnsure(row.unsure),
      terms: asserted(row),
      gone: row.gone === 1,
      merged: hasHeld && merged.get(pipeline, row.contact_id, key) !== undefined,
      ...edited(key),
      ...(row.settled === 1 ? {} : { isUnfinished: true }),
    })
    const asked = keys.map((key) => ({
      key,
      row: hasLinks ? link.later(pipeline, key) : undefined,
      doubt: hasDoubts ? doubt.later(pipeline, key) : undefined,
      create: hasHeld ? mergedCreates.later(pipeline, key) : undefined,
    }))
    return asked.map(({ key, row, doubt: open, create }): Known => {
      const found = row?.()
      const before = create?.()
      return {
        link: found && linkOf(found, key),
        inDoubt: open?.() !== undefined,
        ...(found !== undefined || before === undefined ? {} : { mergedCreate: mergedCreate(before) }),
      }
    })
  }
  // Each statement outside of a transaction takes and gives back the locks of the file.
  const inOne = db.transaction(knownOf)
  return async (pipeline, keys) => inOne(pipeline, keys)
}
