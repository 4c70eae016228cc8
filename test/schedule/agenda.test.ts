// Whose turn it is, told as short stories: the time is a number, and what is due is every ten minutes.
import { expect, it } from 'vitest'
import { type Agenda, type AgendaEntry, createAgenda } from '../../src/schedule/agenda.ts'

const MINUTE = 60_000
const TEN = 10 * MINUTE
const everyTen = { next: (after: number) => (Math.floor(after / TEN) + 1) * TEN }
const entry = (name: string, doneUpTo = 0): AgendaEntry => ({
  name,
  schedule: '*/10',
  dueTimes: everyTen,
  doneUpTo,
})

function beginAll(agenda: Agenda, now: number): string[] {
  const begun: string[] = []
  for (let turn = agenda.begin(now); turn !== undefined; turn = agenda.begin(now))
    begun.push(`${turn.name} ${turn.cause}${turn.missed > 0 ? ` +${turn.missed}` : ''}`)
  return begun
}

it('runs once for each due time, however often it is looked at', () => {
  const agenda = createAgenda([entry('shop')])
  const runs: string[] = []
  for (let now = MINUTE; now <= 3 * TEN; now += MINUTE / 2) {
    agenda.look(now)
    for (const run of beginAll(agenda, now)) {
      runs.push(`${now / MINUTE} ${run}`)
      agenda.end('shop', false)
    }
  }
  expect(runs).toEqual(['10 shop schedule', '20 shop schedule', '30 shop schedule'])
})

it('makes up once for what was missed while nobody looked, and says how much that was', () => {
  const agenda = createAgenda([entry('shop')])
  agenda.look(5 * TEN + MINUTE)
  expect(beginAll(agenda, 5 * TEN + MINUTE)).toEqual(['shop missed +5'])
  expect(agenda.end('shop', false)).toBe(5 * TEN + MINUTE)
  expect(agenda.standings()[0]).toMatchObject({ missed: 5, dueAt: 6 * TEN, waitingSince: undefined })
})

it('never runs a pipeline twice at once: what is due meanwhile is counted and not made up for', () => {
  const agenda = createAgenda([entry('shop')])
  agenda.look(TEN)
  expect(beginAll(agenda, TEN)).toEqual(['shop schedule'])
  expect(agenda.look(2 * TEN)).toEqual([{ type: 'overlapped', pipeline: 'shop', times: 1 }])
  expect(beginAll(agenda, 2 * TEN)).toEqual([])
  expect(agenda.end('shop', false)).toBe(2 * TEN)
  expect(beginAll(agenda, 2 * TEN + MINUTE)).toEqual([])
  expect(agenda.standings()[0]).toMatchObject({ overlaps: 1, dueAt: 3 * TEN })
})

it('runs again what did not come to its end', () => {
  const agenda = createAgenda([entry('shop')])
  agenda.look(TEN)
  beginAll(agenda, TEN)
  agenda.end('shop', true)
  expect(agenda.standings()[0]).toMatchObject({ waitingSince: TEN })
  expect(beginAll(agenda, TEN + MINUTE)).toEqual(['shop schedule'])
  agenda.end('shop', true)
  expect(beginAll(agenda, 2 * TEN - 1)).toEqual(['shop missed +1'])
})

it('lets those go first that wait longest, and takes a file that landed during a run after it', () => {
  const agenda = createAgenda([
    entry('one'),
    entry('two'),
    { name: 'three', schedule: '', dueTimes: undefined, doneUpTo: 0 },
  ])
  agenda.want('three', MINUTE)
  agenda.look(TEN)
  expect(agenda.begin(TEN)?.name).toBe('three')
  expect(agenda.begin(TEN)?.name).toBe('one')
  agenda.want('three', TEN + 1)
  agenda.want('one', TEN + 2)
  agenda.end('one', false)
  agenda.end('three', false)
  expect(beginAll(agenda, TEN + 3)).toEqual(['two schedule', 'three watch', 'one watch'])
  expect(agenda.running).toBe(3)
})

