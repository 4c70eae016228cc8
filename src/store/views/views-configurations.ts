// The configurations that were in force, as the console looks at them: the list, and one with the one before it.
import type { StateViews } from '../../core/views.ts'
import type { Connection } from '../file/connection.ts'
import { createConfigurationStore } from '../configurations.ts'
import { pageOf, rowNumber } from './views-page.ts'

/** A hash of the sync log, or as much of one as a command takes. */
const HASH = /^[\da-f]{6,64}$/

interface ListRow {
  id: number
  hash: string
  at: number
}

type ConfigurationViews = Pick<StateViews, 'configuration' | 'configurations' | 'isConfigurationKept'>

export function createConfigurationViews(db: Connection): ConfigurationViews {
  const { configurationsLike, configurationBefore } = createConfigurationStore(db)
  const list = db.prepare<[{ id: number; limit: number }], ListRow>(
    'SELECT id, hash, at FROM configuration WHERE id < @id ORDER BY id DESC LIMIT @limit',
  )
  const found = async (hash: string) => (HASH.test(hash) ? configurationsLike(hash) : [])
  return {
    async configurations({ from, limit }) {
      const rows = list.all({ id: rowNumber(from) ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 })
      return pageOf(rows, limit, ({ id }) => String(id))
    },
    async configuration(hash) {
      const [kept, ...others] = await found(hash)
      if (kept === undefined) return undefined
      const before = await configurationBefore(kept.hash)
      return { kept, before, also: others.map((one) => one.hash) }
    },
    isConfigurationKept: async (hash) => (await found(hash)).length > 0,
  }
}
