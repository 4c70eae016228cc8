// Whose entries they are, over random lives of records: against a plain model, in which every name that an entry says is an
// alias of its person. The log keeps most names in the links alone, and must find at least what the model finds.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { recognition } from '../../../src/core/erasing.ts'
import { type AuditEntry } from '../../../src/core/log/audit.ts'
import { planEntry } from '../../../src/core/log/other-entries.ts'
import { AUDIT_START } from '../../../src/core/log/audit-chain.ts'
import { type Connection, openTemporaryDatabase } from '../../../src/store/file/database.ts'
import { createBatchAppend } from '../../../src/store/log/audit-append.ts'
import { createExpireValues } from '../../../src/store/log/audit-expire.ts'
import { checkIndexes, rebuildIndexes } from '../../../src/store/log/audit-index.ts'
import { keepNamesOfLinks } from '../../../src/store/log/audit-names.ts'
import { createPrint } from '../../../src/store/log/audit-seal.ts'
import { createLogReader, type LogReader } from '../../../src/store/log/audit-read.ts'
import { forgetPerson } from '../../../src/store/log/forget.ts'
import { subjectOf } from '../../../src/store/log/subject.ts'
import { createPipelineTables } from '../../../src/store/pipelines.ts'

const KEYS = ['K1', 'K2', 'K3']
const MAILS = ['a@example.com', 'b@example.com', 'c@example.com']
const IDS = [11, 12, 13, 14]

/** All persons by every name: as the log did before links referred to people. */
function createModel() {
  const aliases = new Map<string, Set<number>>()
  let people: number[] = []
  let next = 1
  const of = (alias: string): number[] => [...(aliases.get(alias) ?? [])].sort((a, b) => a - b)
  const add = (alias: string, person: number) =>
    aliases.set(alias, (aliases.get(alias) ?? new Set<number>()).add(person))
  const isJoined = ({ action, outcome }: AuditEntry): boolean => action !== 'create' || outcome === 'done'
  return {
    of,
    people: (): readonly number[] => people,
    aliases: (): ReadonlyMap<string, ReadonlySet<number>> => aliases,
    enter(entry: AuditEntry): void {
      const { pipeline, key, contact_id: id, fields } = entry
      if (key === null) return void people.push(0)
      const byId = id !== null && isJoined(entry) ? `id:${id}` : undefined
      const ofKey = of(`key:${pipeline}:${key}`)[0]
      const ofId = byId === undefined ? undefined : of(byId)[0]
      if (ofKey !== undefined && ofId !== undefined && ofKey !== ofId) {
        people = people.map((person) => (person === ofKey ? ofId : person))
        for (const persons of aliases.values()) if (persons.delete(ofKey)) persons.add(ofId)
      }
      const person = ofId ?? ofKey ?? (next += 1)
      people.push(person)
      add(`key:${pipeline}:${key}`, person)
      if (byId !== undefined) add(byId, person)
      for (const mail of [fields['mail']?.from, fields['mail']?.to])
        if (typeof mail === 'string') add(`mail:${mail}`, person)
    },
    rename(from: string, to: string, keys: readonly string[]): void {
      for (const key of keys) {
        for (const person of of(`key:${from}:${key}`)) add(`key:${to}:${key}`, person)
        aliases.delete(`key:${from}:${key}`)
      }
    },
    forget(gone: ReadonlySet<number>): void {
      for (const persons of aliases.values()) for (const person of gone) persons.delete(person)
    },
  }
}

interface Link {
  readonly contact_id: number
  readonly mail_key: string | null
}

