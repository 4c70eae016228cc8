// When the daemon last wrote the head of the sync log to where others keep it.
import type { WitnessStore } from '../../core/log/witness.ts'
import type { Connection } from '../file/database.ts'

export function createWitnessStore(db: Connection): WitnessStore {
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('witness', ?)")
  const read = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'witness'").pluck()
  return {
    async lastWitness() {
      const text = read.get()
      return text === undefined ? undefined : Number(text)
    },
    async noteWitness(at) {
      write.run(String(at))
    },
  }
}
