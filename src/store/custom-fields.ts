// The definitions of custom fields as they were seen last, so that a change between runs is noticed.
import type { CustomFieldDefinition } from '../core/ports.ts'
import type { DefinitionStore } from '../core/definition-store.ts'
import type { Connection } from './file/database.ts'

export function createDefinitionStore(db: Connection): DefinitionStore {
  const all = db
    .prepare<[string], string>('SELECT definition FROM custom_field WHERE pipeline = ? ORDER BY name')
    .pluck()
  const put = db.prepare('INSERT OR REPLACE INTO custom_field VALUES (?, ?, ?, ?)')
  const putAll = db.transaction(
    (pipeline: string, definitions: readonly CustomFieldDefinition[], at: number) => {
      for (const one of definitions) put.run(pipeline, one.name, JSON.stringify(one), at)
    },
  )
  return {
    seenDefinitions: async (pipeline) =>
      all.all(pipeline).map((json) => JSON.parse(json) as CustomFieldDefinition),
    rememberDefinitions: async (pipeline, definitions, at) => putAll(pipeline, definitions, at),
  }
}
