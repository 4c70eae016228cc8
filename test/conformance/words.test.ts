// The conformance suite, the habits of the sandbox, the profile of `probe` and the manual name the same things: each key of a
// profile has its habits, and the cases of the suite that tell a service of such a habit from one without.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NOTHING_SEEN } from '../../src/core/service-profile.ts'
import { habitsOf, typedName } from '../../src/sandbox/habit-text.ts'
import { HABITS } from '../../src/sandbox/habits.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { SERVICE_WORDS } from '../support/service-words.ts'
import { createClient } from './client.ts'
import { CASES, verdictOn } from './suite.ts'
import { createWorld } from './world.ts'

const words = Object.entries(SERVICE_WORDS).map(([key, word]) => ({ key, beside: [], ...word }))

it('every key of a profile, and no other, has its words', () => {
  expect(Object.keys(SERVICE_WORDS).sort()).toEqual(Object.keys(NOTHING_SEEN).sort())
})

it('its habits and its cases are there', () => {
  for (const { key, habits, cases, tried } of words) {
    for (const name of habits) expect(Object.keys(HABITS), key).toContain(name)
    for (const id of cases)
      expect(
        CASES.map((one) => one.id),
        key,
      ).toContain(id)
    expect(tried.length > 0, key).toBe(habits.length > 0)
  }
})

it("the manual's table has the same keys and habits", () => {
  const manual = readFileSync(join(import.meta.dirname, '../../config/README.md'), 'utf8')
  const section = manual.split(/^## /m).find((text) => text.startsWith('What your service does: probe')) ?? ''
  const rows = [...section.matchAll(/^\| (`.*?) \|.*\| ([^|]*) \|$/gm)].flatMap(
    ([, keys = '', habits = '']) =>
      [...keys.matchAll(/`(\w+)`/g)].map(([, key = '']): [string, string[]] => [
        key,
        [...habits.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name),
      ]),
  )
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(words.map(({ key, habits }) => [key, habits.map(typedName)])),
  )
})

async function verdictsUnder(habits: readonly string[], ids: readonly string[]): Promise<readonly string[]> {
  const sandbox = await startSandbox({
    ...{ port: 0, apiKey: 'k', clock: systemClock },
    habits: habitsOf(['rate-limit=1000/1s', 'rate-limit-headers=none', ...habits]),
  })
  const world = createWorld(createClient({ baseUrl: sandbox.url, apiKey: 'k', rate: 0 }), sandbox.url)
  const verdicts: string[] = []
  for (const one of CASES.filter(({ id }) => ids.includes(id))) {
    const { verdict, remark } = await verdictOn(one, world)
    verdicts.push(`${one.id}: ${verdict}, ${remark.replaceAll(world.token, '')}`)
  }
  await sandbox.close()
  return verdicts
}

const tries = words.flatMap(({ tried, beside, cases }) => tried.map((habit) => ({ habit, beside, cases })))
it.each(tries)('$habit is seen by a case', async ({ habit, beside, cases }) => {
  const plain = await verdictsUnder(beside, cases)
  expect(plain.length).toBe(cases.length)
  expect(await verdictsUnder([...beside, habit], cases)).not.toEqual(plain)
})
