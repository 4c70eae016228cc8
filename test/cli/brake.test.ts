// A brake on a term by the command line: what is told, listed, released and dropped.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'brake-key'
const pipeline = (name: string, brake: string): string => `
  ${name}:
    source: { type: csv, folder: inbox/${name}, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }
    terms: { policy: managed, assign: [{ column: tags }] }
    guards: { brake: ${brake} }`
const BRAKE =
  '{ terms: [Newsletter], above: 5, first: 2, watch: 24h, stop_when: { unsubscribed: 2%, refused: 1% } }'
const configuration = (url: string, ...pipelines: string[]): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:${pipelines.join('')}
`

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url, pipeline('shop', BRAKE)))
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const people = (from: number, to: number): string =>
  [
    'no,mail,first,tags',
    ...Array.from({ length: to - from + 1 }, (_, index) => {
      const number = from + index
      return `K${number},person${number}@example.com,A,Newsletter`
    }),
    '',
  ].join('\n')

async function given(): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}` }
  let count = 0
  for (let id = 1; id <= 20; id += 1) {
    const answer = await fetch(`${sandbox.url}/public/api/V1/contact/${id}/terms`, { headers })
    if (answer.ok && JSON.stringify(await answer.json()).includes('Newsletter')) count += 1
  }
  return count
}

describe('above the number', () => {
  let run = ''
  beforeEach(async () => {
    await place.write('inbox/shop/1.csv', people(1, 12))
    const told = await place.cli('run', '--json')
    expect(told).toMatchObject({ code: 4 })
    run = (JSON.parse(told.stdout) as { pipelines: { run_id: string }[] }).pipelines[0]?.run_id ?? ''
  })

  it('says what waits and why; an operator releases it before the time', async () => {
    expect(await given()).toBe(2)
    const list = await place.cli('held', 'list')
    expect(list.stdout).toContain(
      `shop: run ${run}: 10 changes held by brake: they wait for the term Newsletter: the first contacts that got it are watched`,
    )
    expect(await place.json('held', 'list')).toMatchObject({ held: [{ guard: 'brake', number: 10 }] })
    expect(await place.json('status')).toMatchObject({ pipelines: [{ held: 10 }] })
    expect((await place.cli('run')).code).toBe(4)
    expect((await place.cli('held', 'release', run, '--reason', 'looked myself')).stdout).toContain(
      '10 changes of shop released',
    )
    expect(await place.cli('run')).toMatchObject({ code: 0 })
    expect(await given()).toBe(12)
    const log = (await place.cli('audit', 'list')).stdout
    expect(log).toContain('drawn at random')
    expect(log).toMatch(/terms done; \+ Newsletter; 1\.csv:\d+/)
    expect((await place.cli('audit', 'verify')).code).toBe(0)
  })

  it('the totals of the run add up: who was created and given the term counts once', async () => {
    expect(await place.json('audit', 'run', run)).toMatchObject({ adds_up: true })
    await place.cli('audit', 'forget', 'K1', '--yes')
    expect(await place.json('audit', 'run', run)).toMatchObject({ adds_up: true })
  })

  it('one record is released, the others are dropped and not asked again by the same file', async () => {
    const { held } = (await place.json('held', 'list')) as { held: { changes: { key: string }[] }[] }
    const key = held[0]?.changes[0]?.key ?? ''
    expect((await place.cli('held', 'release', run, '--key', key)).code).toBe(0)
    expect((await place.cli('held', 'drop', run, '--reason', 'no mailing')).stdout).toContain(
      '9 changes of shop dropped',
    )
    expect((await place.cli('run')).code).toBe(0)
    expect(await given()).toBe(3)
    await place.write('inbox/shop/2.csv', people(1, 12))
    expect((await place.cli('run')).code).toBe(0)
    expect(await given()).toBe(3)
  })

  it('an erased person waits for nothing', async () => {
    const { held } = (await place.json('held', 'list')) as { held: { changes: { key: string }[] }[] }
    expect((await place.cli('audit', 'forget', held[0]?.changes[0]?.key ?? '', '--yes')).code).toBe(0)
    expect(await place.json('held', 'list')).toMatchObject({ held: [{ number: 9 }] })
  })
})

