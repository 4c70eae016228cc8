// The owner of the state is killed between any two steps of a decision, of every kind: the next owner finds it taken whole, takes
// it whole, or finds nothing of it; and the sync log says which.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Deciding, KINDS, type KindName } from '../../../src/app/decisions/kinds.ts'
import { resumeDecisions, takeDecision, UNWATCHED } from '../../../src/app/decisions/taking.ts'
import { loadConfiguration } from '../../../src/app/run/configuration.ts'
import type { Settings } from '../../../src/core/settings.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts'
import { type OwnedState, openState } from '../../../src/store/state-store.ts'
import { systemClock } from '../../../src/system.ts'
import { openPlace, type Place } from '../../support/in-process.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const KEY = 'a-key'
const TOKEN = 'b'.repeat(31)

const PIPELINES = {
  shop: `
    mode: full
    on_missing: delete
    guards: { max_deletes: 0, max_deletes_per: off }
    hand_edits: keep
    map: { mail: mail, first_name: first, family_name: last, date_of_birth: { column: born, date: auto } }`,
  club: `
    mode: full
    on_missing: delete
    guards: { max_deletes: 100%, max_deletes_per: off }
    map: { mail: mail, first_name: first }`,
  news: `
    map: { mail: mail, first_name: first }
    terms: { policy: managed, create_missing: true, assign: [{ column: tags }] }
    guards: { brake: { terms: [Newsletter], above: 3, first: 1, watch: 24h, stop_when: { refused: 10% } } }`,
  post: `
    map: { first_name: first, family_name: last, ba_street: street, ba_city: city, ba_postal_code: zip }`,
  former: `
    map: { mail: mail }`,
  lost: `
    map: { mail: mail }`,
  heir: `
    map: { mail: mail }`,
}
type Name = keyof typeof PIPELINES

const configuration = (url: string, names: readonly Name[]): string => `
service:
  base_url: "${url}"
  api_key: "${KEY}"
  rate_limit: { requests: 500, per: 1s }
  retry: { attempts: 1 }
  doubt: { quiesce: 0s, absent_reads: 1 }
state: { path: state/contact-sync.db }
server:
  port: 0
  users: [{ name: anna, token: "${TOKEN}a", role: approver }, { name: bert, token: "${TOKEN}b", role: approver }]
approvals: [{ pipelines: [club], when: { deletes: 1 }, by: 2 }]
pipelines:${names
  .map(
    (name) => `
  ${name}:
    source: { type: csv, folder: inbox/${name}, settle: 0s }
    key: no${PIPELINES[name]}`,
  )
  .join('')}
`

const BEFORE: readonly Name[] = ['shop', 'club', 'news', 'post', 'former', 'lost']
const NOW: readonly Name[] = ['shop', 'club', 'news', 'post', 'heir']

const rows = (header: string, lines: readonly string[]): string => [header, ...lines, ''].join('\n')
const people = (name: string, count: number, more: { column: string; value: string }): string =>
  rows(
    `no,mail,first,${more.column}`,
    Array.from({ length: count }, (_, at) => `${name}${at},${name}${at}@example.com,A,${more.value}`),
  )
const shopRows = (count: number, surname: string, more: readonly string[] = []): string =>
  rows('no,mail,first,last,born', [
    ...Array.from({ length: count }, (_, at) => `shop${at},shop${at}@example.com,A,${surname},13/02/1990`),
    ...more,
  ])

let sandbox: Sandbox
let place: Place
let settings: Settings
/** The last run of each pipeline. */
const runs: Record<string, string> = {}
const doubts: number[] = []
/** A record of news whose term a brake holds: which of them got it first was drawn. */
let braked = ''

async function run(name: Name, file: string, text: string): Promise<void> {
  await place.write(`inbox/${name}/${file}`, text)
  const { pipelines } = (await place.json('run', name)) as unknown as { pipelines: { run_id: string }[] }
  runs[name] = pipelines[0]?.run_id ?? ''
}

