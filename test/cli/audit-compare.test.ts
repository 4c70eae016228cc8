// `audit show --as-of` and `audit diff`: yesterday's contact, and what the runs since have changed together.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'compare-key'
const configuration = (url: string): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    blank: clear
    mode: full
    on_missing: delete
    guards: { max_deletes: 100%, max_deletes_per: off }
    map: { mail: mail, first_name: first, phone: phone }
    terms: { policy: managed, assign: [{ column: tags, split: "," }] }
`
let files = 0
const HEADER = 'no,mail,first,phone,tags'
interface Ran {
  readonly run: string
  readonly at: number
}

let sandbox: Sandbox
let place: Place
async function run(...rows: string[]): Promise<Ran> {
  await place.write(`inbox/${(files += 1)}.csv`, [HEADER, ...rows, ''].join('\n'))
  const { pipelines } = (await place.json('run')) as { pipelines: { run_id: string }[] }
  const at = Date.now()
  // The next entry must have a later time than this run's end.
  while (Date.now() <= at + 1);
  return { run: pipelines[0]?.run_id ?? '', at }
}
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url))
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const asOf = async (at: number) => {
  const said = (await place.json(
    'audit',
    'show',
    'anna@example.com',
    '--as-of',
    new Date(at).toISOString(),
  )) as {
    people: {
      as_of: string
      contacts: { exists: boolean; fields: Record<string, { value: string }>; terms: string[] }[]
    }[]
  }
  return said.people[0]?.contacts.map(({ exists, fields, terms }) => ({
    exists,
    ...Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
    terms,
  }))
}

const service = async (path: string, init: RequestInit = {}): Promise<Record<string, unknown>> => {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const answer = await fetch(`${sandbox.url}/public/api/V1/${path}`, { headers, ...init })
  return (await answer.json()) as Record<string, unknown>
}

it('agrees with the service through edits, corrections, an undo and an erasure', async () => {
  await place.write(
    'config.yaml',
    configuration(sandbox.url).replace('    mode:', '    hand_edits: keep\n    mode:'),
  )
  const first = await run('K1,anna@example.com,Anna,1,"A,B"')
  const { people } = (await place.json('audit', 'show', 'K1')) as { people: { contact_ids: number[] }[] }
  const id = people[0]?.contact_ids[0] ?? 0
  const there = async () => {
    const { mail, first_name, phone } = await service(`contact/${id}?fields=mail,first_name,phone`)
    const terms = (await service(`contact/${id}/terms`)) as unknown as { name: string }[]
    return { exists: true, mail, first_name, phone, terms: terms.map(({ name }) => name).sort() }
  }
  const moments = [{ at: first.at, shown: await there() }]
  const note = async (): Promise<number> => {
    const at = Date.now()
    moments.push({ at, shown: await there() })
    while (Date.now() <= at + 1);
    return at
  }
  const again = async (row: string): Promise<string> => {
    const { run: id } = await run(row)
    await note()
    return id
  }
  await service(`contact/${id}`, { method: 'PUT', body: JSON.stringify({ phone: '9' }) })
  await again('K1,anna@example.com,Anne,2,"B,C"')
  expect(moments.at(-1)?.shown).toMatchObject({ first_name: 'Anne', phone: '9', terms: ['B', 'C'] })
  expect((await place.cli('correct', 'shop', 'K1', 'first_name=Annika', '--reason', 'by mail')).code).toBe(0)
  const { pipelines } = (await place.json('run')) as { pipelines: { run_id: string }[] }
  await note()
  expect(moments.at(-1)?.shown.first_name).toBe('Annika')
  expect((await place.cli('undo', pipelines[0]?.run_id ?? '', '--yes')).code).toBe(0)
  await note()
  expect(moments.at(-1)?.shown.first_name).toBe('Anne')
  // What a user wrote is not in the log: there it is as we left it.
  for (const { at, shown } of moments) expect(await asOf(at)).toEqual([{ ...shown, phone: '1' }])
  const other = await run('K2,ben@example.com,Ben,,')
  expect(await place.json('audit', 'diff', first.run, pipelines[0]?.run_id ?? '')).toMatchObject({
    changes: [
      { fields: { first_name: { from: 'Anna', to: 'Annika' } }, terms: { add: ['C'], remove: ['A'] } },
    ],
    without_values: 0,
  })
  expect((await place.cli('audit', 'forget', 'K1', '--yes')).code).toBe(0)
  const left = await place.cli('audit', 'diff', first.run, other.run)
  expect(left.stdout.split('\n')).toEqual([
    expect.stringMatching(/^1 contact changed/),
    expect.stringMatching(/^shop K2 .*: created$/),
    '    first_name: (blank) -> "Ben"',
    '    mail: (blank) -> "ben@example.com"',
    '',
  ])
  expect(left.stderr).toMatch(/\d changes left out: the values are no longer kept/)
})

it('shows a contact at any moment, and what changed between the ends of two runs', async () => {
  const other = 'K2,ben@example.com,Ben,9,'
  const first = await run('K1,anna@example.com,Anna,1,"A,B"', other)
  const second = await run('K1,anna@example.com,Anne,2,"B,C"', other)
  const third = await run('K1,anna@example.com,Anna,,"B,C"', other)
  const fourth = await run(other)
  const mail = 'anna@example.com'
  expect(await asOf(first.at)).toEqual([
    { exists: true, mail, first_name: 'Anna', phone: '1', terms: ['A', 'B'] },
  ])
  expect(await asOf(second.at)).toEqual([
    { exists: true, mail, first_name: 'Anne', phone: '2', terms: ['B', 'C'] },
  ])
  expect(await asOf(third.at)).toEqual([{ exists: true, mail, first_name: 'Anna', terms: ['B', 'C'] }])
  expect(await asOf(fourth.at)).toEqual([{ exists: false, terms: [] }])
  expect(await asOf(first.at - 60_000)).toEqual([])
  const text = await place.cli('audit', 'show', mail, '--as-of', new Date(second.at).toISOString())
  expect(text.stdout).toMatch(/phone: "2" {2}\(since .*, #\d+\)\n {4}terms: B, C/)
  expect(text.stderr).toContain('changes that others made at the service are not in it')

  const changes = { first_name: undefined, phone: { from: '1', to: '' } }
  expect(await place.json('audit', 'diff', third.run, first.run)).toMatchObject({
    from: first.run,
    to: third.run,
    changes: [
      {
        pipeline: 'shop',
        key: 'K1',
        made: false,
        deleted: false,
        fields: { phone: changes.phone },
        terms: { add: ['C'], remove: ['A'] },
      },
    ],
  })
  const diff = await place.cli('audit', 'diff', first.run, second.run)
  expect(diff.stdout.split('\n').slice(1, -1)).toEqual([
    expect.stringMatching(/^shop K1 \(contact \d+\)$/),
    '    first_name: "Anna" -> "Anne"',
    '    phone: "1" -> "2"',
    '    + C',
    '    - A',
  ])
  expect(await place.json('audit', 'diff', first.run, first.run)).toMatchObject({ changes: [] })
  expect(await place.json('audit', 'diff', third.run, fourth.run)).toMatchObject({
    changes: [{ deleted: true }],
  })
  const unknown = await place.cli('audit', 'diff', first.run, 'no-such-run')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('knows a run no-such-run')])
})

it('a run ends before what is released of it later', async () => {
  await place.write('config.yaml', configuration(sandbox.url).replace('max_deletes: 100%', 'max_deletes: 0'))
  const first = await run(
    'K1,anna@example.com,Anna,1,',
    'K2,ben@example.com,Ben,2,',
    'K3,cleo@example.com,Cleo,3,',
  )
  const held = await run('K1,anna@example.com,Anna,1,')
  expect((await place.cli('held', 'release', held.run, '--key', 'K2')).code).toBe(0)
  const { pipelines } = (await place.json('run')) as { pipelines: { run_id: string }[] }
  expect((await place.cli('held', 'drop', held.run, '--key', 'K3')).code).toBe(0)
  expect(await place.json('audit', 'diff', first.run, held.run)).toMatchObject({ changes: [] })
  expect(await place.json('audit', 'diff', held.run, pipelines[0]?.run_id ?? '')).toMatchObject({
    from: held.run,
    changes: [{ key: 'K2', deleted: true }],
  })
})
