// The tables of the sandbox, in a file or in memory.
import Database from 'better-sqlite3'

export type Db = Database.Database

const TABLES = `
CREATE TABLE IF NOT EXISTS contact (id INTEGER PRIMARY KEY AUTOINCREMENT, mail_key TEXT, fields TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS contact_by_mail ON contact (mail_key);
CREATE TABLE IF NOT EXISTS block (key TEXT NOT NULL, contact_id INTEGER NOT NULL, PRIMARY KEY (key, contact_id)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS person (contact_id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS former_status (mail_key TEXT PRIMARY KEY, status INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS term (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, name_key TEXT NOT NULL UNIQUE, description TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS contact_term (contact_id INTEGER NOT NULL, term_id INTEGER NOT NULL, PRIMARY KEY (contact_id, term_id)) STRICT, WITHOUT ROWID;
`

/** `file` undefined: in memory. */
export function openTables(file: string | undefined): Db {
  const db = new Database(file ?? ':memory:')
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.exec(TABLES)
  return db
}

/** Everything in it goes, ids included: they begin with 1 again. */
export const clearTables = (db: Db): void => {
  db.transaction(() => {
    for (const table of [
      'contact',
      'block',
      'person',
      'former_status',
      'term',
      'contact_term',
      'sqlite_sequence',
    ])
      db.exec(`DELETE FROM ${table}`)
  })()
}
