// What is there in the end: looked up in the files themselves, and not by asking the program.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { SANDBOX_DB, type Workplace } from './workplace.ts'

/** What a contact has whose status was never set: stored by a merge, and not by a create. */
const DEFAULTS = { mail_status: 3 }

/** All contacts at the service, without the ids, which depend on the order of arrival. */
export function contactsAtService({ shop }: Workplace): string[] {
  const db = new Database(shop.path(SANDBOX_DB))
  try {
    const rows = db
      .prepare<[], { fields: string; terms: string }>(
        `SELECT fields, (SELECT json_group_array(name) FROM (SELECT name FROM contact_term JOIN term ON term.id = term_id
           WHERE contact_id = contact.id ORDER BY name)) AS terms FROM contact`,
      )
      .all()
    return rows
      .map(
        ({ fields, terms }) =>
          `${JSON.stringify(sorted({ ...DEFAULTS, ...(JSON.parse(fields) as object) }))} ${terms}`,
      )
      .sort()
  } finally {
    db.close()
  }
}

const sorted = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1)))

/** The service's terms with their descriptions. */
export function termsAtService({ shop }: Workplace): string[] {
  const db = new Database(shop.path(SANDBOX_DB))
  try {
    return db.prepare<[], string>("SELECT name || ': ' || description FROM term ORDER BY 1").pluck().all()
  } finally {
    db.close()
  }
}

interface AuditRow {
  readonly seq: number
  readonly entry: string
  readonly prev: string
  readonly hash: string
}

/** What is wrong with the chain of the sync log, by the rule of the manual; undefined where nothing is. */
function brokenLink(rows: readonly AuditRow[]): [string] | undefined {
  let last = '0'.repeat(64)
  for (const { seq, entry, prev, hash } of rows) {
    const right = createHash('sha256').update(`${prev}\n${entry}`).digest('hex')
    if (prev !== last || hash !== right) return [`the sync log breaks at entry ${seq}`]
    last = hash
  }
  return undefined
}

/** A run that ended while the state was made may have left it without tables. */
const hasTable = (db: Database.Database, name: string): boolean =>
  db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined

/** What is wrong with the database and with the chain of the sync log; a state that has no tables yet is sound. */
export function damageOfState({ shop }: Workplace): string[] {
  const db = new Database(shop.path('state', 'contact-sync.db'))
  try {
    const whole = db.pragma('integrity_check') as { integrity_check: string }[]
    const damage = whole.flatMap(({ integrity_check: found }) => (found === 'ok' ? [] : [found]))
    const rows = hasTable(db, 'audit')
      ? db.prepare<[], AuditRow>('SELECT * FROM audit ORDER BY seq').all()
      : []
    return [...damage, ...(brokenLink(rows) ?? [])]
  } finally {
    db.close()
  }
}

/** The states of operations that have not come to their end. */
export function openOperations({ shop }: Workplace): string[] {
  const db = new Database(shop.path('state', 'contact-sync.db'))
  try {
    return hasTable(db, 'operation')
      ? db.prepare<[], string>('SELECT state FROM operation').pluck().all()
      : []
  } finally {
    db.close()
  }
}

/** The rejects that the state keeps. */
export function rejectsInState({ shop }: Workplace): string[] {
  const db = new Database(shop.path('state', 'contact-sync.db'))
  try {
    if (!hasTable(db, 'reject')) return []
    return db
      .prepare<[], string>("SELECT file || ':' || line || ' ' || code FROM reject ORDER BY 1")
      .pluck()
      .all()
  } finally {
    db.close()
  }
}

export interface FilesLeft {
  readonly inbox: readonly string[]
  readonly failed: readonly string[]
  /** The contents of what was archived as done, and of the rejects beside it: the run's id taken out of the names. */
  readonly processed: readonly string[]
}

const RUN_ID = /\.\d{8}-\d{6}-[0-9a-z]{6}(?:-\d+)?/

async function listed(path: string): Promise<string[]> {
  return (await readdir(path).catch(() => [])).sort()
}

export async function filesLeft({ shop }: Workplace): Promise<FilesLeft> {
  const inbox = shop.path('inbox', 'shop')
  const done = await listed(shop.path('inbox', 'shop', 'processed'))
  const processed = await Promise.all(
    done.map(async (name) => {
      const text = await readFile(shop.path('inbox', 'shop', 'processed', name), 'utf8')
      return `${name.replace(RUN_ID, '')}\n${text}`
    }),
  )
  return {
    inbox: (await listed(inbox)).filter((name) => name !== 'processed' && name !== 'failed'),
    failed: await listed(shop.path('inbox', 'shop', 'failed')),
    processed: processed.sort(),
  }
}
