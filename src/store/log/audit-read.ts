// Reading the sync log: entries by filter in pages, the persons in it, what a run did. Every filter is a separate index;
// the rarest is scanned, and each entry is tested for the others. Synchronous functions over a given connection.
import { AUDIT_START, type LoggedEntry, loggedEntry } from '../../core/log/audit-chain.ts'
import type {
  LogFilter,
  LoggedPerson,
  LogHead,
  LogRange,
  RunTotal,
  SyncLog,
} from '../../core/log/sync-log.ts'
import { checkLog } from './audit-check.ts'
import { checkIndexes } from './audit-index.ts'
import { checkKept } from './kept-check.ts'
import { createPrint, open, type Print } from './audit-seal.ts'
import { createFindPersons, entriesOf, keysOf, type Name, presentPerson } from './audit-names.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import { word } from './audit-tags.ts'
import type { Connection } from '../file/connection.ts'
import { HOUR_MS } from '../../core/words/duration.ts'

interface LogRow {
  readonly seq: number
  readonly entry: string
  readonly prev: string
  readonly hash: string
  readonly box: Buffer | null
  readonly secret: Buffer | null
}

/** The columns of LogRow, of an entry whose number is d.seq. */
const LOG_ROW = `a.seq, a.entry, a.prev, a.hash, s.box, k.secret`
const JOIN_LOG = `
CROSS JOIN audit AS a ON a.seq = d.seq LEFT JOIN sealed AS s ON s.seq = a.seq LEFT JOIN person_key AS k ON k.id = s.key_id`

function entryOf({ box, secret, seq, ...row }: LogRow): LoggedEntry {
  return loggedEntry(row, box === null || secret === null ? undefined : open(box, secret, seq))
}

/** Counted no further: then it is not the one to lead. */
const MANY = 20_000
const PAGE = 500

/** Who may be meant; a text without a kind may be any. */
function meant(text: string): { key?: string; mail?: string; id?: number } {
  const [, kind, rest = ''] = /^(key|mail|id):(.*)$/s.exec(text) ?? []
  const value = kind === undefined ? text.trim() : rest.trim()
  const isKind = (one: string): boolean => kind === undefined || kind === one
  return {
    ...(isKind('key') && { key: value }),
    ...(isKind('mail') && value.includes('@') && { mail: value }),
    ...(isKind('id') && /^\d{1,15}$/.test(value) && { id: Number(value) }),
  }
}

/** Everything that a text may be the name of. */
function createNamesIn(db: Connection): (contact: string, pipeline?: string) => readonly Name[] {
  const pipelines = db
    .prepare<[], string>(
      "SELECT substr(word, 10) FROM log_word WHERE word >= 'pipeline:' AND word < 'pipeline;'",
    )
    .pluck()
  return (contact, pipeline) => {
    const { key, mail, id } = meant(contact)
    const among = pipeline === undefined ? pipelines.all() : [pipeline]
    return [
      ...(key === undefined ? [] : among.map((name) => ({ kind: 'key', pipeline: name, key }) as const)),
      ...(mail === undefined ? [] : [{ kind: 'mail', mail } as const]),
      ...(id === undefined ? [] : [{ kind: 'id', id } as const]),
    ]
  }
}

function createPersonSearch(db: Connection, print: Print): (names: readonly Name[]) => number[] {
  const persons = createFindPersons(db, print).all
  return (names) => [...new Set(names.flatMap(persons))].sort((a, b) => a - b)
}

interface Clauses {
  readonly from: string
  readonly where: readonly string[]
  readonly values: readonly unknown[]
  /** Columns whose order is that of the entries. */
  readonly order: readonly string[]
}

/** Numbers of entries, both included. */
interface Span {
  readonly low: number
  readonly high: number
}

/** Undefined where nothing can fit. */
type Selection = (filter: LogFilter, within: Span) => Clauses | undefined

/** Every entry of the ranges of a word; the first of them may have begun before the span. */
const taggedWith = (id: number, { low, high }: Span): Clauses => ({
  from: 'log_tag AS r CROSS JOIN audit AS d',
  where: [
    'r.word = ?',
    'r.first >= coalesce((SELECT max(first) FROM log_tag WHERE word = ? AND first <= ?), 0)',
    'r.first <= ?',
    'd.seq BETWEEN max(r.first, ?) AND min(r.last, ?)',
  ],
  values: [id, id, low, high, low, high],
  order: ['r.first', 'd.seq'],
})

