// A contact is deleted and its record comes back: a status of 1 or 2 stands again before anything else is sent to the address.
import { describe, expect, it } from 'vitest'
import { type Line, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'
import { seeded } from '../support/seeded.ts'

const HEADER = ['no', 'mail', 'first', 'status']
const row = (number: number, status = ''): string[] => [
  `K${number}`,
  `Person${number}@example.com`,
  'A',
  status,
]
const table = (...rows: string[][]): string[][] => [HEADER, row(9), ...rows]

const lineWith = (changes: Parameters<typeof testLine>[0] = {}): Line =>
  testLine({
    ...changes,
    pipeline: {
      mode: 'full',
      on_missing: 'delete',
      guards: { ...GUARDS, max_deletes: { share: 1 } },
      map: {
        mail: { column: 'mail' },
        first_name: { column: 'first' },
        mail_status: { column: 'status', number: {} },
      },
      ...changes.pipeline,
    },
  })

let files = 0
async function run(line: Line, ...rows: string[][]) {
  files += 1
  line.source.drop(`${files}.csv`, table(...rows))
  return line.run()
}

const contactOf = (line: Line, number: number) =>
  [...line.service.contacts.values()].find(
    ({ mail }) => String(mail).toLowerCase() === `person${number}@example.com`,
  )
const statusOf = (line: Line, number: number): unknown => contactOf(line, number)?.['mail_status']

/** Someone unsubscribes at the service itself. */
function setThere(line: Line, number: number, status: number): void {
  const contact = contactOf(line, number)
  if (contact !== undefined) contact['mail_status'] = status
}

describe('who was 1 or 2 when the contact was deleted', () => {
  it.each([1, 2])('by a user at the service: %i stands again, whatever the record says', async (status) => {
    const line = lineWith()
    await run(line, row(1, '4'))
    setThere(line, 1, status)
    expect(await run(line)).toMatchObject({ deleted: 1, status: 'ok' })
    expect(await run(line, row(1, '4'))).toMatchObject({ created: 1, status: 'ok' })
    expect(statusOf(line, 1)).toBe(status)
    expect(await run(line, row(1, '4'))).toMatchObject({ created: 0 })
    expect(statusOf(line, 1)).toBe(status)
  })

  it('by the source: it stands again where the source says nothing any more', async () => {
    const line = lineWith()
    await run(line, row(1, '2'))
    await run(line)
    expect(await run(line, row(1))).toMatchObject({ created: 1 })
    expect(statusOf(line, 1)).toBe(2)
  })

  it('is raised again where the pipeline allows it', async () => {
    const line = lineWith({ pipeline: { allow_consent_raise: true } })
    await run(line, row(1, '4'))
    setThere(line, 1, 2)
    await run(line)
    await run(line, row(1, '4'))
    expect(statusOf(line, 1)).toBe(4)
  })

  it('a later status of the address takes its place', async () => {
    const line = lineWith()
    await run(line, row(1, '2'))
    await run(line)
    await run(line, row(1))
    setThere(line, 1, 7)
    await run(line)
    await run(line, row(1))
    expect([undefined, 3]).toContain(statusOf(line, 1))
  })

  it('does not lower a contact that the address has got at the service meanwhile', async () => {
    const line = lineWith()
    await run(line, row(1, '2'))
    await run(line)
    line.service.contacts.set(77, { mail: 'person1@example.com', mail_status: 7 })
    await run(line, row(1))
    expect(line.service.contacts.get(77)).toMatchObject({ mail_status: 7 })
  })

  it('is not created where the key may not set it', async () => {
    const line = lineWith({ pipeline: { duplicate_check_method: 'none' } })
    await run(line, row(1))
    setThere(line, 1, 2)
    await run(line)
    line.service.ignoresStatus = true
    expect(await run(line, row(1))).toMatchObject({ created: 0, failed: 1 })
    expect(contactOf(line, 1)).toBeUndefined()
  })

  it('goes with each of many, and with those whose answer was lost', async () => {
    const line = lineWith()
    const all = [1, 2, 3, 4, 5].map((number) => row(number))
    await run(line, ...all)
    for (const number of [1, 3, 5]) setThere(line, number, 2)
    await run(line)
    let lost = 0
    line.service.fault = ({ method }) => {
      if (method !== 'POST') return undefined
      lost += 1
      return lost % 2 === 1 ? { kind: 'unknown', applied: lost % 4 === 1 } : undefined
    }
    await run(line, ...all)
    line.service.fault = () => undefined
    await run(line, ...all)
    await run(line, ...all)
    expect([1, 3, 5].map((number) => statusOf(line, number))).toEqual([2, 2, 2])
    expect([...line.service.contacts.values()]).toHaveLength(6)
  })
})

it('is not asked for where the service remembers it', async () => {
  const line = lineWith({ settings: { status_after_delete: 'remembered' } })
  await run(line, row(1))
  setThere(line, 1, 2)
  const before = line.service.calls.length
  await run(line)
  expect(line.service.calls.slice(before).map(({ method }) => method)).toEqual(['DELETE'])
})

it('a contact that could not be read is not deleted, and is the next time', async () => {
  const line = lineWith()
  await run(line, row(1))
  line.service.fault = ({ method }) => (method === 'GET' ? { kind: 'unknown', applied: false } : undefined)
  expect(await run(line)).toMatchObject({ deleted: 0, status: 'partial' })
  expect(contactOf(line, 1)).toBeDefined()
  line.service.fault = () => undefined
  expect(await run(line)).toMatchObject({ deleted: 1, status: 'ok' })
})

it('over a year of joining, leaving and opting out, no status is raised', async () => {
  const chance = seeded(16)
  const line = lineWith()
  const withdrawn = new Set<number>()
  let here = new Set<number>()
  for (let week = 0; week < 52; week += 1) {
    here = new Set([1, 2, 3, 4, 5, 6].filter(() => chance.next() < 0.6))
    await run(line, ...[...here].map((number) => row(number, chance.pick(['', '4', '7', '3', '']))))
    for (const number of withdrawn)
      if (here.has(number)) expect([week, number, statusOf(line, number)]).toEqual([week, number, 2])
    for (const number of here)
      if (chance.next() < 0.1) {
        setThere(line, number, 2)
        withdrawn.add(number)
      }
  }
  expect(withdrawn.size).toBeGreaterThan(3)
})
