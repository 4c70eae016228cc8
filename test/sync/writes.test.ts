// `writes: create | update` over whole runs: who is looked up, who is skipped, what is remembered, and what a plan shows of it.
import { describe, expect, it } from 'vitest'
import { HEADER, type Line, people, testLine } from '../support/line.ts'
import { GUARDS, pipelineSettings } from '../support/pipeline.ts'

const ANN = ['K1', 'ann@example.com', 'Ann', 'Ash', '1']
const BO = ['K2', 'bo@example.com', 'Bo', 'Birch', '2']
const CY = ['K3', 'cy@example.com', 'Cy', 'Cedar', '3']
const NO_MAIL = ['K4', '', 'Di', 'Dogwood', '4']

/** A service that has Ann under another name. */
function lineWithAnn(pipeline: Parameters<typeof pipelineSettings>[0]): Line {
  const line = testLine({ pipeline: pipeline ?? {} })
  line.service.contacts.set(70, { mail: 'Ann@Example.com', first_name: 'Annie', fax: '9' })
  return line
}

const mailsOf = ({ service }: Line): unknown[] => [...service.contacts.values()].map(({ mail }) => mail)

describe('writes: update', () => {
  it('changes who is there by mail, makes nobody, and skips the others', async () => {
    const line = lineWithAnn({ writes: 'update' })
    line.source.drop('a.csv', [[...HEADER], ANN, BO, NO_MAIL])
    expect(await line.run()).toMatchObject({ read: 3, updated: 1, created: 0, skipped: 2, status: 'ok' })
    expect(line.service.contacts.size).toBe(1)
    expect(line.service.contacts.get(70)).toMatchObject({ first_name: 'Ann', fax: '9' })
  })

  it('asks nothing about an unchanged record, linked or skipped', async () => {
    const line = lineWithAnn({ writes: 'update' })
    line.source.drop('a.csv', [[...HEADER], ANN, BO, NO_MAIL])
    await line.run()
    line.source.drop('b.csv', [[...HEADER], BO, NO_MAIL, ANN])
    expect(await line.run()).toMatchObject({ read: 3, unchanged: 1, skipped: 2, requests: 0 })
  })

  it('looks again when the record changes, and links who has come meanwhile', async () => {
    const line = lineWithAnn({ writes: 'update' })
    line.source.drop('a.csv', [[...HEADER], BO])
    expect(await line.run()).toMatchObject({ skipped: 1 })
    line.service.contacts.set(71, { mail: 'bo@example.com' })
    line.source.drop('b.csv', [[...HEADER], BO])
    expect(await line.run()).toMatchObject({ skipped: 1, requests: 0 })
    line.source.drop('c.csv', [[...HEADER], ['K2', 'bo@example.com', 'Bob', 'Birch', '2']])
    expect(await line.run()).toMatchObject({ updated: 1, skipped: 0 })
    expect(line.service.contacts.get(71)).toMatchObject({ first_name: 'Bob' })
  })

  it('skips a mail that several contacts have, with a warning', async () => {
    const line = lineWithAnn({ writes: 'update' })
    line.service.contacts.set(71, { mail: 'ann@example.com' })
    line.source.drop('a.csv', [[...HEADER], ANN])
    expect(await line.run()).toMatchObject({ skipped: 1, updated: 0 })
    expect(line.service.writes()).toEqual([])
    expect(line.log).toContainEqual({
      message: 'records skipped: several contacts have the e-mail address',
      fields: expect.objectContaining({ file: 'a.csv', records: 1 }) as object,
    })
  })

  it('makes nobody where the service gives no answer: the record fails, and is tried again', async () => {
    const line = lineWithAnn({ writes: 'update' })
    line.source.drop('a.csv', [[...HEADER], ANN, BO])
    line.service.fault = ({ method }) => (method === 'GET' ? { kind: 'unknown', status: 500 } : undefined)
    expect(await line.run()).toMatchObject({ failed: 2, created: 0, updated: 0 })
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ read: 2, updated: 1, skipped: 1, failed: 0 })
    expect(line.service.contacts.size).toBe(1)
    line.source.drop('b.csv', [[...HEADER], ANN, BO])
    expect(await line.run()).toMatchObject({ unchanged: 1, skipped: 1, requests: 0 })
  })

  it('in a full export whoever is skipped is there, and terms alone are taken from who has gone', async () => {
    const terms = { ...pipelineSettings().terms, assign: [{ name: 'Customer' }] }
    const guards = { ...GUARDS, max_deletes: { share: 1 } }
    const line = lineWithAnn({ writes: 'update', mode: 'full', on_missing: 'remove_terms', terms, guards })
    line.source.drop('a.csv', [[...HEADER], ANN, BO])
    await line.run()
    expect(line.service.termsOf(70)).toEqual(['Customer'])
    line.source.drop('b.csv', [[...HEADER], BO, CY])
    expect(await line.run()).toMatchObject({ skipped: 2, deleted: 1 })
    expect(line.service.termsOf(70)).toEqual([])
    expect(line.service.contacts.size).toBe(1)
  })

  it('under last a later record takes the place of one that was skipped', async () => {
    const line = lineWithAnn({ writes: 'update', on_duplicate_key: 'last' })
    const moved = ['K2', 'ann@example.com', 'Bo', 'Birch', '2']
    line.source.drop('a.csv', [[...HEADER], BO, moved])
    expect(await line.run()).toMatchObject({ read: 2, skipped: 1, updated: 1, unchanged: 0 })
    line.source.drop('b.csv', [[...HEADER], CY, [...CY.slice(0, 4), '33']])
    expect(await line.run()).toMatchObject({ read: 2, skipped: 2 })
  })

  it('waits for a release like any change that a guard holds, and is linked then', async () => {
    const line = lineWithAnn({ writes: 'update', guards: { ...GUARDS, max_changes: { count: 0 } } })
    line.source.drop('a.csv', [[...HEADER], ANN, BO])
    const { run_id: run } = await line.run()
    expect(line.service.writes()).toEqual([])
    await line.state.release(run, line.clock.now())
    expect(await line.run()).toMatchObject({ updated: 1, created: 0 })
  })
})