/** A log over links, and the model beside it. */
function createWorld() {
  const db = openTemporaryDatabase()
  keepNamesOfLinks(db)
  const model = createModel()
  const append = createBatchAppend(db)
  const names = ['shop', 'crm']
  const used = new Set(names)
  const upsert =
    db.prepare(`INSERT INTO link (pipeline, key, contact_id, mail_key, known) VALUES (?, ?, ?, ?, '{}')
    ON CONFLICT (pipeline, key) DO UPDATE SET contact_id = excluded.contact_id, mail_key = excluded.mail_key`)
  const link = db.prepare<[string, string], Link>('SELECT * FROM link WHERE pipeline = ? AND key = ?')
  const owner = db.prepare<[string, number, string], number>(
    'SELECT 1 FROM link WHERE pipeline = ? AND contact_id = ? AND key <> ?',
  )
  /** As a run does: the links of a batch are written first, then all of its entries. */
  let batch: AuditEntry[] = []
  const enter = (...entries: AuditEntry[]) => batch.push(...entries)
  const endBatch = (): void => {
    append(batch)
    for (const entry of batch) model.enter(entry)
    batch = []
  }
  return { db, model, enter, endBatch, names, used, upsert, link, owner, log: createLogReader(db) }
}

type World = ReturnType<typeof createWorld>

const anEntry = (given: Partial<AuditEntry>): AuditEntry => ({
  at: new Date(0).toISOString(),
  run_id: 'run-1',
  pipeline: 'shop',
  key: null,
  contact_id: null,
  action: 'update',
  fields: {},
  terms: { add: [], remove: [] },
  request: null,
  outcome: 'done',
  reason: null,
  source: null,
  config_hash: '',
  ...given,
})

interface Step {
  readonly what: string
  readonly slot: number
  readonly key: string
  readonly mail: string
  readonly id: number
  /** With the next step in one batch. */
  readonly isOpen: boolean
}

const OPERATIONS = ['rename', 'drop', 'forget', 'expire', 'older']

const aStep: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(
    ...['create', 'create', 'fail', 'merged', 'update', 'mail', 'move', 'astray', 'delete', 'twice'],
    ...OPERATIONS,
  ),
  slot: fc.nat(1),
  key: fc.constantFrom(...KEYS),
  mail: fc.constantFrom(...MAILS),
  id: fc.constantFrom(...IDS),
  isOpen: fc.boolean(),
})

const about = { at: 0, runId: 'keeping', pipeline: null, configHash: '' }

/** What a run does to one record. */
function live(world: World, { what, slot, key, mail, id }: Step): void {
  const { enter, upsert, link, owner, db } = world
  const pipeline = world.names[slot] ?? ''
  const own = link.get(pipeline, key)
  const isFree = owner.get(pipeline, id, key) === undefined
  const mailOf = { mail: { from: null, to: mail } }
  const create = { pipeline, key, action: 'create', fields: mailOf } as const
  if (what === 'fail' && own === undefined) enter(anEntry({ ...create, outcome: 'failed' }))
  if (what === 'merged' && own === undefined) enter(anEntry({ ...create, contact_id: id, outcome: 'held' }))
  if ((what === 'create' || what === 'twice') && own === undefined && isFree) {
    upsert.run(pipeline, key, id, mail)
    const entries = [
      anEntry({ ...create, contact_id: id }),
      anEntry({ pipeline, key, contact_id: id, action: 'terms' }),
    ]
    enter(...entries.slice(0, what === 'twice' ? 2 : 1))
  }
  if (own === undefined) return
  const linked = { pipeline, key, contact_id: own.contact_id } as const
  if (what === 'update') enter(anEntry(linked))
  if (what === 'astray') enter(anEntry({ ...linked, contact_id: id, outcome: 'held' }))
  if (what === 'mail') {
    upsert.run(pipeline, key, own.contact_id, mail)
    enter(anEntry({ ...linked, fields: { mail: { from: own.mail_key ?? null, to: mail } } }))
  }
  if (what === 'move' && isFree) {
    upsert.run(pipeline, key, id, own.mail_key)
    enter(anEntry({ ...linked, contact_id: id }))
  }
  if (what === 'delete') {
    db.prepare('DELETE FROM link WHERE pipeline = ? AND key = ?').run(pipeline, key)
    enter(anEntry({ ...linked, action: 'delete' }))
  }
}

