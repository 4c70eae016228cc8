// The process dies at any step: before or after every single call to state, source and service. What the dead one had in
// hand never comes back. The next run must end as if nothing had happened.
import { describe, expect, it } from 'vitest'
import { HEADER, type Line, testLine } from '../support/line.ts'

const COLUMNS = [...HEADER, 'tags']
const before = [
  COLUMNS,
  ['K1', 'person1@example.com', 'Anna', 'Ä', '1', 'VIP'],
  ['K2', 'person2@example.com', 'Bernd', 'B', '2', ''],
]
const after = [
  COLUMNS,
  ['K1', 'person1@example.com', 'Anna', 'Ä', '11', ''],
  ['K2', 'person2@example.com', 'Bernd', 'B', '2', 'VIP,News'],
  ['K3', 'no mail', 'Clara', 'C', '3', ''],
  ['K4', 'person4@example.com', 'Dora', 'D', '4', 'News'],
  ['K5', 'person5@example.com', 'Emil', 'E', '5', ''],
]

/** The same, but that a record gives up the phone to the next pipeline that owns it, beside its other change and alone. */
const givenUp = [
  ...before.slice(0, 1),
  ['K1', 'person1@example.com', 'Anna', 'Ä', '', 'VIP'],
  ['K2', 'person2@example.com', 'Bernd', 'B', '', 'VIP'],
  ...after.slice(3),
]

const OWNERS = { phone: ['shop', 'crm'].map((pipeline) => ({ pipeline, missingIn: 1 })) }

/** Lets `steps` calls through; at the next one everything stops permanently, with or without that call's effect. */
function mortality(steps: number, isEffective: boolean) {
  const never = new Promise<never>(() => undefined)
  const { promise: died, resolve } = Promise.withResolvers<'died'>()
  let calls = 0
  const die = (): Promise<never> => {
    resolve('died')
    return never
  }
  const step = (work: () => unknown): unknown => {
    calls += 1
    if (calls > steps + 1 || (calls > steps && !isEffective)) return die()
    const result = work()
    if (calls <= steps) return result
    return Promise.resolve(result).then(die, die)
  }
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]): unknown => step(() => Reflect.apply(value, of, given))
      },
    })
  return { mortal, died }
}

interface World {
  readonly check: 'email' | 'none'
  readonly isOwned?: boolean
}

const file = ({ isOwned = false }: World): string[][] => (isOwned ? givenUp : after)

async function fresh(world: World): Promise<Line> {
  const line = testLine({
    pipeline: {
      duplicate_check_method: world.check,
      ...(world.isOwned === true ? { owners: OWNERS } : {}),
      terms: {
        policy: 'managed',
        create_missing: true,
        assign: [{ column: 'tags', split: ',' }],
        descriptions: {},
        verify: true,
      },
    },
    settings: {
      bulk: { size: 2, container: 'array' },
      rate_limit: { requests: 1000, per: 1000, concurrency: 1, per_day: undefined },
    },
  })
  line.source.drop('before.csv', before)
  await line.run()
  line.source.drop('after.csv', file(world))
  return line
}

/** Everything that outlives a process. */
async function picture({ service, source, state }: Line): Promise<unknown> {
  const contacts = [...service.contacts].map(([id, fields]) => ({ ...fields, terms: service.termsOf(id) }))
  return {
    contacts: contacts.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)),
    asOthersSee: await state.sharers(
      'crm',
      [1, 2].map((contactId) => ({ contactId, mailKey: undefined })),
    ),
    waiting: source.waiting(),
    rejects: source.rejects.get('after.csv')?.map(({ line, reason }) => ({ line, reason })),
  }
}

/** Dies once, then runs again; false where the run ended before it could die. */
async function dies(line: Line, steps: number, isEffective: boolean): Promise<boolean> {
  const { state, source, service } = line
  const { session } = service
  const { mortal, died } = mortality(steps, isEffective)
  Object.assign(line, { state: mortal(state), source: mortal(source) })
  service.session = () => mortal(session())
  const end = await Promise.race([line.run(), died])
  Object.assign(line, { state, source })
  service.session = session
  return end === 'died'
}

async function leavesTheSame(isEffective: boolean, world: World): Promise<void> {
  const undisturbed = await fresh(world)
  await undisturbed.run()
  const expected = await picture(undisturbed)
  if (world.isOwned === true)
    expect(expected).toMatchObject({ asOthersSee: [[{ givenUp: ['phone'] }], [{ givenUp: ['phone'] }]] })
  let steps = 0
  for (;;) {
    const line = await fresh(world)
    if (!(await dies(line, steps, isEffective))) break
    const result = await line.run()
    expect({ steps, result, picture: await picture(line) }).toMatchObject({
      steps,
      result: { failed: 0, in_doubt: 0, held: 0 },
      picture: expected,
    })
    line.source.drop('after.csv', file(world))
    expect(await line.run()).toMatchObject({ unchanged: 4, rejected: 1, requests: 0 })
    await line.state.close()
    steps += 1
  }
  expect(steps).toBeGreaterThan(40)
}

describe('a process that dies', () => {
  it.each([
    ['before', false, 'none'],
    ['after', true, 'none'],
    ['after', true, 'email'],
  ] as const)('%s any call (%j) leaves what an undisturbed one leaves, under %s', (_, isEffective, check) =>
    leavesTheSame(isEffective, { check }),
  )

  it('after any call gives up the fields that an undisturbed one gives up', () =>
    leavesTheSame(true, { check: 'email', isOwned: true }))
})
