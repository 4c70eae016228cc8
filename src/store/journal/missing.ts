// What has gone from a full export: a set difference between the links of the pipeline and who was seen in the input,
// in SQL, so that it takes no memory. It errs towards "still there" wherever there is doubt.
import { SENDING_ORDER } from '../../core/change/steps.ts'
import type { MissingRules, StagedInput } from '../../core/state.ts'
import type { Connection } from '../file/database.ts'
import { linkCount } from '../file/link-count.ts'
import { IS_DROPPED_AS_MISSING } from './reading/dropped.ts'
import type { Claims } from './reading/claims.ts'

/** Seen: read as unchanged, as a record with an outcome (rejected ones, too), or skipped by `where`. */
const IS_SEEN = `(claimed_line(@input, link.id) IS NOT NULL
  OR EXISTS (SELECT 1 FROM claim_key WHERE input = @input AND key = link.key)
  OR EXISTS (SELECT 1 FROM claim_skipped WHERE input = @input AND key = link.key))`

/** This export counts unless it is the one that was counted last, or comes too soon after it. */
const COUNTS = `(link.missing_in IS DISTINCT FROM @version AND (link.missing_at IS NULL OR @at >= link.missing_at + @apart))`

/**
 * Whether the record of the link `row` is in its source, or may be: a rejected row whose key cannot be read may be any of
 * those that the export lacks.
 */
export const mayBeNamed = (row: string): string => `${row}.gone = 0 AND (${row}.missing = 0
  OR EXISTS (SELECT 1 FROM reject WHERE reject.pipeline = ${row}.pipeline AND reject.key IS NULL))`

/** Whose contact another pipeline still names, keeps it. */
const IS_NAMED_ELSEWHERE = `EXISTS (SELECT 1 FROM link AS other WHERE other.contact_id = link.contact_id
  AND other.pipeline <> link.pipeline AND ${mayBeNamed('other')})`

/** The mail of a record that is new in this input: probably the same person under another key. */
const IS_REKEYED = `link.mail_key IN (SELECT mail_key FROM operation WHERE input_id = @input AND kind = 'create' AND mail_key IS NOT NULL)`

/** The terms that this pipeline gave, as a plan that takes them away. */
const WITHDRAWAL = `(SELECT '{"add":[],"asserts":[],"remove":' || json_group_array(value ->> 0) || '}'
  FROM json_each(link.terms) WHERE CAST(value ->> 1 AS BIGINT) = 1 OR @replace = 1)`

const HAS_TERMS = `link.terms IS NOT NULL AND json_array_length(${WITHDRAWAL}, '$.remove') > 0`

const INSERT = `
INSERT INTO operation (input_id, run_id, pipeline, key, line, file, cause, kind, link_id, contact_id, fields, desired, terms,
                       record, fingerprint, state, rank)
SELECT @input, @run, pipeline, key, 0, @file, 'missing', kind, id, contact_id, '{}', '{}',
       CASE kind WHEN 'terms' THEN withdrawal END, '[[]]', '', 'planned', CASE kind WHEN 'terms' THEN ${SENDING_ORDER.terms} ELSE ${SENDING_ORDER.delete} END
FROM (
  SELECT link.*, ${WITHDRAWAL} AS withdrawal,
    CASE WHEN @delete = 1 AND NOT ${IS_NAMED_ELSEWHERE} THEN 'delete' WHEN ${HAS_TERMS} THEN 'terms' END AS kind
  FROM link
  WHERE pipeline = @pipeline AND NOT ${IS_SEEN} AND NOT coalesce(${IS_REKEYED}, FALSE)
    AND missing + CASE WHEN ${COUNTS} THEN 1 ELSE 0 END >= @missingIn AND NOT ${IS_DROPPED_AS_MISSING}) AS lacking
WHERE kind IS NOT NULL ORDER BY id`

const COUNT_MISSING = `
UPDATE link SET missing = missing + 1, missing_in = @version, missing_at = @at
WHERE pipeline = @pipeline AND NOT ${IS_SEEN} AND ${COUNTS}`

/** Counted when the clock was ahead: as long as it says so, no later export would come late enough. */
const LOWER_TIMES = `UPDATE link SET missing_at = @at WHERE pipeline = @pipeline AND missing > 0 AND missing_at > @at`

const FORGET_FOUND = `
UPDATE link SET missing = 0, missing_in = NULL, missing_at = NULL WHERE pipeline = @pipeline AND missing > 0 AND ${IS_SEEN}`

/** As if the export had not been counted; the links that it lacks are counted again when it is read again. */
const UNCOUNT_MISSING = `
UPDATE link SET missing = missing - 1, missing_in = NULL, missing_at = NULL
WHERE pipeline = @pipeline AND missing > 0 AND missing_in = @version`

export interface MissingLinks {
  stageMissing(staged: StagedInput, rules: MissingRules): void
  /** Counts this export for those that it lacks, and takes the count back of those that it has. */
  countMissing(staged: StagedInput, rules: Pick<MissingRules, 'apartMs' | 'at'>): void
}

/** For an input that will be read again: until then it is unknown which links it lacks. */
export function createUncount(db: Connection): (staged: StagedInput) => void {
  const uncount = db.prepare(UNCOUNT_MISSING)
  return ({ pipeline, input: { version } }) => void uncount.run({ pipeline, version })
}

const bindings = (
  { id, pipeline, input }: StagedInput,
  { apartMs, at }: { apartMs: number; at: number },
) => ({
  input: id,
  pipeline,
  version: input.version,
  apart: apartMs,
  at,
})

/** Whether every link of the pipeline was seen: asked once instead of for each link. */
function createAllSeen(db: Connection, claims: Claims): (staged: StagedInput) => boolean {
  const links = db.prepare<{ pipeline: string }, number>(`SELECT ${linkCount('@pipeline')}`).pluck()
  return ({ id, pipeline }) => links.get({ pipeline }) === claims.count(id)
}

export function createMissingLinks(db: Connection, claims: Claims): MissingLinks {
  const isAllSeen = createAllSeen(db, claims)
  const insert = db.prepare(INSERT)
  const count = db.prepare(COUNT_MISSING)
  const forget = db.prepare(FORGET_FOUND)
  const lowerTimes = db.prepare(LOWER_TIMES)
  return {
    stageMissing(staged, rules) {
      if (isAllSeen(staged)) return
      insert.run({
        ...bindings(staged, rules),
        run: staged.runId,
        file: staged.input.name,
        delete: rules.onMissing === 'delete' ? 1 : 0,
        replace: rules.takesAllTerms ? 1 : 0,
        missingIn: rules.missingIn,
      })
    },
    countMissing(staged, rules) {
      const all = bindings(staged, rules)
      if (!isAllSeen(staged)) count.run(all)
      const { input, pipeline, at } = all
      forget.run({ input, pipeline })
      lowerTimes.run({ pipeline, at })
    },
  }
}
