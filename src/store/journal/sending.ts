// The moment before a request leaves: from here on the state no longer claims to know what the request is about to
// change. If the answer gets lost, the next comparison sends it again, whatever the source says by then.
import type { Operation } from '../../core/change/operation.ts'
import { stepFields } from '../../core/change/steps.ts'
import type { OperationStore, TermMark } from '../../core/state.ts'
import { termKey } from '../../core/mapping/terms.ts'
import type { Connection } from '../file/database.ts'
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

export function createMarkSending(db: Connection): OperationStore['markSending'] {
  const send = db.prepare(
    // How often it was missing before says nothing about the request that leaves now.
    "UPDATE operation SET state = 'sending', sent = sent + 1, absent_reads = 0, terms = coalesce(?, terms), fresh = ?, carried = coalesce(?, carried) WHERE id = ?",
  )
  const linkOf = db.prepare<[number], LinkRow>(
    'SELECT link.id, link.pipeline, unsure, link.terms FROM link JOIN operation ON link_id = link.id WHERE operation.id = ?',
  )
  const doubtFields = db.prepare('UPDATE link SET unsure = ? WHERE id = ?')
  const doubtTerms = db.prepare('UPDATE link SET terms = ? WHERE id = ?')
  const unsettle = db.prepare('DELETE FROM fingerprint WHERE pipeline = ? AND link_id = ?')
  const markOne = (operation: Operation, marks: readonly TermMark[]): void => {
    // As they are now on their way: what `replace` takes away is known only after a look.
    const terms = operation.kind === 'terms' ? operation.terms : undefined
    const { isFresh, carried = null, id } = operation
    send.run(terms === undefined ? null : JSON.stringify(terms), isFresh ? 1 : 0, carried, id)
    const link = operation.kind === 'create' ? undefined : linkOf.get(operation.id)
    if (link === undefined) return
    unsettle.run(link.pipeline, link.id)
    const fields = operation.kind === 'update' || operation.kind === 'consent' ? stepFields(operation) : {}
    const unsure = new Set([...parseUnsure(link.unsure), ...Object.keys(fields)])
    doubtFields.run(unsureJson([...unsure]), link.id)
    if (marks.length > 0) doubtTerms.run(withMarks(link.terms, marks), link.id)
  }
  const markAll = db.transaction((operations: readonly Operation[], marks: readonly TermMark[]) => {
    for (const operation of operations) markOne(operation, marks)
  })
  return async (operations, marks = []) => markAll(operations, marks)
}
