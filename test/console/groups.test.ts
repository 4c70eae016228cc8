// Lists of what is open, narrowed down by kind and pipeline, with the number of each.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GroupView } from '../../src/core/views.ts'
import { openForReading } from '../../src/store/file/database.ts'
import { openState } from '../../src/store/state-store.ts'
import { createStateViews } from '../../src/store/views/views.ts'
import { people, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'
import { type Desk, openDesk } from './desk.ts'

let found: Awaited<ReturnType<Desk['data']['views']['openGroups']>> = []

/** A full export that lacks half, changes some, and has three kinds of bad rows; everything is held. */
async function pastOfKinds(path: string): Promise<void> {
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  const guards = { ...GUARDS, max_changes: { share: 0.01 } }
  const line = testLine({ pipeline: { mode: 'full', on_missing: 'delete', guards: GUARDS }, state })
  line.source.drop('monday.csv', people(20))
  await line.run()
  line.pipeline = { ...line.pipeline, guards }
  const changed = people(10).map((row, index) => (index >= 1 && index <= 4 ? row.with(2, 'Other') : row))
  line.source.drop('tuesday.csv', [
    ...changed,
    ['K91', 'not a mail', '', '', ''],
    ['K92', 'nor this', '', '', ''],
    ['K93'],
  ])
  await line.run()
  await state.close()
  const db = openForReading(path)
  if (db === undefined) throw new Error('no state')
  found = await createStateViews(db, () => 0).openGroups(['held'], ['shop', 'crm'])
  db.close()
}

let desk: Desk
beforeAll(async () => (desk = await openDesk(undefined, pastOfKinds)))
afterAll(async () => desk.close())

const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
const page = async (path: string) => (await desk.page(path)).body

describe('what is held', () => {
  it('is counted by kind, and each number leads to the list of these alone', async () => {
    expect(found).toEqual([
      { pipeline: 'shop', kind: 'delete', count: 10, isMore: false },
      { pipeline: 'shop', kind: 'update', count: 4, isMore: false },
    ])
    const body = await page('/held')
    expect(textOf(body)).toMatch(/shop 10 delete 4 update/)
    expect(body).toContain('href="/held?pipeline=shop&amp;kind=delete"')
  })

  it('of one kind shows no other, and says so where there is none', async () => {
    const updates = await page('/held?kind=update')
    expect(updates).toContain('<strong>update</strong>')
    expect(updates).not.toContain('<strong>delete</strong>')
    expect(textOf(await page('/held?kind=create'))).toContain('Nothing of this kind is held.')
    expect(textOf(await page('/held?kind=nothing'))).not.toContain('Nothing of this kind')
  })

  it('so does a plan', async () => {
    const [, plan = ''] = /href="(\/held\/[^"]+)"/.exec(await page('/held?kind=delete')) ?? []
    if (plan === '') return
    const one = `${plan.replaceAll('&amp;', '&')}&kind=update`
    expect(await page(one)).not.toContain('<strong>delete</strong>')
  })
})

describe('rejects', () => {
  it('are counted by code, and listed by it', async () => {
    const groups = await desk.data.views.rejectGroups(['shop'])
    expect(groups.length).toBeGreaterThan(1)
    const body = await page('/rejects')
    for (const { kind, count } of groups) expect(textOf(body)).toContain(`${count} ${kind}`)
    const [{ kind, count } = { kind: '', count: 0 }] = groups
    const one = await page(`/rejects?code=${kind}`)
    expect(one.split(`<code>${kind}</code>`).length - 1).toBe(count)
    expect(one).not.toContain(`<code>${groups[1]?.kind ?? ''}</code>`)
    expect(await page('/rejects?code=NOTHING')).toContain(`<code>${kind}</code>`)
  })
})

it('what is in doubt is offered by kind, and more than can be counted is said to be that', async () => {
  const groups: GroupView[] = [
    { pipeline: 'shop', kind: 'create', count: 50_000, isMore: true },
    { pipeline: 'crm', kind: 'update', count: 2, isMore: false },
  ]
  const other = await openDesk((data) => ({
    ...data,
    views: { ...data.views, openGroups: () => Promise.resolve(groups) },
  }))
  expect(textOf((await other.page('/doubts?kind=create&pipeline=shop')).body)).toContain(
    'more than 50,000 create',
  )
  expect((await other.page('/doubts?kind=create&pipeline=shop')).body).toContain('aria-current="true"')
  await other.close()
})

it('rejects of a pipeline that is no longer configured are listed under their run only, without buttons', async () => {
  const anna = { name: 'anna', token: 'anna-has-this-token', role: 'operator' } as const
  const other = await openDesk((data) => {
    const live = () => {
      const now = data.live()
      return { ...now, pipelines: now.pipelines.map((one) => ({ ...one, name: 'renamed' })) }
    }
    return { ...data, live }
  }, pastOfKinds)
  try {
    other.users = [anna]
    const headers = await other.signIn(anna.token)
    expect((await other.ask('/rejects', { headers })).body).toContain('No record is rejected.')
    const { rows } = await other.data.views.runs({ status: 'held' }, { from: undefined, limit: 1 })
    const { body } = await other.ask(`/rejects?run=${rows[0]?.id ?? ''}`, { headers })
    expect(body).toContain('not a mail')
    expect(body).not.toContain('Retry those of')
    expect(body).not.toContain('Correct …')
  } finally {
    await other.close()
  }
})
