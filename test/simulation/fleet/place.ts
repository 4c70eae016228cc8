// Where courses of the fleet are played: a database and a folder, for one after the other.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from './database.ts'
import type { Place } from './fleet.ts'

export async function openPlace(): Promise<Place & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'contact-sync-fleet-'))
  const database = await openDatabase()
  return {
    folder,
    database,
    async close() {
      await database.close()
      rmSync(folder, { recursive: true })
    },
  }
}
