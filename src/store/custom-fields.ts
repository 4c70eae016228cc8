// The definitions of custom fields as they were seen last, so that a change between runs is noticed.
import type { CustomFieldDefinition } from '../core/ports.ts'
import type { DefinitionStore } from '../core/state.ts'
import type { Connection } from './database.ts'

export function createDefinitionStore(db: Connection): DefinitionStore {
  const all = db.prepare<[], string>('SELECT definition FROM custom_field ORDER BY name').pluck()
  const put = db.prepare('INSERT OR REPLACE INTO custom_field VALUES (?, ?, ?)')
  const putAll = db.transaction((definitions: readonly CustomFieldDefinition[], at: number) => {
    for (const definition of definitions) put.run(definition.name, JSON.stringify(definition), at)
  })
  return {
    seenDefinitions: async () => all.all().map((json) => JSON.parse(json) as CustomFieldDefinition),
    rememberDefinitions: async (definitions, at) => putAll(definitions, at),
  }
}