/** What an operator does. */
function operate(world: World, { what, slot, mail }: Step): void {
  const { db, model, names, used, log } = world
  const pipeline = names[slot] ?? ''
  const entry = (action: 'rename' | 'drop', name: string) =>
    planEntry({ action, reason: '' }, { ...about, pipeline: name })
  if (what === 'rename') {
    const to = `name-${used.size}`
    const keys = db.prepare<[string], string>('SELECT key FROM link WHERE pipeline = ?').pluck().all(pipeline)
    createPipelineTables(db).rename({ from: pipeline, to }, entry('rename', to))
    model.rename(pipeline, to, keys)
    model.enter(entry('rename', to))
    names[slot] = to
    used.add(to)
  }
  if (what === 'drop') {
    createPipelineTables(db).drop(pipeline, entry('drop', pipeline))
    model.enter(entry('drop', pipeline))
  }
  if (what === 'expire' && createExpireValues(db)(86_400_000, 1000, about) > 0) model.enter(entry('drop', ''))
  if (what === 'older') makeOlder(world)
  if (what === 'forget') {
    const people = log.people(mail)
    if (people.length === 0) return
    const seqs = people.flatMap(({ person }) => found(log, person))
    const subject = subjectOf(db, people)
    const recognised = recognition({ keys: [], mails: [], values: [] })
    forgetPerson(db, {
      subject,
      people,
      recognition: recognised,
      cleared: [],
      records: 0,
      at: 0,
      runId: 'erasing',
    })
    model.forget(new Set(seqs.map((seq) => model.people()[seq - 1] ?? 0)))
    model.enter(entry('drop', ''))
  }
}

/** Leaves the tables as the version before did, which wrote every name as an alias, and no person into a link. */
function makeOlder({ db, model }: World): void {
  const print = createPrint(db)
  const persons = realPersons(db)
  const real = new Map(model.people().map((person, index) => [person, persons[index] ?? 0]))
  db.exec('UPDATE link SET person = NULL; DELETE FROM person_alias')
  const add = db.prepare('INSERT INTO person_alias VALUES (?, ?)')
  for (const [alias, ofAlias] of model.aliases()) {
    const [kind = '', ...parts] = alias.split(':')
    for (const person of ofAlias) add.run(print(kind as 'key', ...parts), real.get(person) ?? 0)
  }
}

const found = (log: LogReader, person: number): number[] =>
  log.logPage({ person }, { order: 'oldest', limit: 10_000 }).map(({ seq }) => seq)

const sorted = (numbers: Iterable<number>): number[] => [...new Set(numbers)].sort((a, b) => a - b)

/** The person of a link that says the name, whatever its entries say. */
function saidByLinks(db: Connection, where: string, value: string | number): number[] {
  return db
    .prepare<[string | number], number>(
      `SELECT coalesce(k.person, k.id) FROM link JOIN person_key AS k ON k.id = link.person WHERE ${where} = ?`,
    )
    .pluck()
    .all(value)
}

function assertAllFound({ db, model, log, used }: World): void {
  const ofModel = (persons: readonly number[]): number[] =>
    model.people().flatMap((person, index) => (persons.includes(person) ? [index + 1] : []))
  const ofLog = (contact: string): number[] =>
    sorted(log.people(contact).flatMap(({ person }) => found(log, person)))
  const check = (contact: string, aliases: readonly string[], links: readonly number[]): void => {
    const wanted = ofModel(aliases.flatMap(model.of))
    expect([contact, ofLog(contact)]).toEqual([
      contact,
      sorted([...wanted, ...links.flatMap((person) => found(log, person))]),
    ])
  }
  const named = [...used]
  for (const key of KEYS)
    check(
      `key:${key}`,
      named.map((name) => `key:${name}:${key}`),
      saidByLinks(db, 'key', key),
    )
  for (const mail of MAILS) check(`mail:${mail}`, [`mail:${mail}`], saidByLinks(db, 'mail_key', mail))
  for (const id of IDS) check(`id:${id}`, [`id:${id}`], saidByLinks(db, 'contact_id', id))
}

/** Of each entry. */
const realPersons = (db: Connection): number[] =>
  db
    .prepare<[], number>(
      'SELECT coalesce(k.person, k.id) FROM sealed AS s JOIN person_key AS k ON k.id = s.key_id ORDER BY s.seq',
    )
    .pluck()
    .all()