it('a plan in which a brake begins names no command, as no run has it yet; the next one names that of the run', async () => {
  await place.write('inbox/shop/1.csv', people(1, 12))
  const plan = await place.cli('plan')
  expect(plan.stdout).toContain('held: 10 records wait for the term Newsletter')
  expect(plan.stdout).not.toContain('held release')
  const run = await place.cli('run')
  const [command = 'none'] = /contact-sync held release \S+/.exec(run.stdout) ?? []
  expect((await place.cli('plan')).stdout).toContain(`to give it to them now: ${command}\n`)
})

it('lists what waits under the pipeline that it is of, where several wait for one term', async () => {
  await place.write(
    'config.yaml',
    configuration(sandbox.url, pipeline('shop', BRAKE), pipeline('crm', BRAKE)),
  )
  await place.write('inbox/shop/1.csv', people(1, 8))
  await place.write('inbox/crm/1.csv', people(11, 13))
  await place.cli('run')
  const { held } = (await place.json('held', 'list')) as {
    held: { pipeline: string; number: number; changes: { pipeline: string }[] }[]
  }
  expect(held.map((plan) => [plan.pipeline, plan.number]).sort()).toEqual([
    ['crm', 3],
    ['shop', 6],
  ])
  for (const plan of held)
    expect(plan.changes.map((change) => change.pipeline)).toEqual(
      Array.from({ length: plan.number }, () => plan.pipeline),
    )
  const text = (await place.cli('held', 'list')).stdout
  expect(text.match(/^ {4}update K11 /gm)).toHaveLength(1)
})

it('a record is released and dropped of one pipeline, where several hold records of its key', async () => {
  await place.write(
    'config.yaml',
    configuration(sandbox.url, pipeline('shop', BRAKE), pipeline('crm', BRAKE)),
  )
  await place.write('inbox/shop/1.csv', people(1, 12))
  await place.write('inbox/crm/1.csv', people(1, 12).replaceAll('person', 'other'))
  await place.cli('run')
  interface Held {
    readonly run_id: string
    readonly pipeline: string
    readonly changes: readonly { key: string }[]
  }
  const plans = async () => ((await place.json('held', 'list')) as { held: Held[] }).held
  const [shop, crm] = ['shop', 'crm'].map(async (name) =>
    (await plans()).find((plan) => plan.pipeline === name),
  )
  const keys = new Set((await crm)?.changes.map(({ key }) => key))
  const key = (await shop)?.changes.find((change) => keys.has(change.key))?.key ?? ''
  const run = (await shop)?.run_id ?? ''
  for (const action of ['release', 'drop']) {
    const unclear = await place.cli('held', action, run, '--key', key)
    expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining('--pipeline NAME') as string })
    expect(unclear.stderr).toMatch(/several pipelines: (shop, crm|crm, shop)/)
  }
  const [, wrong] = await Promise.all([
    place.cli('held', 'release', run, '--key', key, '--pipeline', 'crm'),
    place.cli('held', 'release', run, '--pipeline', 'crm'),
  ])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--key KEY') as string })
  await place.cli('run')
  const left = await plans()
  const waits = (name: string) =>
    left.filter((plan) => plan.pipeline === name).flatMap((plan) => plan.changes.map((one) => one.key))
  expect(waits('crm')).not.toContain(key)
  expect(waits('shop')).toContain(key)
})

it('check refuses two brakes on one term, and a policy that would take it away', async () => {
  const other = BRAKE.replace('above: 5', 'above: 6').replace('Newsletter', 'newsletter')
  await place.write(
    'config.yaml',
    configuration(sandbox.url, pipeline('shop', BRAKE), pipeline('crm', other)),
  )
  const two = await place.cli('check')
  expect(two).toMatchObject({ code: 2 })
  expect(two.stdout).toContain('has another brake in pipelines.shop.guards.brake')
  await place.write(
    'config.yaml',
    configuration(sandbox.url, pipeline('shop', BRAKE).replace('managed', 'replace')),
  )
  expect((await place.cli('check')).stdout).toContain('cannot be replace where guards.brake gives a term')
})
