// The configurations that were in force, each once, and which of them is now.
import type { ConfigurationStore, KeptConfiguration } from '../core/log/configuration-store.ts'
import type { AuditEntry } from '../core/log/audit.ts'
import type { ShownSetting } from '../core/settings.ts'
import type { Connection } from './file/database.ts'
import { createAppend } from './log/audit-append.ts'

interface ConfigurationRow {
  hash: string
  at: number
  pipelines: string
  settings: string
}

const kept = ({ hash, at, pipelines, settings }: ConfigurationRow): KeptConfiguration => ({
  hash,
  at,
  pipelines: JSON.parse(pipelines) as Record<string, string>,
  settings: JSON.parse(settings) as ShownSetting[],
})

/** `meta`: the hash of the one in force. */
const NOW = 'configuration'

export function createConfigurationStore(db: Connection): ConfigurationStore {
  const now = db.prepare<[], string>(`SELECT value FROM meta WHERE name = '${NOW}'`).pluck()
  const setNow = db.prepare(`INSERT OR REPLACE INTO meta VALUES ('${NOW}', ?)`)
  const put = db.prepare(
    'INSERT OR IGNORE INTO configuration (hash, at, pipelines, settings) VALUES (?, ?, ?, ?)',
  )
  const like = db.prepare<[{ hash: string }], ConfigurationRow>(`
    SELECT * FROM configuration WHERE substr(hash, 1, length(@hash)) = @hash
      OR EXISTS (SELECT 1 FROM json_each(pipelines) WHERE substr(value, 1, length(@hash)) = @hash) ORDER BY id`)
  const before = db.prepare<[string], ConfigurationRow>(
    'SELECT * FROM configuration WHERE id < (SELECT id FROM configuration WHERE hash = ?) ORDER BY id DESC LIMIT 1',
  )
  const append = createAppend(db)
  const note = db.transaction(({ hash, at, pipelines, settings }: KeptConfiguration, entry: AuditEntry) => {
    const last = now.get()
    if (last === hash) return
    put.run(hash, at, JSON.stringify(pipelines), JSON.stringify(settings))
    setNow.run(hash)
    if (last !== undefined) append(entry)
  })
  return {
    noteConfiguration: async (configuration, entry) => note(configuration, entry),
    configurationsLike: async (hash) => like.all({ hash }).map(kept),
    async configurationBefore(hash) {
      const row = before.get(hash)
      return row && kept(row)
    },
  }
}
