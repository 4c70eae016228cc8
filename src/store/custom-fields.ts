// The definitions of custom fields as they were seen last, so that a change between runs is noticed.
import type { CustomFieldDefinition } from '../core/ports.ts'
import type { DefinitionStore, FoundDefinitions } from '../core/definition-store.ts'
import type { Contact } from '../core/mapping/contact.ts'
import type { Connection } from './file/database.ts'
import { parseUnsure, unsureJson } from './journal/rows.ts'

/** Links that are read at once. */
const SLICE = 5000

interface Pushed {
  readonly id: number
  readonly known: string
  readonly unsure: string | null
}

/** Makes the links of a pipeline unsure of these fields, where they were pushed. */
function createUnsureOf(db: Connection) {
  const read = db.prepare<[string, number], Pushed>(
    `SELECT id, known, unsure FROM link WHERE pipeline = ? AND id > ? ORDER BY id LIMIT ${SLICE}`,
  )
  const write = db.prepare('UPDATE link SET unsure = ? WHERE id = ?')
  const note = (fields: readonly string[], { id, known, unsure }: Pushed): void => {
    const contact = JSON.parse(known) as Contact
    const pushed = fields.filter((field) => contact[field] !== undefined)
    if (pushed.length > 0) write.run(unsureJson([...new Set([...parseUnsure(unsure), ...pushed])]), id)
  }
  return (pipeline: string, fields: readonly string[]): void => {
    for (let rows = read.all(pipeline, 0); rows.length > 0; rows = read.all(pipeline, rows.at(-1)?.id ?? 0))
      for (const row of rows) note(fields, row)
  }
}

export function createDefinitionStore(db: Connection): DefinitionStore {
  const all = db
    .prepare<[string], string>('SELECT definition FROM custom_field WHERE pipeline = ? ORDER BY name')
    .pluck()
  const put = db.prepare('INSERT OR REPLACE INTO custom_field VALUES (?, ?, ?, ?)')
  const unsureOf = createUnsureOf(db)
  const keep = db.transaction((pipeline: string, { definitions, at, recreated }: FoundDefinitions) => {
    for (const one of definitions) put.run(pipeline, one.name, JSON.stringify(one), at)
    if (recreated.length > 0) unsureOf(pipeline, recreated)
  })
  return {
    seenDefinitions: async (pipeline) =>
      all.all(pipeline).map((json) => JSON.parse(json) as CustomFieldDefinition),
    rememberDefinitions: async (pipeline, found) => keep(pipeline, found),
  }
}
