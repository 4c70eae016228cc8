// The page of terms that a few contacts get first, and the records that wait for one.
import { expect, it } from 'vitest'
import type { BrakeRule } from '../../src/core/change/waiting/brake.ts'
import { HOUR_MS } from '../../src/core/words/duration.ts'
import { openState } from '../../src/store/state-store.ts'
import { testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'
import { type Desk, MARKUP, openDesk } from './desk.ts'

const RULE: BrakeRule = {
  ...{ terms: ['Newsletter'], above: 5, first: 2, watch: 24 * HOUR_MS },
  stop_when: { unsubscribed: 0.5, refused: undefined },
}

const people = (first: number, last: number): string[][] => [
  ['no', 'mail', 'first', 'last', 'phone', 'tags'],
  ...Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index
    return [`K${number}`, `p${number}@example.com`, MARKUP, 'B', '', 'Newsletter']
  }),
]

/** `isSeen`: the first are read again, after half of them have unsubscribed. */
async function past(path: string, { last, isSeen }: { last: number; isSeen: boolean }): Promise<void> {
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  const assign = { policy: 'managed' as const, create_missing: true, assign: [{ column: 'tags' }] }
  const line = testLine({
    state,
    pipeline: { terms: { ...assign, descriptions: {}, verify: false }, guards: { ...GUARDS, brake: RULE } },
  })
  line.source.drop('1.csv', people(1, last))
  await line.run()
  if (isSeen) {
    const [id = 0] = [...line.service.contacts.keys()].filter((one) => line.service.termsOf(one).length > 0)
    line.service.contacts.set(id, { ...line.service.contacts.get(id), mail_status: 2 })
    line.clock.advance(RULE.watch)
    await line.run()
  }
  await state.close()
}

async function desk(how: { last: number; isSeen: boolean }, see: (desk: Desk) => Promise<void>) {
  const brakes = () => [{ term: 'Newsletter', rule: RULE }]
  const one = await openDesk(
    (data) => ({ ...data, brakes }),
    (path) => past(path, how),
  )
  try {
    await see(one)
  } finally {
    await one.close()
  }
}

const text = (body: string): string => body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

it('says how far a brake is from stopping', () =>
  desk({ last: 4, isSeen: false }, async ({ page }) => {
    const body = text((await page('/brakes')).body)
    expect(body).toContain('open')
    expect(body).toContain('more than 5 contacts within 1 d: 2 of them get it first')
    expect(body).toContain('the rest is held where 50% unsubscribe')
    expect(body).toContain('4 of 5')
    expect(body).toContain('No brake has stopped anything.')
    expect(text((await page('/held')).body)).toContain('Brakes')
  }))

it('says who is watched until when, and leads to those who wait, by pages', () =>
  desk({ last: 70, isSeen: false }, async ({ data, page }) => {
    const { body } = await page('/brakes')
    expect(text(body)).toMatch(/2 drawn, 2 have it since .*; read again /)
    expect(text(body)).toContain('68 contacts of shop')
    expect(text(body)).toContain('2 of them, drawn at random, get it first')
    const [, held = ''] = /href="(\/held\/[^"]*guard=brake[^"]*)"/.exec(body) ?? []
    const first = await page(held.replaceAll('&amp;', '&'))
    expect(first.body).toContain('&lt;script&gt;')
    expect(first.body).not.toContain(MARKUP)
    expect(text(first.body)).toContain('Newsletter')
    const [, next = ''] = /href="(\/held\/[^"]*from=\d+[^"]*)"/.exec(first.body) ?? []
    const second = await page(next.replaceAll('&amp;', '&'))
    const keys = [first.body, second.body].flatMap((one) => one.match(/>K\d+</g) ?? [])
    expect(new Set(keys).size).toBe(68)
    expect(keys).toHaveLength(68)
    expect(await data.views.openGroups(['held'], ['shop'])).toMatchObject([{ kind: 'terms', count: 68 }])
    const none = await page(`${held.replaceAll('&amp;', '&')}&kind=delete`)
    expect(text(none.body)).toContain('None of them is still current.')
  }))

it('says what was found, and what was decided', () =>
  desk({ last: 12, isSeen: true }, async ({ page }) => {
    const body = text((await page('/brakes')).body)
    expect(body).toContain('the rest is held')
    expect(body).toContain('of the first, 1 of 2 unsubscribed (50%)')
    expect(body).toContain('10 contacts of shop')
    expect(body).toContain('brake on Newsletter: of the first')
  }))

it('a brake that has left the configuration is shown while contacts wait for its term', async () => {
  const one = await openDesk(undefined, (path) => past(path, { last: 12, isSeen: false }))
  try {
    const body = text((await one.page('/brakes')).body)
    expect(body).toContain('Newsletter')
    expect(body).toContain('none any more: what waits stays held')
    expect(body).toContain('10 contacts of shop')
  } finally {
    await one.close()
  }
})