/** Entries of one person are those of one person in the model, too. */
function assertSamePeople({ db, model }: World): void {
  const persons = realPersons(db)
  const pairs = new Set(persons.map((person, index) => `${person} ${model.people()[index]}`))
  expect([new Set(persons).size, new Set(model.people()).size]).toEqual([pairs.size, pairs.size])
}

/** The values of an older state have expired, and the person is erased by a name that only a link and an alias say. */
const EXPIRED_IN_OLDER: Step[] = ['create', 'older', 'expire', 'forget', 'move', 'drop'].map((what) => ({
  ...{ what, slot: what === 'forget' ? 0 : 1, key: 'K3', mail: 'c@example.com', id: 11, isOpen: false },
}))

it('over any life, everybody is found by every name, and nobody is two or one of two', () => {
  fc.assert(
    fc.property(fc.array(aStep, { maxLength: 30 }), (steps) => {
      const world = createWorld()
      const { db, log } = world
      try {
        for (const step of steps) {
          live(world, step)
          if (step.isOpen && !OPERATIONS.includes(step.what)) continue
          world.endBatch()
          operate(world, step)
        }
        world.endBatch()
        assertSamePeople(world)
        assertAllFound(world)
        expect(log.checkLog({ seq: 0, hash: AUDIT_START }, 10_000).bad).toBeUndefined()
        expect(checkIndexes(db)).toBeUndefined()
        rebuildIndexes(db)
        assertAllFound(world)
        db.exec('UPDATE link SET person = NULL; DELETE FROM person_alias')
        rebuildIndexes(db)
        expect(checkIndexes(db)).toBeUndefined()
      } finally {
        db.close()
      }
    }),
    { numRuns: 200, examples: [[EXPIRED_IN_OLDER]] },
  )
}, 120_000)

it('a bulk of creates writes no alias: the links say by what everybody is found', () => {
  const { db, upsert, enter, endBatch, log } = createWorld()
  const entries = Array.from({ length: 100 }, (_, index) =>
    anEntry({
      key: `N${index}`,
      contact_id: index,
      action: 'create',
      fields: { mail: { from: null, to: `${index}@x.de` } },
    }),
  )
  for (const { key, contact_id: id } of entries) upsert.run('shop', key, id, `${id}@x.de`)
  enter(...entries)
  endBatch()
  expect(db.prepare('SELECT count(*) FROM person_alias').pluck().get()).toBe(0)
  for (const contact of ['N7', '7', '7@x.de']) expect(log.people(contact)).toHaveLength(1)
  db.close()
})

const K1 = { slot: 0, key: 'K1', mail: 'a@example.com', id: 11, isOpen: false }

it.each<readonly [string, readonly Step[]]>([
  [
    'a record of a pipeline that is renamed, dropped, and renamed again',
    ['create', 'rename', 'drop', 'rename'].map((what) => ({ ...K1, what })),
  ],
  [
    'a mail that changes and changes back, again and again',
    ['create', 'mail', 'mail', 'mail', 'mail'].map((what, index) => ({
      ...K1,
      what,
      mail: MAILS[index % 2] ?? '',
    })),
  ],
  [
    'a link that changes to the contact of another link',
    [
      { ...K1, what: 'create' },
      { ...K1, what: 'create', slot: 1, id: 12 },
      { ...K1, what: 'move', slot: 1, id: 11 },
    ],
  ],
  [
    'a link that changes to a contact that was that of a link which is gone',
    [
      { ...K1, what: 'create' },
      { ...K1, what: 'create', key: 'K2', id: 12 },
      { ...K1, what: 'delete' },
      { ...K1, what: 'move', key: 'K2', id: 11 },
    ],
  ],
])('everybody is found after %s', (_, steps) => {
  const world = createWorld()
  for (const step of steps) {
    live(world, step)
    world.endBatch()
    operate(world, step)
  }
  assertSamePeople(world)
  assertAllFound(world)
  expect(checkIndexes(world.db)).toBeUndefined()
  world.db.close()
})
