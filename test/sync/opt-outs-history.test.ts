// A year of opt-outs on both sides, with lost answers: no status that a look could show as withdrawn is raised, and each one
// that users set at the service is noted for the outbox by the run that reads it.
import { describe, expect, it } from 'vitest'
import { realState } from '../support/state/temporary-state.ts'
import { notingStatus } from '../../src/sync/reads/status-notes.ts'
import { HEADER, type Line, testLine } from '../support/line.ts'
import { type Call, type MemoryService, memoryService } from '../support/memory-service.ts'
import { type Seeded, seeded } from '../support/seeded.ts'

const PEOPLE = [1, 2, 3]
const DAYS = 365

interface World {
  readonly line: Line
  readonly state: ReturnType<typeof realState>
  /** By contact: the status that the program saw last. */
  readonly shown: Map<number, unknown>
  readonly service: MemoryService
  readonly draws: Seeded
  /** By contact: the status that a user set last, whether a look has shown it. */
  readonly byHand: Map<number, { readonly status: number; isSeen: boolean }>
  readonly wrong: string[]
  /** What the run that is going on must have noted by its end: contact and status. */
  readonly due: Map<string, number>
  seen: number
}

const isWithdrawn = (status: unknown): boolean => status === 1 || status === 2

function makeWorld(seed: number): World {
  const service = memoryService()
  const state = realState()
  const map = { mail: { column: 'mail' }, first_name: { column: 'first' }, mail_status: { column: 'phone' } }
  const line = testLine({ service, state, pipeline: { hand_edits: 'keep', map, recheck: 0 } })
  const plain = service.session
  service.session = () => notingStatus(plain(), { store: state, pipeline: 'shop', clock: line.clock })
  return {
    ...{ line, service, state, draws: seeded(seed), byHand: new Map(), shown: new Map() },
    ...{ wrong: [], due: new Map(), seen: 0 },
  }
}

/** A 2, which no source says here: a status that a source has asked for is not told to it. */
function optOut({ service, draws, byHand }: World): void {
  const id = draws.pick(PEOPLE)
  const contact = service.contacts.get(id)
  const status = draws.pick([2, 2, 7])
  if (contact === undefined || contact['mail_status'] === status) return
  service.contacts.set(id, { ...contact, mail_status: status })
  byHand.set(id, { status, isSeen: false })
}

/** What the service is about to do for the program. */
function judge(world: World, { method, path, id = 0, contacts }: Call): void {
  const { service, byHand, wrong, due, shown } = world
  const edit = byHand.get(id)
  const now = service.contacts.get(id)?.['mail_status']
  if (method === 'GET' && path === '/contact/<contact_id>') {
    // What it shows again is no news, whoever set it between.
    if (edit?.isSeen === false && isWithdrawn(now) && shown.get(id) !== now)
      due.set(`${id} ${edit.status}`, edit.status)
    if (edit?.isSeen === false) world.seen += 1
    if (edit !== undefined) edit.isSeen = true
    shown.set(id, now)
  }
  const to = contacts[0]?.['mail_status']
  if (method !== 'PUT' || to === undefined) return
  if (isWithdrawn(now) && !isWithdrawn(to) && edit?.isSeen !== false)
    wrong.push(`contact ${id}: ${String(now)} -> ${String(to)}`)
  byHand.delete(id)
}

async function day(world: World, rows: string[][], number: number): Promise<void> {
  const { line, state, service, draws, due } = world
  if (draws.next() < 0.2) optOut(world)
  const at = draws.next() < 0.3 ? draws.between(1, 6) : 0
  let requests = 0
  service.fault = (call) => {
    if ((requests += 1) === at) optOut(world)
    const isLost = call.method !== 'GET' && draws.next() < 0.15
    const applied = draws.next() < 0.5
    if (!isLost || applied) judge(world, call)
    return isLost ? { kind: 'unknown', applied } : undefined
  }
  due.clear()
  line.source.drop(`${number}.csv`, [[...HEADER], ...rows])
  line.clock.advance(86_400_000)
  await line.run()
  const { number: file, rows: noted } = (await state.openOptOuts()) ?? { number: 0, rows: [] }
  const told = noted.map(({ mail, status }) => `${mail.replace(/\D/g, '')} ${status}`)
  for (const one of due.keys()) if (!told.includes(one)) world.wrong.push(`${one} was seen, and not noted`)
  if (new Set(told).size !== told.length) world.wrong.push(`noted twice: ${told.join(', ')}`)
  if (noted.length > 0) await state.optOutsWritten(file)
}

describe.each([1, 2, 3])('a year of opt-outs, seed %i', (seed) => {
  it('raises none that it could see, and notes each one that it sees', async () => {
    const world = makeWorld(seed)
    const { draws } = world
    const wanted = new Map(PEOPLE.map((number) => [number, { first: 'A', status: '' }]))
    for (let number = 1; number <= DAYS; number += 1) {
      for (const one of wanted.values()) {
        if (draws.next() < 0.15) one.first = `A${number}`
        if (draws.next() < 0.05) one.status = draws.pick(['', '1', '4', '7'])
      }
      const rows = [...wanted].map(([key, { first, status }]) => [
        ...[`K${key}`, `p${key}@example.com`, first, '', status],
      ])
      await day(world, rows, number)
    }
    expect(world.wrong).toEqual([])
    expect(world.seen).toBeGreaterThan(20)
  })
})
