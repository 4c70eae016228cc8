// A year of hands, exports, lost answers and two pipelines of one contact: whatever a user wrote at the service is only
// overwritten if it was written after the last look at the contact, and what is kept is listed.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HEADER, type Line, testLine } from '../support/line.ts'
import { type Call, type MemoryService, memoryService } from '../support/memory-service.ts'
import { temporaryState } from '../support/state/temporary-state.ts'

/** More of them with HAND_HISTORIES=1000. */
const HISTORIES = Number(process.env['HAND_HISTORIES'] ?? 25)
/** Each takes seconds where the state is at a server. */
const LIMIT_MS = 30_000 + HISTORIES * (process.env['TEST_STATE'] === undefined ? 500 : 20_000)

const FIELDS = ['first_name', 'phone'] as const
type Field = (typeof FIELDS)[number]

/** One day: who exports what, what hands do before it, and which requests go wrong in it. */
const day = fc.record({
  pipeline: fc.constantFrom('shop', 'crm'),
  first: fc.constantFrom('Ann', 'Anna', 'Anne'),
  phone: fc.constantFrom('1', '2', '3'),
  hands: fc.array(
    fc.record({
      field: fc.constantFrom(...FIELDS),
      /** fresh: a value that was never written before. */
      what: fc.constantFrom('fresh', 'fresh', 'blank', 'sent before'),
      /** Before the request of that number; 0: before the run. */
      at: fc.nat(4),
    }),
    { maxLength: 3 },
  ),
  /** Numbers of writes whose answer is lost; applied or not. */
  lost: fc.array(fc.record({ write: fc.nat(2), applied: fc.boolean() }), { maxLength: 2 }),
})
type Day = typeof day extends fc.Arbitrary<infer T> ? T : never

interface World {
  readonly service: MemoryService
  readonly lines: Readonly<Record<string, Line>>
  /** By field: a value that a hand wrote and nothing has overwritten, and whether the program has seen it. */
  readonly byHand: Map<Field, { readonly value: string; seen: boolean }>
  readonly wrong: string[]
  values: number
}

function world(): World {
  const service = memoryService()
  const state = temporaryState()
  const line = (name: string) =>
    testLine({
      service,
      state,
      pipeline: {
        name,
        hand_edits: 'keep',
        duplicate_merge_method: 'add',
        update_method: 'update_add',
      },
    })
  return { service, lines: { shop: line('shop'), crm: line('crm') }, byHand: new Map(), wrong: [], values: 0 }
}

function editByHand(
  { service, byHand, ...all }: World,
  { field, what }: Day['hands'][number],
  values: number,
) {
  const contact = service.contacts.get(1)
  if (contact === undefined) return
  const earlier = service.calls.flatMap(({ contacts }) => contacts.flatMap((one) => one[field] ?? []))
  const value = { fresh: `hand ${values}`, blank: '', 'sent before': String(earlier.at(-1) ?? '') }[what]
  service.contacts.set(1, { ...contact, [field]: value })
  if (what === 'fresh') byHand.set(field, { value, seen: false })
  else byHand.delete(field)
  return all
}

/** What the service is about to do for the program is judged before it does it. */
function judge({ byHand, wrong, service }: World, { method, path, contacts }: Call): void {
  if (method === 'GET' && path === '/contact/<contact_id>')
    for (const edit of byHand.values()) edit.seen = true
  if (method !== 'PUT') return
  for (const [field, edit] of byHand) {
    const to = contacts[0]?.[field]
    if (to === undefined) continue
    if (edit.seen) wrong.push(`${field}: ${String(service.contacts.get(1)?.[field])} -> ${String(to)}`)
    byHand.delete(field)
  }
}

async function live(all: World, { pipeline, first, phone, hands, lost }: Day): Promise<void> {
  const line = all.lines[pipeline]
  if (line === undefined) return
  const act = (at: number): void => {
    for (const hand of hands.filter((one) => one.at === at)) editByHand(all, hand, (all.values += 1))
  }
  act(0)
  // Whatever was edited before a run can be seen by it.
  for (const edit of all.byHand.values()) edit.seen = true
  let [requests, writes] = [0, -1]
  all.service.fault = (call) => {
    act((requests += 1))
    const isWrite = call.method !== 'GET'
    if (isWrite) writes += 1
    const fault = isWrite ? lost.find(({ write }) => write === writes) : undefined
    if (fault?.applied !== false) judge(all, call)
    return fault === undefined ? undefined : { kind: 'unknown', applied: fault.applied }
  }
  line.source.drop(`${all.values}.csv`, [[...HEADER], ['K1', 'a@example.com', first, 'B', phone]])
  await line.run()
  // What hands did after the last look of the run has not been seen by it.
  all.service.fault = () => undefined
}

it(
  'no edit is lost that a look could show, and what the service keeps is listed',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(day, { minLength: 2, maxLength: 12 }), async (days) => {
        const all = world()
        await live(all, { pipeline: 'shop', first: 'Ann', phone: '1', hands: [], lost: [] })
        for (const one of days) await live(all, one)
        expect(all.wrong).toEqual([])
        // Once more without hands and faults: everything that still differs from what its pipeline wants is listed.
        const last = days.findLast(({ pipeline }) => pipeline === 'shop') ?? { first: 'Ann', phone: '1' }
        await live(all, { ...last, pipeline: 'shop', hands: [], lost: [] })
        expect(all.wrong).toEqual([])
        const listed = (await all.lines['shop']?.state.openEdits(['shop', 'crm'])) ?? []
        const names = listed.map(({ pipeline, key, field }) => `${pipeline} ${key} ${field}`)
        expect(new Set(names).size).toBe(names.length)
        // The other pipeline lists what its own last look has shown.
        for (const { field, service } of listed.filter((one) => one.pipeline === 'shop'))
          expect([field, service]).toEqual([field, all.service.contacts.get(1)?.[field]])
      }),
      { numRuns: HISTORIES },
    )
  },
  LIMIT_MS,
)
