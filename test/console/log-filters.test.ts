// The sync log narrowed down: by day, by field, by person; and nothing of a person in an address.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Desk, openDesk } from './desk.ts'

let desk: Desk
let headers: Awaited<ReturnType<Desk['signIn']>>
beforeAll(async () => {
  desk = await openDesk()
  headers = await desk.signIn()
})
afterAll(async () => desk.close())

const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
const entriesIn = (body: string): number => (body.match(/href="\/log\/\d+"/g) ?? []).length
const page = async (path: string) => (await desk.ask(path, { headers })).body

it('by day, the last one included', async () => {
  // The clock of the test line begins on this day.
  const day = '2026-01-01'
  expect(entriesIn(await page(`/log?since=${day}&until=${day}`))).toBeGreaterThan(10)
  expect(entriesIn(await page('/log?since=2026-01-02'))).toBe(0)
  expect(entriesIn(await page('/log?until=2025-12-31'))).toBe(0)
  expect(await page(`/log?since=${day}`)).toContain(`value="${day}"`)
})

it.each(['since=today', 'until=2026-13-99', 'since=1', 'person=x', 'person=-1', 'action=nothing'])(
  'what is no day, number or action is left out: %s',
  async (query) => {
    expect(entriesIn(await page(`/log?${query}`))).toBeGreaterThan(10)
  },
)

it('by field; the pages after the first keep it', async () => {
  const body = await page('/log?field=first_name&action=update')
  expect(entriesIn(body)).toBe(1)
  expect(await page('/log?field=mail')).toMatch(/href="\/log\?field=mail&amp;from=\d+"/)
  expect(entriesIn(await page('/log?field=no_such_field'))).toBe(0)
})

it('by person, who stands in no address', async () => {
  const form = { who: 'person7@example.com', action: 'update' }
  const { status, headers: answered } = await desk.ask('/log', { headers, form })
  expect(status).toBe(303)
  const place = String(answered['location'])
  expect(place).toMatch(/^\/log\?action=update&person=\d+$/)
  const body = await page(place)
  expect(entriesIn(body)).toBe(1)
  expect(textOf(body)).toContain('Of one person. Of all')
  // The other filters keep the person, and giving the person up keeps them.
  expect(body).toMatch(/name="person" value="\d+"/)
  expect(body).toContain('href="/log?action=update"')
})

it('says so where no entry is about that person, and lets choose where several have the same', async () => {
  const none = await desk.ask('/log', { headers, form: { who: 'nobody@example.com' } })
  expect(textOf(none.body)).toContain('No entry is about a person')
  const two = await desk.data.log.people('K1')
  const [one] = two
  if (one === undefined) throw new Error('nobody')
  const other = await openDesk((data) => ({
    ...data,
    log: { ...data.log, people: () => Promise.resolve([one, { ...one, person: 99 }]) },
  }))
  const own = await other.signIn()
  const { status, body } = await other.ask('/log', { headers: own, form: { who: 'K1' } })
  expect(status).toBe(200)
  expect(body).toContain('href="/log?person=99"')
  await other.close()
})

it('is asked for from pages of our own alone', async () => {
  const foreign = { ...headers, 'sec-fetch-site': 'cross-site' }
  expect((await desk.ask('/log', { headers: foreign, form: { who: 'K1' } })).status).toBe(403)
})

it('shows the entries of a decision, or of a run that is not kept any more, where there is no run', async () => {
  const [run] = (await desk.data.views.runs({}, { from: undefined, limit: 1 })).rows
  const id = run?.id ?? ''
  const other = await openDesk((data) => ({
    ...data,
    views: { ...data.views, run: () => Promise.resolve(undefined) },
    log: { ...data.log, logPage: desk.data.log.logPage },
  }))
  const own = { headers: await other.signIn() }
  const { status, headers: answered } = await other.ask(`/runs/${id}`, own)
  expect([status, answered['location']]).toEqual([303, `/log?run=${id}`])
  expect((await other.ask('/runs/20260101-000000-aaaaaa', own)).status).toBe(404)
  await other.close()
})