const IS_TAGGED =
  '(SELECT last FROM log_tag WHERE word = ? AND first <= d.seq ORDER BY first DESC LIMIT 1) >= d.seq'

/** Entries are found by their hours: clocks may go back. Undefined where there is none in that time. */
function createInTime(db: Connection) {
  const bounds = db.prepare<[number, number], { first: number | null; last: number | null }>(
    'SELECT min(first) AS first, max(last) AS last FROM log_hour WHERE hour BETWEEN ? AND ?',
  )
  return (
    { since, until }: LogFilter,
    { low, high }: Span,
  ): (Span & Pick<Clauses, 'where' | 'values'>) | undefined => {
    if (since === undefined && until === undefined) return { low, high, where: [], values: [] }
    const hour = (at: number): number => Math.floor(at / HOUR_MS)
    const found = bounds.get(hour(since ?? 0), hour(until ?? Number.MAX_SAFE_INTEGER))
    if (found === undefined || found.first === null || found.last === null) return undefined
    const limits = [['>=', since] as const, ['<', until] as const].flatMap(([sign, at]) =>
      at === undefined ? [] : [{ sql: `a.entry ->> '$.at' ${sign} ?`, value: new Date(at).toISOString() }],
    )
    return {
      low: Math.max(low, found.first),
      high: Math.min(high, found.last),
      where: limits.map(({ sql }) => sql),
      values: limits.map(({ value }) => value),
    }
  }
}

/** The numbers of those who may be meant. */
type Search = (contact: string) => readonly number[]

function createSelection(db: Connection, print: Print, search: Search): Selection {
  const wordId = db.prepare<[string], number>('SELECT id FROM log_word WHERE word = ?').pluck()
  const howMany = db
    .prepare<[number], number>(
      `SELECT coalesce(sum(last - first + 1), 0) FROM (SELECT first, last FROM log_tag WHERE word = ? LIMIT ${MANY}) AS counted`,
    )
    .pluck()
  const wordsOf = (filter: LogFilter): string[] => [
    ...(filter.run === undefined ? [] : [word.run(filter.run)]),
    ...(filter.term === undefined ? [] : [word.term(filter.term, print)]),
    ...(filter.outcome === undefined ? [] : [word.outcome(filter.outcome)]),
    ...(filter.action === undefined ? [] : [word.action(filter.action)]),
    ...(filter.field === undefined ? [] : [word.field(filter.field)]),
    ...(filter.pipeline === undefined ? [] : [word.pipeline(filter.pipeline)]),
  ]
  const inTime = createInTime(db)
  const leading = (filter: LogFilter, tags: number[], span: Span): Clauses | undefined => {
    const within = { where: ['d.seq BETWEEN ? AND ?'], values: [span.low, span.high], order: ['d.seq'] }
    if (filter.contact !== undefined || filter.person !== undefined) {
      const persons = filter.person === undefined ? search(filter.contact ?? '') : [filter.person]
      if (persons.length === 0) return undefined
      const own = entriesOf(keysOf('SELECT CAST(value AS BIGINT) FROM asked, json_each(asked.persons)'))
      return {
        ...within,
        from: `(WITH asked AS (SELECT ? AS persons) ${own}) AS d`,
        values: [JSON.stringify(persons), ...within.values],
      }
    }
    const first = tags.shift()
    return first === undefined ? { ...within, from: 'audit AS d' } : taggedWith(first, span)
  }
  return (filter, within) => {
    const ids = wordsOf(filter).map((one) => wordId.get(one))
    const tags = ids.filter((id) => id !== undefined)
    if (tags.length < ids.length) return undefined
    if (tags.length > 1) {
      const counts = new Map(tags.map((id) => [id, howMany.get(id) ?? 0]))
      tags.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))
    }
    const time = inTime(filter, within)
    const lead = time && leading(filter, tags, time)
    if (time === undefined || lead === undefined) return undefined
    return {
      ...lead,
      where: [...lead.where, ...tags.map(() => IS_TAGGED), ...time.where],
      values: [...lead.values, ...tags, ...time.values],
    }
  }
}