const ask = (method: string, path: string, body: unknown): Promise<Response> =>
  fetch(`${sandbox.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock, control: true })
  place = await openPlace({})
  await place.write('config.yaml', configuration(sandbox.url, BEFORE))
  await run('shop', '1.csv', shopRows(6, 'Early', ['shop9,nonsense,C,D,01/02/1990']))
  expect((await ask('PUT', '/public/api/V1/contact/2', { family_name: 'By hand' })).status).toBe(200)
  await run('shop', '2.csv', shopRows(5, 'Late'))
  await run('club', '1.csv', people('club', 4, { column: 'note', value: '' }))
  await run('club', '2.csv', people('club', 2, { column: 'note', value: '' }))
  await run('news', '1.csv', people('news', 8, { column: 'tags', value: 'Newsletter' }))
  await run('former', '1.csv', people('former', 2, { column: 'note', value: '' }))
  await run('lost', '1.csv', people('lost', 2, { column: 'note', value: '' }))
  sandbox.control.faults.add({ match: 'POST *', next: 9, do: 'lost', ms: 0 })
  await run('post', '1.csv', rows('no,first,last,street,city,zip', ['post1,Ada,Beispiel,Weg 1,Ort,01234']))
  sandbox.control.faults.clear()
  const open = (await place.json('doubts', 'list')) as { doubts: { id: number }[] }
  doubts.push(...open.doubts.map(({ id }) => id))
  expect((await place.cli('correct', 'shop', 'shop3', 'first_name=Ann')).code).toBe(0)
  expect((await place.cli('pause', 'club')).code).toBe(0)
  expect((await place.cli('audit', 'forget', 'club0@example.com', '--yes')).code).toBe(0)
  // A term is renamed once the configuration has its new name.
  const renamed = configuration(sandbox.url, NOW).replace('terms: [Newsletter]', 'terms: [Letters]')
  await place.write('config.yaml', renamed)
  const loaded = await loadConfiguration(place.path('config.yaml'), {})
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  settings = loaded.settings
  const state = opened(place.path('state'))
  for await (const { guard, key } of state.held(['news'])) if (guard === 'brake') braked = key
  await state.close()
  expect(braked).toMatch(/^news\d$/)
})
afterAll(async () => {
  await sandbox.close()
  await place.close()
})

type Dump = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

function dump(folder: string): Dump {
  const db = new Database(join(folder, 'contact-sync.db'), { readonly: true })
  try {
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all()
    return Object.fromEntries(
      tables.map((table) => [table, db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all()]),
    )
  } finally {
    db.close()
  }
}

const textOf = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('hex') : JSON.stringify(value ?? null)

/** Names of columns, with their tables, whose values chance and the clock make: two courses without a kill differ in them. */
function volatile(one: Dump, other: Dump): ReadonlySet<string> {
  const names = Object.entries(one).flatMap(([table, found]) =>
    found.flatMap((row, at) =>
      Object.keys(row)
        .filter((column) => textOf(row[column]) !== textOf(other[table]?.[at]?.[column]))
        .map((column) => `${table}.${column}`),
    ),
  )
  return new Set(names)
}

/** Numbers of inputs: one that was never read to its end, and counts for nothing, has taken the next one. */
const NUMBERS = new Set([
  'input.id',
  'operation.id',
  'operation.input_id',
  'hold.input_id',
  'approval_need.operation',
])

/** What of it counts, as lines that can be compared. */
function comparable(state: Dump, left: ReadonlySet<string>): string[] {
  const unread = new Set(
    (state['input'] ?? []).filter((row) => row['state'] === 'reading').map((row) => row['id']),
  )
  const counts = (table: string, row: Readonly<Record<string, unknown>>): boolean =>
    !unread.has(table === 'input' ? row['id'] : row['input_id'])
  return Object.entries(state).flatMap(([table, found]) =>
    found
      .filter((row) => counts(table, row))
      .map((row) => {
        const kept = Object.entries(row).filter(([column]) => {
          const name = `${table}.${column}`
          return !left.has(name) && !NUMBERS.has(name)
        })
        return `${table} ${kept.map(([column, value]) => `${column}=${textOf(value)}`).join(' ')}`
      }),
  )
}

class Killed extends Error {}

/** After so many steps nothing is done any more, as if the process had been killed there. */
function mortal(state: OwnedState, steps: number): { state: OwnedState; isDead(): boolean } {
  let left = steps
  const guard = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver)
        if (typeof value === 'object' && value !== null) return guard(value)
        if (typeof value !== 'function') return value
        return (...args: unknown[]): unknown => {
          left -= 1
          if (left < 0) throw new Killed('killed')
          return (value as (...given: unknown[]) => unknown).apply(target, args)
        }
      },
    })
  return { state: guard(state), isDead: () => left < 0 }
}

const opened = (folder: string): OwnedState =>
  openState(join(folder, 'contact-sync.db'), { pid: process.pid, since: Date.now(), thorough: false })

const inFolder = (folder: string): Settings => ({
  ...settings,
  state: { ...settings.state, path: join(folder, 'contact-sync.db') },
})

interface Course {
  readonly isDead: boolean
  /** Written down, and not concluded, when the owner was killed. */
  readonly wasOpen: boolean
  readonly left: Dump
}

/** Takes the decision on a copy of the state, until so many steps are done; then the next owner comes. */
async function course(deciding: Deciding<KindName>, steps: number): Promise<Course> {
  const folders = [await mkdtemp(join(tmpdir(), 'owner-')), await mkdtemp(join(tmpdir(), 'next-'))] as const
  try {
    await cp(place.path('state'), folders[0], { recursive: true })
    const first = opened(folders[0])
    const { state, isDead } = mortal(first, steps)
    const owner = (of: OwnedState, folder: string) => ({
      ...{ settings: () => inFolder(folder), state: of, signal: new AbortController().signal },
    })
    const how = { isConfirmed: true, watching: UNWATCHED }
    await takeDecision(owner(state, folders[0]), deciding, how).catch((error: unknown) => {
      if (!isDead()) throw error
    })
    // What is on the disk at that moment; nothing that closing adds.
    await cp(folders[0], folders[1], { recursive: true })
    await first.close()
    await rm(join(folders[1], 'contact-sync.db.lock'), { force: true, recursive: true })
    const next = opened(folders[1])
    const wasOpen = (await next.openDecisions()).length > 0
    await resumeDecisions(owner(next, folders[1]))
    await next.close()
    await ask('PUT', '/public/api/V1/terms/1', { name: 'Newsletter' })
    return { isDead: isDead(), wasOpen, left: dump(folders[1]) }
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true })
  }
}

const ENDLESS = Number.MAX_SAFE_INTEGER

const decided = { by: 'bert', role: 'approver', note: 'as agreed' } as const
const one = <Name extends KindName>(kind: Name, args: () => Deciding<Name>['args']) =>
  ({ kind, decide: () => ({ kind, args: args(), decided }) as Deciding<KindName> }) as const

const DECISIONS = [
  one('held release', () => ({ run: runs['shop'] ?? '', remaining: false })),
  one('held release', () => ({ run: runs['shop'] ?? '', key: 'shop5', remaining: false })),
  one('held release', () => ({ run: runs['news'] ?? '', remaining: false })),
  one('held release', () => ({ run: runs['club'] ?? '', remaining: true })),
  one('held drop', () => ({ run: runs['shop'] ?? '' })),
  one('held drop', () => ({ run: runs['news'] ?? '', key: braked })),
  one('edits release', () => ({ pipeline: 'shop', key: 'shop1' })),
  one('correct', () => ({ pipeline: 'shop', record: 'shop4', fields: { family_name: 'Right' } })),
  one('corrections drop', () => ({ id: 1 })),
  one('corrections import', () => ({
    rows: [{ pipeline: 'shop', record: 'shop0', fields: { first_name: 'Zoe' }, note: 'from the owner' }],
  })),
  one('drift repair', () => ({ pipeline: 'shop', contacts: [{ key: 'shop2', names: ['first_name'] }] })),
  one('pause', () => ({ pipelines: ['shop', 'news'] })),
  one('resume', () => ({ pipelines: ['club'] })),
  one('doubts resolve', () => ({ id: doubts[0] ?? 0, verdict: { done: false } })),
  one('doubts resolve', () => ({ id: doubts[0] ?? 0, verdict: { done: true, contactId: 1 } })),
  one('audit forget', () => ({ contact: 'shop3@example.com' })),
  one('audit readmit', () => ({ contact: 'club0@example.com' })),
  one('state rename-pipeline', () => ({ from: 'former', to: 'heir' })),
  one('state drop-pipeline', () => ({ name: 'lost' })),
  one('state forget-date-order', () => ({ pipeline: 'shop' })),
  one('audit rebuild-index', () => ({})),
  one('terms rename', () => ({ from: 'Newsletter', to: 'Letters' })),
]

/** Has one step: what it changes, its entry and its end are one transaction. It is tried beside a daemon. */
const OF_ONE_STEP: readonly string[] = ['state rebind']

describe('an owner that is killed between any two steps', () => {
  it.each(DECISIONS)('of "$kind" leaves it to the next one, whole or not at all', async ({ decide }) => {
    const deciding = decide()
    const before = dump(place.path('state'))
    const whole = await course(deciding, ENDLESS)
    const again = await course(deciding, ENDLESS)
    const left = volatile(whole.left, again.left)
    const [none, done] = [comparable(before, left), comparable(whole.left, left)]
    expect(done.filter((line) => line.startsWith('audit ')).length).toBeGreaterThan(
      none.filter((line) => line.startsWith('audit ')).length,
    )
    const found: boolean[] = []
    for (let steps = 0; ; steps += 1) {
      const killed = await course(deciding, steps)
      const lines = comparable(killed.left, left)
      const isWhole = lines.join('\n') === done.join('\n')
      // Once it is written down it is taken.
      if (!isWhole) expect(lines, `killed after ${steps} steps`).toEqual(killed.wasOpen ? done : none)
      found.push(isWhole)
      if (!killed.isDead) break
    }
    // Both ends are met, and from some step on it is never lost again.
    expect(found[0]).toBe(false)
    expect(found.at(-1)).toBe(true)
    expect(found).toEqual(found.toSorted((left, right) => Number(left) - Number(right)))
  })

  it('are all kinds that are written down', () => {
    const written = Object.entries(KINDS).filter(
      ([name, { needs }]) => needs !== 'daemon' && !OF_ONE_STEP.includes(name),
    )
    expect(new Set(DECISIONS.map(({ kind }) => kind as string))).toEqual(
      new Set(written.map(([name]) => name)),
    )
  })
})
