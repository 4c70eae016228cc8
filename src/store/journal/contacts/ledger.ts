// The ledger of terms: who asserts which of them for which contact, and which of them were ours to give.
// A term that its record withdraws while another still asserts it leaves "ours" to that other one.
import { termKey, type TermOutcome } from '../../../core/mapping/terms.ts'
import type { Connection } from '../../file/database.ts'
import { assertionsJson, parseAssertions } from '../rows.ts'

interface LedgerRow {
  id: number
  terms: string
}

export function createLedger(db: Connection) {
  const read = db.prepare<[number], string | null>('SELECT terms FROM link WHERE id = ?').pluck()
  const write = db.prepare('UPDATE link SET terms = ? WHERE id = ?')
  const others = db.prepare<[number, number], LedgerRow>(
    'SELECT id, terms FROM link WHERE contact_id = ? AND id <> ? AND terms IS NOT NULL ORDER BY id',
  )
  const bequeath = (key: string, heirs: readonly LedgerRow[]): void => {
    for (const heir of heirs) {
      const asserted = parseAssertions(heir.terms) ?? []
      if (!asserted.some(({ name }) => termKey(name) === key)) continue
      const inherited = asserted.map((term) => (termKey(term.name) === key ? { ...term, ours: true } : term))
      write.run(assertionsJson(inherited), heir.id)
      return
    }
  }
  return ({ link, contactId }: { link: number; contactId: number }, outcome: TermOutcome): void => {
    const kept = new Set([...outcome.asserts.map(({ name }) => name), ...outcome.removed].map(termKey))
    for (const { name, ours } of parseAssertions(read.get(link) ?? null) ?? []) {
      const key = termKey(name)
      if (ours && !kept.has(key)) bequeath(key, others.all(contactId, link))
    }
    write.run(assertionsJson(outcome.asserts), link)
  }
}
