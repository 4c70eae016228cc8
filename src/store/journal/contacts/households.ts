// How keys that are made of fields were resolved, and who of one address is planned with which mail_status.
import { OVERTAKABLE } from '../../../core/change/states.ts'
import type { KeptResolution, ResolvedKey, ResolutionStore } from '../../../core/change/lookup/resolution.ts'
import type { Connection } from '../../file/database.ts'
import { isOneOf } from '../../file/state-sets.ts'

/** From then on all of one address are distinguished by the same rule. */
const KEEP = [
  'INSERT OR REPLACE INTO household VALUES (@pipeline, @key, @contactId, @mailKey, @values, @rule)',
  'UPDATE household SET rule = @rule WHERE pipeline = @pipeline AND mail_key = @mailKey AND rule <> @rule',
]

const KEPT = `
SELECT (SELECT contact_id FROM household WHERE pipeline = @pipeline AND key = @key) AS contact,
  EXISTS (SELECT 1 FROM household WHERE pipeline = @pipeline AND contact_id = @contactId AND key <> @key)
    OR EXISTS (SELECT 1 FROM link WHERE contact_id = @contactId AND pipeline = @pipeline AND key <> @key) AS anothers,
  EXISTS (SELECT 1 FROM household WHERE pipeline = @pipeline AND mail_key = @mailKey AND rule <> @rule AND key <> @key) AS other`

/**
 * Who was found at the service keeps what is set there; a status that is raised is looked at when it is sent. What waits (held,
 * given up, in doubt) counts as well, unless its record is planned again.
 */
const lowerSql = (those: string): string => `
UPDATE operation SET consent = low.consent FROM (
  SELECT mail_key, min(consent) AS consent FROM operation
  WHERE pipeline = @pipeline AND kind = 'create' AND consent IN (1, 2) AND (NOT ${isOneOf(OVERTAKABLE)}
    OR key NOT IN (SELECT key FROM operation WHERE pipeline = @pipeline AND state = 'planned'))
  GROUP BY mail_key) AS low
WHERE ${those} AND state = 'planned' AND kind = 'create' AND contact_id IS NULL AND operation.mail_key = low.mail_key
  AND (operation.consent IS NULL OR operation.consent > low.consent)`

type KeptRow = { readonly contact: number | null } & Record<'anothers' | 'other', number>

export interface Households extends Pick<ResolutionStore, 'keptResolutions' | 'lowerWithinAddress'> {
  keepResolved(pipeline: string, resolved: ResolvedKey): void
  lowerOfInput(of: { readonly pipeline: string; readonly input: number }): void
}

export function createHouseholds(db: Connection): Households {
  const keep = KEEP.map((sql) => db.prepare(sql))
  const kept = db.prepare<[Record<string, unknown>], KeptRow>(KEPT)
  const lowerInput = db.prepare(lowerSql('input_id = @input'))
  const lowerRun = db.prepare(lowerSql('run_id = @runId'))
  return {
    keepResolved(pipeline, { values, ...one }) {
      for (const statement of keep) statement.run({ ...one, pipeline, values: JSON.stringify(values) })
    },
    keptResolutions: async (pipeline, rule, asked) =>
      asked.map(({ contactId = null, ...one }): KeptResolution => {
        const row = kept.get({ ...one, contactId, pipeline, rule })
        return {
          ...(row === undefined || row.contact === null ? {} : { contactId: row.contact }),
          isAnothers: row?.anothers === 1,
          isUnderOtherRule: row?.other === 1,
        }
      }),
    lowerOfInput: (of) => void lowerInput.run(of),
    lowerWithinAddress: async (pipeline, runId) => void lowerRun.run({ pipeline, runId }),
  }
}
