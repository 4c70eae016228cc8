// Under `auto` a create with a mail_status of 1 or 2 goes by its e-mail address while a run does not know whether the key may set
// one: the service would merge it into the contact of another record with that address.
import { describe, expect, it } from 'vitest'
import { HEADER, type Line, testLine } from '../support/line.ts'
import { type Call, memoryService } from '../support/memory-service.ts'
import { GUARDS } from '../support/pipeline.ts'

const MAIL = 'family@example.com'
const ann = (status: string): string[] => ['K1', MAIL, 'Ann', 'A', '1', status]
const bea = (status: string): string[] => ['K2', MAIL, 'Bea', 'B', '2', status]

function lineOf(check: 'auto' | 'email' = 'auto', service = memoryService()): Line {
  const columns = {
    mail: 'mail',
    first_name: 'first',
    family_name: 'last',
    phone: 'phone',
    mail_status: 'status',
  }
  const map = Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, { column }]))
  return testLine({ service, pipeline: { duplicate_check_method: check, map } })
}

async function drop(line: Line, ...rows: string[][]) {
  line.source.drop('a.csv', [[...HEADER, 'status'], ...rows])
  return line.run()
}

const isCreateOf =
  (name: string) =>
  ({ path, contacts }: Call): boolean =>
    path.startsWith('/contact') && contacts.some((contact) => contact['first_name'] === name)

const namesOf = (line: Line): unknown[] =>
  [...line.service.contacts.values()].map((contact) => [contact['first_name'], contact['phone']])

/** The answers to all creates of Ann are lost, and nothing of them is seen. */
const lost = (line: Line): void =>
  void (line.service.fault = (call) => (isCreateOf('Ann')(call) ? { kind: 'unknown' } : undefined))

/** A lost request of Ann comes, long after its sender gave up. */
async function arriveLate(line: Line): Promise<void> {
  const late = line.service.calls.find(isCreateOf('Ann'))
  if (late?.options === undefined) throw new Error('nothing was sent')
  line.service.fault = () => undefined
  await line.service.session().createContact(late.contacts[0] ?? {}, late.options)
}

describe('a record with a mail_status of 2 and the e-mail address of a create whose answer was lost', () => {
  it('is not linked to the contact that this create has made', async () => {
    const line = lineOf()
    let losses = 1
    line.service.fault = (call) =>
      isCreateOf('Ann')(call) && losses-- > 0 ? { kind: 'unknown', applied: true } : undefined
    expect(await drop(line, ann('4'), bea('2'))).toMatchObject({ failed: 1, created: 1 })
    await line.run()
    expect((await line.state.known(line.pipeline.name, ['K1'])).map(({ link }) => link?.contactId)).toEqual([
      1,
    ])
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Ann', phone: '1', mail_status: 4 })
  })

  it.each(['1', '2'])('is not created before that is settled, whichever of them has %s', async (status) => {
    const line = lineOf()
    lost(line)
    expect(await drop(line, ann('2'), bea(status))).toMatchObject({ failed: 1, in_doubt: 1, created: 0 })
    await arriveLate(line)
    expect(namesOf(line)).toEqual([['Ann', '1']])
  })
})

it('a record without such a status waits for one with it as well', async () => {
  const line = lineOf()
  lost(line)
  expect(await drop(line, ann('2'), bea('4'))).toMatchObject({ failed: 1, in_doubt: 1, created: 0 })
  await arriveLate(line)
  expect(await line.run()).toMatchObject({ created: 1, failed: 0 })
  expect(namesOf(line)).toEqual([
    ['Ann', '1'],
    ['Bea', '2'],
  ])
})

it('two records without such a status do not wait for each other: no request of theirs goes by the address', async () => {
  const line = lineOf()
  lost(line)
  expect(await drop(line, ann('4'), bea('4'))).toMatchObject({ in_doubt: 1, created: 1 })
})

it('under email a released create waits for one of its address that was lost meanwhile', async () => {
  const line = lineOf('email')
  line.pipeline = { ...line.pipeline, guards: { ...GUARDS, max_changes: { count: 0 } } }
  const held = await drop(line, bea('4'))
  expect(held).toMatchObject({ held: 1 })
  line.pipeline = { ...line.pipeline, guards: GUARDS }
  lost(line)
  expect(await drop(line, ann('4'))).toMatchObject({ in_doubt: 1 })
  await line.state.release(held.run_id, line.clock.now())
  expect(await line.run()).toMatchObject({ created: 0, failed: 1 })
  await arriveLate(line)
  expect(namesOf(line)).toEqual([['Ann', '1']])
})

it('a record with 2 whose address another one has is held where the look-up does not show that yet', async () => {
  const service = memoryService()
  const { session } = service
  let isBehind = false
  service.session = () => {
    const whole = session()
    const contactsByMail: typeof whole.contactsByMail = async (mail, fields) => {
      const found = await whole.contactsByMail(mail, fields)
      return isBehind && found.kind === 'ok' ? { ...found, value: { contacts: [], others: [] } } : found
    }
    return { ...whole, contactsByMail }
  }
  const line = lineOf('auto', service)
  expect(await drop(line, ann('4'))).toMatchObject({ created: 1 })
  isBehind = true
  expect(await drop(line, bea('2'))).toMatchObject({ held: 1 })
  expect(namesOf(line)).toEqual([['Ann', '1']])
})
