// Which service the state belongs to, as the state remembers it, and what of it ties it there.
import type { LinkedContact, Tie } from '../core/service-binding.ts'
import type { StateLocation } from '../core/state-place.ts'
import { UNCERTAIN } from '../core/change/states.ts'
import type { Connection } from './file/connection.ts'
import { openCurrentToRead } from './reading.ts'
import { isOpenAs } from './file/state-sets.ts'
import { parseContact } from './journal/rows.ts'

export interface ServiceBinding {
  tie(): Tie
  /** `address` as `serviceAddress` makes it. */
  bind(address: string): void
  /** Known links, spread over all of them; at most so many. */
  sample(limit: number): readonly LinkedContact[]
}

const TIE = `
SELECT (SELECT value FROM meta WHERE name = 'service') AS address,
  EXISTS (SELECT 1 FROM link) AS hasLinks,
  (SELECT count(*) FROM operation WHERE ${isOpenAs(UNCERTAIN)}) AS inDoubt`

// Neighbours were often made at one time, and may be gone together: every so many of them is read.
const SAMPLE = `
WITH numbered AS (
  SELECT contact_id AS contactId, known, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS total
  FROM link WHERE gone = 0 AND known <> '{}')
SELECT contactId, known FROM numbered WHERE place % max(1, total / @limit) = 0 ORDER BY place LIMIT @limit`

export function createServiceBinding(db: Connection): ServiceBinding {
  const read = db.prepare<[], { address: string | null; hasLinks: number; inDoubt: number }>(TIE)
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('service', ?)")
  const some = db.prepare<[{ limit: number }], { contactId: number; known: string }>(SAMPLE)
  return {
    tie() {
      const row = read.get()
      return {
        address: row?.address ?? undefined,
        hasLinks: row?.hasLinks === 1,
        inDoubt: row?.inDoubt ?? 0,
      }
    },
    bind: (address) => void write.run(address),
    sample: (limit) =>
      some.all({ limit }).map(({ contactId, known }) => ({ contactId, known: parseContact(known) })),
  }
}

/** As the state says, beside its owner; undefined where there is none yet, or an older version's. */
export function readTie(
  where: StateLocation,
  limit: number,
): { tie: Tie; sample: readonly LinkedContact[] } | undefined {
  const db = openCurrentToRead(where)
  if (db === undefined) return undefined
  try {
    const { tie, sample } = createServiceBinding(db)
    return { tie: tie(), sample: sample(limit) }
  } finally {
    db.close()
  }
}