function createPages(db: Connection, select: Selection) {
  return (filter: LogFilter, { order, from, limit }: LogRange): LoggedEntry[] => {
    const isNewest = order === 'newest'
    const clauses = select(filter, {
      low: from === undefined || isNewest ? 0 : from + 1,
      high: from === undefined || !isNewest ? Number.MAX_SAFE_INTEGER : from - 1,
    })
    if (clauses === undefined) return []
    const sorted = clauses.order.map((column) => `${column} ${isNewest ? 'DESC' : 'ASC'}`).join(', ')
    const sql = `SELECT ${LOG_ROW} FROM ${clauses.from} ${JOIN_LOG}
      WHERE ${clauses.where.join(' AND ')} ORDER BY ${sorted} LIMIT ?`
    return db
      .prepare<unknown[], LogRow>(sql)
      .all(...clauses.values, limit)
      .map(entryOf)
  }
}

type Pages = ReturnType<typeof createPages>

/** More than this of one person is not looked through for names. */
const LIFE = 10_000

interface LinkNames {
  readonly pipeline: string
  readonly key: string
  readonly contact_id: number
  readonly mail_key: string | null
  readonly person: number | null
}

/** What the links of a person say: found by the names that were asked for, and where these are former ones, among all links. */
function createLinkNames(
  db: Connection,
  search: ReturnType<typeof createPersonSearch>,
): (person: number, names: readonly Name[]) => readonly LinkNames[] {
  const select = (where: string) =>
    db.prepare<unknown[], LinkNames>(
      `SELECT pipeline, key, contact_id, mail_key, ${presentPerson('link.person')} AS person FROM link WHERE ${where}`,
    )
  const byKey = select('pipeline = ? AND key = ?')
  const byId = select('contact_id = ?')
  const byMail = select('mail_key = ?')
  const ofAll = select(`person IN (${keysOf('SELECT CAST(? AS BIGINT)')})`)
  const named = (name: Name): readonly LinkNames[] => {
    if (name.kind === 'key') return byKey.all(name.pipeline, name.key)
    return name.kind === 'id' ? byId.all(name.id) : byMail.all(mailKey(name.mail))
  }
  // A link of a state that is older than the number of the person in it: the log knows its key.
  const isOf = (person: number, { pipeline, key, person: own }: LinkNames): boolean =>
    own === null ? search([{ kind: 'key', pipeline, key }]).includes(person) : own === person
  return (person, names) => {
    const found = names.flatMap(named).filter((link) => isOf(person, link))
    const own = found.length > 0 ? found : ofAll.all(person, person)
    return [...own, ...own.flatMap((link) => byId.all(link.contact_id))]
  }
}

function createPeopleReader(db: Connection, search: ReturnType<typeof createPersonSearch>) {
  const namesIn = createNamesIn(db)
  const linkNames = createLinkNames(db, search)
  const own = keysOf('SELECT CAST(@person AS BIGINT)')
  const tokens = db
    .prepare<[{ person: number }], string>(`SELECT token FROM person_key WHERE id IN (${own}) ORDER BY id`)
    .pluck()
  const life = db.prepare<[{ person: number; limit: number }], LogRow>(
    `SELECT ${LOG_ROW} FROM (${entriesOf(own)} ORDER BY 1 LIMIT @limit) AS d ${JOIN_LOG}`,
  )
  const personOf = (person: number, names: readonly Name[]): LoggedPerson => {
    const keys = new Map<string, LoggedPerson['keys'][number]>()
    const ids = new Set<number>()
    const mails = new Set<string>()
    let isWhole = true
    const add = (pipeline: string, key: string): void =>
      void keys.set(JSON.stringify([pipeline, key]), { pipeline, key })
    for (const row of life.iterate({ person, limit: LIFE })) {
      const { pipeline, key, contact_id: id, fields, action, outcome, values } = entryOf(row)
      if (pipeline !== null && key !== null) add(pipeline, key)
      // A contact that a create met may be another one's.
      if (id !== null && (action !== 'create' || outcome === 'done')) ids.add(id)
      for (const mail of [fields['mail']?.from, fields['mail']?.to])
        if (typeof mail === 'string' && mail !== '') mails.add(mail)
      isWhole &&= values === 'open'
    }
    // Values expire; what is linked keeps its names.
    for (const link of isWhole ? [] : linkNames(person, names)) {
      add(link.pipeline, link.key)
      ids.add(link.contact_id)
      const isKnown = [...mails].some((mail) => mailKey(mail) === link.mail_key)
      if (link.mail_key !== null && !isKnown) mails.add(link.mail_key)
    }
    return {
      person,
      tokens: tokens.all({ person }),
      keys: [...keys.values()],
      contactIds: [...ids],
      mails: [...mails],
    }
  }
  return (contact: string, pipeline?: string): LoggedPerson[] => {
    const names = namesIn(contact, pipeline)
    return search(names).map((person) => personOf(person, names))
  }
}

