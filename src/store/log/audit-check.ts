// Checks the chain, entry by entry and in pieces: that none was changed, taken out or put in, and that the values are
// those that were entered. Values may be gone only where a later entry says so, for their person or by their age.
import { auditHash, personalDigest, type PublicPart } from '../../core/log/audit-chain.ts'
import type { CheckStep, CheckedTo } from '../../core/log/sync-log.ts'
import { open } from './audit-seal.ts'
import { word } from './audit-tags.ts'
import type { Connection } from '../file/connection.ts'

interface Row {
  readonly seq: number
  readonly entry: string
  readonly prev: string
  readonly hash: string
  readonly sealed: number | null
  readonly box: Buffer | null
  readonly token: string | null
  readonly secret: Buffer | null
}

/** Values that are rightly gone. */
interface Gone {
  readonly tokens: ReadonlySet<string>
  readonly upTo: number
}

const PAGE = 1000

function createGone(db: Connection): () => Gone {
  const entries = db
    .prepare<[string], string>(
      `SELECT a.entry FROM log_word AS w CROSS JOIN log_tag AS r ON r.word = w.id
       CROSS JOIN audit AS a ON a.seq BETWEEN r.first AND r.last WHERE w.word = ?`,
    )
    .pluck()
  const saying = (action: string): PublicPart[] =>
    entries.all(word.action(action)).flatMap((text) => {
      const part = parsed(text)
      return part?.action === action ? [part] : []
    })
  return () => ({
    tokens: new Set(saying('erase').flatMap(({ tokens = [] }) => tokens)),
    upTo: Math.max(0, ...saying('expire').map(({ up_to: upTo = 0 }) => upTo)),
  })
}

function parsed(text: string): PublicPart | undefined {
  try {
    return JSON.parse(text) as PublicPart
  } catch {
    return undefined
  }
}

/** What is wrong with the values of an entry that is chained as it should be. */
function wrongValues(
  { seq, sealed, box, secret, token }: Row,
  part: PublicPart,
  gone: Gone,
): string | undefined {
  if (sealed === null) return 'its values are missing, and so is their place'
  if (token !== (part.person ?? '')) return 'its values are stored as those of another person'
  if (box === null) {
    const isRight = seq <= gone.upTo || (part.person !== null && gone.tokens.has(part.person))
    return isRight ? undefined : 'its values are missing, and no entry says that they were erased'
  }
  const opened = secret === null ? undefined : open(box, secret, seq)
  if (opened === undefined) return 'its values were altered, or their key is missing'
  return personalDigest(opened.salt, opened.personal) === part.digest
    ? undefined
    : 'its values are not those that were entered'
}

function wrong(row: Row, before: CheckedTo, gone: Gone): string | undefined {
  if (row.seq !== before.seq + 1) return 'it is missing'
  if (row.prev !== before.hash) return 'it does not follow from the entry before it'
  if (row.hash !== auditHash(row.prev, row.entry)) return 'it was altered'
  const part = parsed(row.entry)
  if (part?.seq !== row.seq) return 'it has the number of another entry'
  return wrongValues(row, part, gone)
}

export function checkLog(db: Connection): (from: CheckedTo, limit: number) => CheckStep {
  const gone = createGone(db)
  const rows = db.prepare<[number, number], Row>(`
    SELECT a.seq, a.entry, a.prev, a.hash, s.seq AS sealed, s.box, k.token, k.secret FROM audit AS a
    LEFT JOIN sealed AS s ON s.seq = a.seq LEFT JOIN person_key AS k ON k.id = s.key_id
    WHERE a.seq > ? ORDER BY a.seq LIMIT ?`)
  return (from, limit) => {
    const allowed = gone()
    let to = from
    for (let left = limit; left > 0; left -= PAGE) {
      const some = rows.all(to.seq, Math.min(left, PAGE))
      for (const row of some) {
        const why = wrong(row, to, allowed)
        if (why !== undefined) return { to, bad: { seq: to.seq + 1, why }, done: true }
        to = { seq: row.seq, hash: row.hash }
      }
      if (some.length < Math.min(left, PAGE)) return { to, done: true }
    }
    return { to, done: false }
  }
}
