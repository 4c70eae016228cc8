// Records of a tap, after they were fetched: what the commands say of them, and how they go together with other kinds.
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logExcerpt } from '../../src/core/log/log-excerpt.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'key-of-the-tap'
let place: Place
let sandbox: Sandbox
beforeEach(async () => {
  place = await openPlace({ KEY })
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const TAP = {
  type: 'singer',
  command: ['/bin/sh', '-c', 'echo INFO anna@tap.example >&2; cat said.jsonl'],
  stream: 'people',
}

const configure = (source: object = TAP): Promise<void> =>
  place.write(
    'config.yaml',
    `service: { base_url: "${sandbox.url}", api_key: "\${KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/sync.db }
log: { folder: log }
pipelines:
  crm:
    source: ${JSON.stringify(source)}
    mode: full
    key: id
    map: { mail: email, first_name: name }
`,
  )

const PEOPLE = [
  { id: '1', email: 'anna@tap.example', name: 'Anna' },
  { id: '2', email: 'no address', name: 'Bo' },
  { id: '3', email: 'cleo@tap.example', name: 'Cleo' },
]
const said = (people: readonly object[], position: object = { at: 1 }): Promise<void> =>
  place.write(
    'said.jsonl',
    [
      { type: 'SCHEMA', stream: 'people', schema: { properties: { id: {}, email: {}, name: {} } } },
      ...people.map((record) => ({ type: 'RECORD', stream: 'people', record })),
      { type: 'STATE', value: position },
    ]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  )

const spooled = (): string => {
  const folder = place.path('state', 'spool', 'crm', 'processed')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.'))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('\n')
}

describe('records of a tap', () => {
  it('are explained and rejected by stream and number of the record, and tried again', async () => {
    await configure()
    await said(PEOPLE)
    expect(await place.json('run')).toMatchObject({
      status: 'partial',
      pipelines: [{ created: 2, rejected: 1 }],
    })
    const { stdout: explained } = await place.cli('explain', 'crm', '3')
    expect(explained).toMatch(/^crm 3: contact \d+, fetch-\d{8}-\d{6}-people\.jsonl:3\n/)
    expect(await place.json('rejects', 'list')).toMatchObject({
      rejects: [
        {
          pipeline: 'crm',
          file: expect.stringMatching(/^fetch-\d{8}-\d{6}-people\.jsonl$/) as string,
          line: 2,
        },
      ],
    })
    // Corrected at the source.
    await said(PEOPLE.map((one) => ({ ...one, email: one.email.replace('no address', 'bo@tap.example') })))
    expect(await place.json('run')).toMatchObject({ status: 'ok', pipelines: [{ created: 1, unchanged: 2 }] })
    expect(await place.json('rejects', 'list')).toEqual({ rejects: [] })
  })

  it('of somebody who was erased are gone from what was fetched, too', async () => {
    await configure()
    await said(PEOPLE)
    await place.cli('run')
    expect(spooled()).toContain('anna@tap.example')
    expect((await place.cli('audit', 'forget', 'anna@tap.example', '--yes')).code).toBe(0)
    expect(spooled()).not.toMatch(/anna/i)
    expect(spooled()).toContain('cleo@tap.example')
    // Told again, she is not taken.
    expect(await place.json('run')).toMatchObject({ pipelines: [{ created: 0, erased: 1 }] })
    expect(spooled()).not.toMatch(/anna/i)
  })

  it('of somebody who was erased are gone from a fetch that was killed; a position that names them is told', async () => {
    await configure()
    await said(PEOPLE, { last: 'anna@tap.example' })
    await place.cli('run')
    const killed = ['.fetch-20261128-090000-people.jsonl.part', '.tap-state.json']
    for (const name of killed)
      await place.write(`state/spool/crm/${name}`, '{"id":"1","email":"anna@tap.example"}\n{"id":"3","em')
    const told = await place.json('audit', 'forget', 'anna@tap.example', '--yes')
    expect(readdirSync(place.path('state', 'spool', 'crm'))).toEqual(['processed'])
    expect(told).toMatchObject({
      removed: {
        files: [
          { file: `crm: ${killed[0]}`, records: 1 },
          { file: `crm: ${killed[1]}`, records: 1 },
          { records: 1 },
        ],
      },
      outside: expect.arrayContaining([
        expect.stringMatching(/^the position of crm in its source/),
      ]) as string[],
    })
    const other = await place.json('audit', 'forget', 'cleo@tap.example', '--yes')
    expect(JSON.stringify(other)).not.toContain('position')
  })

  it('are the same contacts as those of a file', async () => {
    const people = PEOPLE.filter(({ id }) => id !== '2')
    await configure({ type: 'csv', folder: 'in', settle: '0s' })
    await place.write(
      'in/a.csv',
      ['id,email,name', ...people.map((one) => Object.values(one).join(',')), ''].join('\n'),
    )
    expect(await place.json('run')).toMatchObject({ pipelines: [{ created: 2 }] })
    await configure()
    await said(people)
    expect(await place.json('run')).toMatchObject({
      status: 'ok',
      pipelines: [{ unchanged: 2, requests: 0, deleted: 0 }],
    })
  })

  it('leave no address of what the tap says in the log, and none of its words in a support bundle', async () => {
    await configure()
    await said(PEOPLE)
    await place.cli('run')
    const [file = ''] = readdirSync(place.path('log'))
    const log = readFileSync(place.path('log', file), 'utf8')
    expect(log).toContain('"text":"INFO [address]"')
    expect(log).not.toContain('anna@tap.example')
    const told = log.split('\n').filter((line) => line.includes('message from the tap'))
    expect(told.map(logExcerpt)).toEqual([expect.not.stringContaining('INFO [address]')])
  })
})