function createRunReader(db: Connection, page: Pages, search: Search) {
  const ordered = db
    .prepare<[string], number>(
      `SELECT s.seq FROM log_word AS w CROSS JOIN log_tag AS r ON r.word = w.id
       CROSS JOIN sealed AS s ON s.seq BETWEEN r.first AND r.last CROSS JOIN person_key AS k ON k.id = s.key_id WHERE w.word = ? ORDER BY coalesce(k.person, k.id), s.seq`,
    )
    .pluck()
  const rows = db.prepare<[string], LogRow>(
    `SELECT ${LOG_ROW} FROM json_each(?) AS j CROSS JOIN audit AS a ON a.seq = CAST(j.value AS BIGINT)
     LEFT JOIN sealed AS s ON s.seq = a.seq LEFT JOIN person_key AS k ON k.id = s.key_id ORDER BY CAST(j.key AS BIGINT)`,
  )
  return function* entriesOfRun(run: string, contact?: string): Generator<LoggedEntry> {
    if (contact !== undefined) {
      for (const person of search(contact)) yield* ofPerson(run, person)
      return
    }
    // Numbers alone, so that the caller may write between two entries.
    const seqs = ordered.all(word.run(run))
    for (let start = 0; start < seqs.length; start += PAGE)
      yield* rows.all(JSON.stringify(seqs.slice(start, start + PAGE))).map(entryOf)
  }
  function* ofPerson(run: string, person: number): Generator<LoggedEntry> {
    for (let from: number | undefined; ;) {
      const some = page(
        { run, person },
        { order: 'oldest', limit: PAGE, ...(from === undefined ? {} : { from }) },
      )
      yield* some
      if (some.length < PAGE) return
      from = some.at(-1)?.seq
    }
  }
}

export type LogReader = {
  readonly [Method in Exclude<keyof SyncLog, 'entriesOfRun'>]: (
    ...args: Parameters<SyncLog[Method]>
  ) => Awaited<ReturnType<SyncLog[Method]>>
} & { entriesOfRun(runId: string, contact?: string): Iterable<LoggedEntry> }

/** Everything of SyncLog, at once: for a worker that owns its connection. */
export function createLogReader(db: Connection): LogReader {
  const print = createPrint(db)
  const persons = createPersonSearch(db, print)
  const namesIn = createNamesIn(db)
  const search: Search = (contact) => persons(namesIn(contact))
  const select = createSelection(db, print, search)
  const page = createPages(db, select)
  const head = db.prepare<[], LogHead>('SELECT seq AS entries, hash FROM audit ORDER BY seq DESC LIMIT 1')
  const one = db.prepare<[number], LogRow>(
    `SELECT ${LOG_ROW} FROM (SELECT CAST(? AS BIGINT) AS seq) AS d ${JOIN_LOG}`,
  )
  const totals = db.prepare<[string], RunTotal>(
    'SELECT action, outcome, entries FROM log_total WHERE run_id = ? ORDER BY action, outcome',
  )
  return {
    logHead: () => head.get() ?? { entries: 0, hash: AUDIT_START },
    logEntry(seq) {
      const row = one.get(seq)
      return row === undefined ? undefined : entryOf(row)
    },
    logPage: page,
    entriesOfRun: createRunReader(db, page, search),
    runTotals: (runId) => totals.all(runId),
    people: createPeopleReader(db, persons),
    checkLog: checkLog(db),
    checkIndexes: () => checkIndexes(db),
    checkKept: () => checkKept(db),
  }
}

export function createSyncLog(db: Connection): SyncLog {
  const reader = createLogReader(db)
  return {
    logHead: async () => reader.logHead(),
    logEntry: async (seq) => reader.logEntry(seq),
    logPage: async (filter, range) => reader.logPage(filter, range),
    async *entriesOfRun(runId, contact) {
      yield* reader.entriesOfRun(runId, contact)
    },
    runTotals: async (runId) => reader.runTotals(runId),
    people: async (contact, pipeline) => reader.people(contact, pipeline),
    checkLog: async (from, limit) => reader.checkLog(from, limit),
    checkIndexes: async () => reader.checkIndexes(),
    checkKept: async () => reader.checkKept(),
  }
}
