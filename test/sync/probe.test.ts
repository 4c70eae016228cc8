// `probe` against sandboxes with habits at random: the profile says what they do, within 60 requests, and no contact stays.
import { describe, expect, it } from 'vitest'
import { HABITS, type Habits } from '../../src/sandbox/habits.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { serviceSchema } from '../../src/core/settings/service-settings.ts'
import { createProbeCalls } from '../../src/service/probe-calls.ts'
import { probeService } from '../../src/sync/probe.ts'
import { windowWith } from '../support/window.ts'
import { openPlace } from '../support/in-process.ts'
import { profileOf } from '../support/service-words.ts'
import { seeded } from '../support/seeded.ts'

const KEY = 'probe-key'
const TERMS = 30
/** The short form; `PROBED=64` is the long one. */
const SANDBOXES = Number(process.env['PROBED'] ?? 16)

/** Habits that leave no usable service, or only slow it down, and numbers, which are drawn separately. */
const APART = ['redirects', 'latencyMs', 'rateLimit', 'offsetIgnored', 'pageCap', 'bulkLimit', 'refusedKey']

function drawn(seed: number): Partial<Habits> {
  const chance = seeded(seed)
  const habits = Object.entries(HABITS)
    .filter(([name]) => !APART.includes(name))
    .map(([name, habit]) => [name, habit.parse(chance.pick<string>(habit.values))])
  return {
    ...(Object.fromEntries(habits) as Partial<Habits>),
    offsetIgnored: chance.next() < 0.2,
    pageCap: chance.pick([0, 0, 3, 10]),
    bulkLimit: chance.pick([0, 2, 7, 50, 499, 500]),
  }
}

async function probed(habits: Partial<Habits>, contacts: readonly object[] = []) {
  const seed = {
    terms: Array.from({ length: TERMS }, (_, n) => ({ name: `Term ${n}` })),
    contacts: contacts as Record<string, unknown>[],
  }
  const sandbox = await startSandbox({ port: 0, apiKey: KEY, habits, clock: systemClock, seed })
  const place = await openPlace({ THE_KEY: KEY })
  const service = `{ base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 1000, per: 1s } }`
  await place.write(
    'config.yaml',
    `service: ${service}\npipelines: { shop: { source: { type: csv, folder: inbox }, key: no, map: { mail: mail } } }\n`,
  )
  return { sandbox, place }
}

type World = Awaited<ReturnType<typeof probed>>
async function closed({ sandbox, place }: World): Promise<void> {
  await sandbox.close()
  await place.close()
}

/** Ids of contacts that were made and not deleted, by the requests that the sandbox has seen. */
async function contactsLeft({ sandbox }: World): Promise<readonly number[]> {
  const left: number[] = []
  for (let id = 1; id <= 30; id += 1) {
    const answer = await fetch(`${sandbox.url}/public/api/V1/contact/${id}`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    if (answer.status === 200 && (await answer.text()).includes('mail')) left.push(id)
  }
  return left
}

describe('a sandbox with habits at random', () => {
  it.each(Array.from({ length: SANDBOXES }, (_, seed) => seed))('number %i', async (seed) => {
    const habits = drawn(seed)
    const world = await probed(habits)
    const result = await world.place.cli('probe', '--yes', '--json')
    expect(result.stderr).not.toContain('could not')
    expect(JSON.parse(result.stdout)).toEqual(profileOf(habits))
    expect(result.code).toBe(0)
    expect(world.sandbox.requests().length).toBeLessThanOrEqual(60)
    expect(await contactsLeft(world)).toEqual([])
    await closed(world)
  })
})

it('prints YAML, says which term stays, and writes a file', async () => {
  const world = await probed({})
  const printed = await world.place.cli('probe', '--yes')
  expect(printed.stdout).toContain('\nmail_lookup: exact\n')
  expect(printed.stderr).toMatch(/^\d\d requests sent; the term "contact-sync probe" stays at the service\n$/)
  const file = world.place.path('service.yaml')
  const written = await world.place.cli(
    'probe',
    '--yes',
    '--address',
    'you+probe@example.org',
    '--output',
    file,
  )
  expect([written.code, written.stdout]).toEqual([0, ''])
  expect(written.stderr).toContain('service.yaml written')
  await closed(world)
})

it.each(['503', 'reset', 'truncated'] as const)(
  'knows nothing of updates without an answer: %s',
  async (kind) => {
    const world = await probed({ clearedBy: 'nothing' })
    const fault = { match: 'PUT *', next: 60, do: kind, ms: 0 }
    world.sandbox.control.faults.add(fault)
    const { stdout } = await world.place.cli('probe', '--yes', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ empty_clears: 'unknown' })
    if (kind !== 'truncated')
      expect(JSON.parse(stdout)).toMatchObject({
        ...{ null_clears: 'unknown', mail_status_permission: 'unknown', custom_field_key: 'unknown' },
        status_after_delete: 'unknown',
      })
    await closed(world)
  },
)

it('changes nothing where an address belongs to a contact of others', async () => {
  const mail = 'contact-sync-probe-2@example.org'
  const world = await probed({}, [{ id: 1, mail, first_name: 'Erika', family_name: 'Mustermann' }])
  const result = await world.place.cli('probe', '--yes')
  expect(result.code).toBe(2)
  expect(result.stderr).toContain(`${mail} belongs to contact 1, which probe did not create`)
  expect(world.sandbox.requests().every(({ method }) => method === 'GET')).toBe(true)
  expect(await contactsLeft(world)).toEqual([1])
  await closed(world)
})

it('deletes what a killed probe left', async () => {
  const mail = 'contact-sync-probe-3@example.org'
  const world = await probed({}, [{ id: 1, mail, family_name: 'contact-sync probe' }])
  expect((await world.place.cli('probe', '--yes')).code).toBe(0)
  expect(await contactsLeft(world)).toEqual([])
  await closed(world)
})

it('deletes its contacts when it is interrupted, at any request', async () => {
  for (let at = 2; at <= 40; at += 6) {
    const world = await probed({ mailStatusPermission: true })
    const settings = serviceSchema.parse({ base_url: world.sandbox.url, rate_limit: { requests: 1000 } })
    const shared = windowWith({})
    const calls = createProbeCalls({ ...settings, api_key: KEY }, { clock: systemClock, shared, most: 60 })
    const signal = { aborted: false } as { aborted: boolean } & AbortSignal
    Object.defineProperty(signal, 'aborted', { get: () => calls.counts.requests >= at })
    const result = await probeService({ calls, address: 'probe@example.org', signal })
    expect(result).toMatchObject({ left: [], unread: [], stopped: 'interrupted' })
    expect(await contactsLeft(world)).toEqual([])
    await calls.close()
    await closed(world)
  }
})

it('asks first, and refuses an address that it could not number', async () => {
  const world = await probed({})
  expect((await world.place.cli('probe')).code).toBe(2)
  expect((await world.place.cliAnswering(['no'], 'probe')).code).toBe(2)
  expect((await world.place.cli('probe', '--yes', '--address', 'nothing')).code).toBe(2)
  expect(world.sandbox.requests()).toEqual([])
  await closed(world)
})