describe('writes: create', () => {
  it('makes who is not there, and leaves everybody else as they are', async () => {
    const line = lineWithAnn({ writes: 'create' })
    line.source.drop('a.csv', [[...HEADER], ANN, BO, CY])
    expect(await line.run()).toMatchObject({ read: 3, created: 2, skipped: 1, updated: 0, status: 'ok' })
    expect(line.service.contacts.get(70)).toEqual({ mail: 'Ann@Example.com', first_name: 'Annie', fax: '9' })
    expect(mailsOf(line)).toEqual(['Ann@Example.com', 'bo@example.com', 'cy@example.com'])
  })

  it('never changes whom it made, and asks nothing about them', async () => {
    const line = lineWithAnn({ writes: 'create' })
    line.source.drop('a.csv', [[...HEADER], ANN, BO])
    await line.run()
    line.source.drop('b.csv', [[...HEADER], ANN, BO])
    expect(await line.run()).toMatchObject({ skipped: 1, unchanged: 1, requests: 0 })
    line.source.drop('c.csv', [[...HEADER], ['K2', 'bo@example.com', 'Bob', 'Birch', '2']])
    expect(await line.run()).toMatchObject({ skipped: 1, updated: 0, requests: 0 })
  })

  it('gives whom it made the terms that a failure kept back', async () => {
    const terms = { ...pipelineSettings().terms, assign: [{ name: 'Customer' }] }
    const line = lineWithAnn({ writes: 'create', terms })
    line.source.drop('a.csv', [[...HEADER], BO])
    line.service.fault = ({ path }) => (path.includes('/terms') ? { kind: 'not_applied' } : undefined)
    expect(await line.run()).toMatchObject({ failed: 1 })
    line.service.fault = () => undefined
    line.source.drop('b.csv', [[...HEADER], BO])
    await line.run()
    expect(line.service.termsOf([...line.service.contacts.keys()].at(-1) ?? 0)).toEqual(['Customer'])
  })

  it.each(['none', 'email'] as const)(
    'plans one of two records of one mail, as a run makes one (%s)',
    async (check) => {
      const other = ['K9', 'BO@example.com', 'Bob', 'Beech', '9']
      const lines = [1, 2].map(() => lineWithAnn({ writes: 'create', duplicate_check_method: check }))
      const [planned, line] = lines as [Line, Line]
      for (const one of lines) one.source.drop('a.csv', [[...HEADER], ANN, BO, other, CY])
      const { changes } = await planned.preview()
      const result = await line.run()
      expect(changes.map(({ action }) => action)).toEqual(Array<string>(result.created).fill('create'))
      expect(mailsOf(line)).toHaveLength(1 + result.created)
    },
  )

  it.each(['create', 'update'] as const)(
    'plans a record that cannot be looked up as failed, as a run ends it (%s)',
    async (writes) => {
      const lines = [1, 2].map(() => lineWithAnn({ writes }))
      const [planned, line] = lines as [Line, Line]
      for (const one of lines) {
        one.source.drop('a.csv', [[...HEADER], ['K9', 'bo/b@example.com', 'Bo', 'Birch', '1'], CY])
        one.service.fault = ({ contacts: [asked] }) =>
          String(asked?.['mail']).includes('/') ? { kind: 'unknown', status: 500 } : undefined
      }
      const { plan, changes } = await planned.preview()
      const result = await line.run()
      expect(changes.map(({ key }) => key)).not.toContain('K9')
      expect(plan.counts).toMatchObject({ failed: 1, created: result.created, skipped: result.skipped })
      expect(result).toMatchObject({ failed: 1 })
    },
  )

  it('skips whoever came between the plan and the request', async () => {
    const line = lineWithAnn({ writes: 'create' })
    line.source.drop('a.csv', [[...HEADER], BO])
    let looks = 0
    line.service.fault = ({ method }) => {
      if (method === 'GET' && ++looks === 2) line.service.contacts.set(80, { mail: 'bo@example.com' })
      return undefined
    }
    expect(await line.run()).toMatchObject({ created: 0, skipped: 1 })
    expect(line.service.writes()).toEqual([])
    line.source.drop('b.csv', [[...HEADER], BO])
    expect(await line.run()).toMatchObject({ skipped: 1, requests: 0 })
  })

  it.each(['email', 'none'] as const)('finds its own lost create again under %s', async (check) => {
    const line = lineWithAnn({ writes: 'create', duplicate_check_method: check })
    line.source.drop('a.csv', [[...HEADER], BO])
    let lost = 0
    line.service.fault = ({ method }) =>
      method === 'POST' && lost++ === 0 ? { kind: 'unknown', applied: true } : undefined
    expect(await line.run()).toMatchObject({ created: 1, in_doubt: 0, skipped: 0 })
    expect(mailsOf(line)).toEqual(['Ann@Example.com', 'bo@example.com'])
  })

  it('leaves a lost create in doubt where somebody else has its mail by now', async () => {
    const line = lineWithAnn({ writes: 'create' })
    line.source.drop('a.csv', [[...HEADER], BO])
    line.service.fault = ({ method }) => {
      if (method !== 'POST') return undefined
      line.service.contacts.set(80, { mail: 'bo@example.com', first_name: 'Bodo' })
      return { kind: 'unknown' }
    }
    expect(await line.run()).toMatchObject({ created: 0, in_doubt: 1 })
    expect(line.service.contacts.get(80)).toEqual({ mail: 'bo@example.com', first_name: 'Bodo' })
    expect(line.service.writes()).toHaveLength(1)
  })
})

it.each(['create', 'update'] as const)(
  'a plan under writes: %s has the counts of the run',
  async (writes) => {
    const lines = [lineWithAnn({ writes }), lineWithAnn({ writes })] as const
    for (const line of lines) {
      line.source.drop('a.csv', [...people(3), ['K9', 'ann@example.com', 'Ann', 'Ash', '1'], NO_MAIL])
      line.service.contacts.set(71, { mail: 'person2@example.com' })
    }
    const { totals, changes } = await lines[0].preview()
    const { created, updated, skipped, rejected } = await lines[1].run()
    expect(totals).toMatchObject({ created, updated, skipped, rejected })
    expect(changes.map(({ action }) => action)).toEqual([
      ...Array<string>(created).fill('create'),
      ...Array<string>(updated).fill('update'),
    ])
    if (writes === 'update') expect(changes.map(({ contact_id: id }) => id).toSorted()).toEqual([70, 71])
  },
)
