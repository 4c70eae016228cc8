// The moment before a request leaves: from here on the state no longer claims to know what the request is about to
// change. If the answer gets lost, the next comparison sends it again, whatever the source says by then.
import type { LinkedOperation, Operation } from '../../core/change/operation.ts'
import { stepFields } from '../../core/change/steps.ts'
import type { Marking } from '../../core/run-state.ts'
import type { TermMark } from '../../core/state.ts'
import { termKey } from '../../core/mapping/terms.ts'
import type { Connection } from '../file/database.ts'
import { createNoteAttempt } from './contacts/hand-edits.ts'
import { assertionsJson, parseAssertions, parseUnsure, unsureJson } from './rows.ts'

interface LinkRow {
  id: number
  pipeline: string
  unsure: string | null
  terms: string | null
}

function withMarks(json: string | null, marks: readonly TermMark[]): string {
  const asserted = parseAssertions(json) ?? []
  const marked = new Set(marks.map(({ name }) => termKey(name)))
  const untouched = asserted.filter(({ name }) => !marked.has(termKey(name)))
  const touched = marks.map(({ name, ours }) => {
    const before = asserted.find((term) => termKey(term.name) === termKey(name))
    return { name: before?.name ?? name, ours: ours || before?.ours === true, unsure: true }
  })
  return assertionsJson([...untouched, ...touched])
}

// How often it was missing before proves nothing about the request that is sent now.
const SENT = `operation SET state = 'sending', sent = sent + 1, absent_reads = 0, fresh = ?, carried = coalesce(?, carried)`

/** Creates that leave together rarely differ in what is noted: those that do not are noted at once. */
function createMarkCreates(db: Connection): (creates: readonly Operation[]) => void {
  // What fails ends the whole transaction: SQLite need not copy each page before it writes, to undo one statement.
  const send = db.prepare(
    `UPDATE OR FAIL ${SENT} WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
  )
  return (creates) => {
    const alike = new Map<string, Operation[]>()
    for (const create of creates) {
      const notes = `${create.isFresh} ${create.carried}`
      const group = alike.get(notes)
      if (group === undefined) alike.set(notes, [create])
      else group.push(create)
    }
    for (const group of alike.values()) {
      const [first] = group
      if (first === undefined) continue
      send.run(first.isFresh ? 1 : 0, first.carried ?? null, JSON.stringify(group.map(({ id }) => id)))
    }
  }
}

function createMarkLinked(db: Connection): (operation: LinkedOperation, marks: readonly TermMark[]) => void {
  const send = db.prepare(`UPDATE ${SENT}, terms = coalesce(?, terms) WHERE id = ?`)
  const linkOf = db.prepare<[number], LinkRow>(
    'SELECT link.id, link.pipeline, unsure, link.terms FROM link JOIN operation ON link_id = link.id WHERE operation.id = ?',
  )
  const doubtFields = db.prepare('UPDATE link SET unsure = ? WHERE id = ?')
  const doubtTerms = db.prepare('UPDATE link SET terms = ? WHERE id = ?')
  const unsettle = db.prepare('DELETE FROM fingerprint WHERE pipeline = ? AND link_id = ?')
  return (operation, marks) => {
    // As they are now on their way: what `replace` takes away is known only after a look.
    const terms = operation.kind === 'terms' ? operation.terms : undefined
    const { isFresh, carried = null, id } = operation
    send.run(isFresh ? 1 : 0, carried, terms === undefined ? null : JSON.stringify(terms), id)
    const link = linkOf.get(id)
    if (link === undefined) return
    unsettle.run(link.pipeline, link.id)
    const fields = operation.kind === 'update' || operation.kind === 'consent' ? stepFields(operation) : {}
    const unsure = new Set([...parseUnsure(link.unsure), ...Object.keys(fields)])
    doubtFields.run(unsureJson([...unsure]), link.id)
    if (marks.length > 0) doubtTerms.run(withMarks(link.terms, marks), link.id)
  }
}

/** Within a transaction of the caller. */
export function createMarkSending(db: Connection): (marking: Marking) => void {
  const markCreates = createMarkCreates(db)
  const markLinked = createMarkLinked(db)
  const noteAttempt = createNoteAttempt(db)
  return ({ operations, terms = [], attempt }) => {
    if (attempt !== undefined) noteAttempt(attempt.contactId, attempt.fields)
    markCreates(operations.filter(({ kind }) => kind === 'create'))
    for (const operation of operations) if (operation.kind !== 'create') markLinked(operation, terms)
  }
}
