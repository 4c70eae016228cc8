// A line that disturbs half of all writes, and a process that is killed at every second one: the service ends with the
// contacts and terms of an undisturbed run, and nothing is left to be sent. Long form: npm run kills.
import { describe, expect, it } from 'vitest'
import { halfOfWrites, killAtEverySecondWrite } from '../processes/script.ts'
import { type End, playSeries, type Series } from '../processes/series.ts'
import type { Check } from '../processes/workplace.ts'
import { seeded } from '../support/seeded.ts'

const SEED = Number(process.env['SEED'] ?? 7)
const replay = `SEED=${SEED} npx vitest run test/e2e/disturbed.test.ts`

const undisturbed = new Map<string, Promise<End>>()

async function rightEnd({ check, people }: Series): Promise<End> {
  const name = `${check} ${people}`
  const known = undisturbed.get(name) ?? playSeries({ check, people }).then(({ end }) => end)
  undisturbed.set(name, known)
  return known
}

describe.concurrent.each<Check>(['email', 'none'])('under check %s', { timeout: 240_000 }, (check) => {
  it('half of all writes lost, torn, delayed, refused or answered by somebody else', async () => {
    const series = { check, people: 8 }
    const story = await playSeries({
      ...series,
      disturb(workplace) {
        workplace.script = halfOfWrites(seeded(SEED), 1)
        return {}
      },
    })
    const { pass: passed = 0, ...faults } = story.met
    expect(passed, replay).toBeGreaterThan(0)
    expect(Object.keys(faults).length, `${replay}: ${JSON.stringify(faults)}`).toBeGreaterThan(5)
    expect(story.end, replay).toEqual(await rightEnd(series))
  })

  it('killed at every second write', async () => {
    const series = { check, people: 3 }
    const story = await playSeries({
      ...series,
      disturb(workplace) {
        workplace.script = killAtEverySecondWrite(seeded(SEED))
        return {}
      },
    })
    expect(story.kills, replay).toBeGreaterThan(5)
    expect(story.end, replay).toEqual(await rightEnd(series))
  })
})

it('an undisturbed life is what the exports say', async () => {
  const { contacts, damage, open, files, writesOfOneMore } = await rightEnd({ check: 'email', people: 8 })
  expect(contacts.map((all) => all.length)).toEqual([8, 9, 7])
  expect(contacts[2]?.[0]).toBe(
    '{"family_name":"Nachname0","first_name":"Vorname0","mail":"person0@example.com","mail_status":3,"phone":"040 0"} ["Gruppe 1","Kunde"]',
  )
  expect({ damage, open, writesOfOneMore, inbox: files.inbox }).toEqual({
    damage: [],
    open: [],
    writesOfOneMore: [],
    inbox: [],
  })
  expect(files.processed.map((file) => file.split('\n')[0])).toEqual([
    'first.csv',
    'first.rejects.csv',
    'second.csv',
    'second.rejects.csv',
    'third.csv',
  ])
})