it('does not run again what was due when the clock is set back a little, and goes on when it was wrong by much', () => {
  const agenda = createAgenda([entry('shop')])
  agenda.look(2 * TEN)
  beginAll(agenda, 2 * TEN)
  agenda.end('shop', false)
  expect(agenda.look(TEN)).toEqual([])
  expect(beginAll(agenda, TEN)).toEqual([])
  agenda.look(40 * TEN)
  beginAll(agenda, 40 * TEN)
  agenda.end('shop', false)
  expect(agenda.look(3 * TEN + MINUTE)).toEqual([{ type: 'clock_set_back', pipeline: 'shop', times: 1 }])
  agenda.look(4 * TEN)
  expect(beginAll(agenda, 4 * TEN)).toEqual(['shop schedule'])
})

it('takes other pipelines: who runs goes on, and who has gone does not begin again', () => {
  const agenda = createAgenda([entry('old'), entry('both')])
  agenda.look(TEN)
  beginAll(agenda, TEN)
  agenda.replace([entry('both', TEN), entry('new', TEN)])
  expect(agenda.running).toBe(2)
  agenda.look(2 * TEN)
  expect(beginAll(agenda, 2 * TEN)).toEqual(['new schedule'])
  agenda.end('old', true)
  agenda.end('both', false)
  agenda.look(3 * TEN)
  expect(beginAll(agenda, 3 * TEN)).toEqual(['both schedule'])
  expect(agenda.standings().map(({ name }) => name)).toEqual(['both', 'new'])
})

it('knows after a change what it knew before, and begins a new schedule from now', () => {
  const agenda = createAgenda([entry('same'), entry('other')])
  agenda.look(4 * TEN + MINUTE)
  agenda.replace([entry('same'), { ...entry('other', 4 * TEN + MINUTE), schedule: 'another' }])
  agenda.look(4 * TEN + 2 * MINUTE)
  expect(agenda.standings()).toMatchObject([
    { name: 'same', dueAt: 5 * TEN, waitingSince: TEN },
    { name: 'other', dueAt: 5 * TEN, waitingSince: TEN },
  ])
  expect(beginAll(agenda, 4 * TEN + 2 * MINUTE)).toEqual(['same missed +4', 'other missed +4'])
})

it('believes a clock that was set back by more than one due time, however short that is', () => {
  const agenda = createAgenda([entry('shop')])
  agenda.look(4 * TEN)
  beginAll(agenda, 4 * TEN)
  agenda.end('shop', false)
  expect(agenda.look(2 * TEN + MINUTE)).toEqual([{ type: 'clock_set_back', pipeline: 'shop', times: 1 }])
  agenda.look(3 * TEN)
  expect(beginAll(agenda, 3 * TEN)).toEqual(['shop schedule'])
})

it('does not count for longer because there are many pipelines', () => {
  let asked = 0
  const dueTimes = {
    next(after: number) {
      asked += 1
      return everyTen.next(after)
    },
  }
  const agenda = createAgenda(
    Array.from({ length: 200 }, (_, index) => ({ ...entry(`shop${index}`), dueTimes })),
  )
  asked = 0
  const now = 56 * 365 * 24 * 60 * MINUTE
  agenda.look(now)
  expect(asked).toBeLessThanOrEqual(1000 + 200)
  expect(beginAll(agenda, now)).toHaveLength(200)
})

it('has no more than a thousand to count after a year away', () => {
  const agenda = createAgenda([entry('shop')])
  const now = 365 * 24 * 60 * MINUTE
  agenda.look(now)
  expect(agenda.begin(now)).toMatchObject({ cause: 'missed', missed: 1000 })
  agenda.end('shop', false)
  expect(agenda.standings()[0]?.dueAt).toBe(now + TEN)
})

it('lets what began to wait by a clock that was ahead wait from now on, once the clock is put back', () => {
  const agenda = createAgenda([entry('ahead', 100 * TEN), entry('other')])
  agenda.want('ahead', 100 * TEN)
  agenda.look(TEN - MINUTE)
  expect(agenda.standings()[0]).toMatchObject({ name: 'ahead', waitingSince: TEN - MINUTE })
  agenda.look(TEN)
  expect(agenda.begin(TEN)).toMatchObject({ name: 'ahead' })
})
