// Terms that this program renames at the service: the former names, and every name that the state holds itself. A rename is
// noted before its request leaves, together with all that it changes here, so that one that was cut short is completed.
import type { AuditEntry } from '../core/log/audit.ts'
import {
  aliasesAfter,
  presentNames,
  type TermAliases,
  termKey,
  type TermNameStore,
  type TermPlan,
  termsBeyond,
} from '../core/mapping/terms.ts'
import { SyncError } from '../core/words/errors.ts'
import { createAppend } from './log/audit-append.ts'
import type { Connection } from './file/connection.ts'
import { createBrakeRename } from './journal/brakes.ts'
import { assertionsJson, parseAssertions } from './journal/rows.ts'

/** A rename of the term with this id. */
export interface TermRename {
  readonly id: number
  readonly from: string
  readonly to: string
}

interface Pending extends TermRename {
  /** The aliases before it. */
  readonly before: readonly (readonly [string, string])[]
}

export interface TermNames {
  /** The rename whose end is not known. */
  pending(): TermRename | undefined
  aliases(): TermAliases
  /** From here on the state speaks of the new name. How many links name it. */
  begin(rename: TermRename): number
  /** The service has taken it. `called`: what the service calls the term, where that is another name still. */
  complete(entry: AuditEntry, called?: string): void
  /** It was renamed at the service itself. Throws USAGE, and nothing is done, where no record has the former name. */
  takeOver(rename: TermRename, entry: AuditEntry): void
  /** The service has not taken it: everything is as before. */
  takeBack(): void
}

const ALIASES = 'term_aliases'
const PENDING = 'term_rename'
/** Rows that are read at once. */
const SLICE = 5000

interface Row {
  id: number
  terms: string
}

/** Gives each row of the table its new text; how many changed. */
function rewrite(db: Connection, table: 'link' | 'operation', renamed: (terms: string) => string): number {
  const read = db.prepare<[number], Row>(
    `SELECT id, terms FROM ${table} WHERE id > ? AND terms IS NOT NULL ORDER BY id LIMIT ${SLICE}`,
  )
  const write = db.prepare(`UPDATE ${table} SET terms = ? WHERE id = ?`)
  let changed = 0
  for (let rows = read.all(0); rows.length > 0; rows = read.all(rows.at(-1)?.id ?? 0))
    for (const { id, terms } of rows) {
      const text = renamed(terms)
      if (text !== terms) changed += write.run(text, id).changes
    }
  return changed
}

/** A link that asserted both names asserts one term from now on. */
function renamedAssertions(terms: string, from: string, to: string): string {
  const before = parseAssertions(terms) ?? []
  if (!before.some(({ name }) => termKey(name) === termKey(from))) return terms
  const isOne = ({ name }: { name: string }): boolean => [from, to].map(termKey).includes(termKey(name))
  const both = before.filter(isOne)
  const one = { name: to, ours: both.some(({ ours }) => ours), unsure: both.some(({ unsure }) => unsure) }
  const at = before.findIndex(isOne)
  return assertionsJson(before.flatMap((term, index) => (index === at ? [one] : isOne(term) ? [] : [term])))
}

function renamedPlan(terms: string, from: string, to: string): string {
  const plan = JSON.parse(terms) as TermPlan
  const aliases = new Map([[termKey(from), to]])
  const names = [...plan.add, ...plan.remove, ...plan.asserts]
  if (!names.some((name) => termKey(name) === termKey(from))) return terms
  const add = presentNames(plan.add, aliases)
  const remove = termsBeyond(presentNames(plan.remove, aliases), add)
  return JSON.stringify({ ...plan, add, remove, asserts: presentNames(plan.asserts, aliases) })
}

function createMeta(db: Connection) {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  const write = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
  const drop = db.prepare('DELETE FROM meta WHERE name = ?')
  return {
    aliases: (): TermAliases => new Map(JSON.parse(read.get(ALIASES) ?? '[]') as [string, string][]),
    setAliases: (aliases: Pending['before']) => write.run(ALIASES, JSON.stringify(aliases)),
    pending: (): Pending | undefined => {
      const value = read.get(PENDING)
      return value === undefined ? undefined : (JSON.parse(value) as Pending)
    },
    setPending: (pending: Pending) => write.run(PENDING, JSON.stringify(pending)),
    dropPending: () => drop.run(PENDING),
  }
}

/** For all readers of the state. */
export function createTermNameStore(db: Connection): TermNameStore {
  const meta = createMeta(db)
  return { termAliases: async () => meta.aliases() }
}

/** For its owner. */
export function createTermNames(db: Connection): TermNames {
  const meta = createMeta(db)
  const append = createAppend(db)
  const inOne = <T>(work: () => T): T => db.transaction(work)()
  const renameInBrakes = createBrakeRename(db)
  const renameRows = (from: string, to: string): number => {
    renameInBrakes(from, to)
    rewrite(db, 'operation', (terms) => renamedPlan(terms, from, to))
    return rewrite(db, 'link', (terms) => renamedAssertions(terms, from, to))
  }
  const rename = (from: string, to: string): number => {
    meta.setAliases([...aliasesAfter(meta.aliases(), { from, to })])
    return renameRows(from, to)
  }
  return {
    pending: meta.pending,
    aliases: meta.aliases,
    begin: (one) =>
      inOne(() => {
        const before = meta.pending()?.before ?? [...meta.aliases()]
        meta.setPending({ ...one, before })
        return rename(one.from, one.to)
      }),
    complete: (entry, called) =>
      inOne(() => {
        const pending = meta.pending()
        if (pending !== undefined && called !== undefined && called !== pending.to) rename(pending.to, called)
        meta.dropPending()
        append(entry)
      }),
    takeOver: ({ from, to }, entry) =>
      inOne(() => {
        if (rename(from, to) === 0)
          throw new SyncError('USAGE', `neither the service nor any record has the term "${from}"`, {
            hint: 'contact-sync terms lists the existing ones.',
          })
        append(entry)
      }),
    takeBack: () =>
      inOne(() => {
        const pending = meta.pending()
        if (pending === undefined) return
        renameRows(pending.to, pending.from)
        meta.setAliases(pending.before)
        meta.dropPending()
      }),
  }
}
