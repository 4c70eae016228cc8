// The form for a rejected row: what the mapping makes of it, what is refused with everything typed kept, and what is decided.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { KINDS } from '../../src/app/decisions/kinds.ts'
import { openState } from '../../src/store/state-store.ts'
import { HEADER, testLine } from '../support/line.ts'
import { type Desk, MARKUP, openDesk, TOKEN } from './desk.ts'

const ANNA = { name: 'anna', token: 'anna-has-this-token', role: 'operator' } as const
const BEN = { name: 'ben', token: 'ben-has-another-token', role: 'viewer' } as const

let desk: Desk
let id = 0
beforeAll(async () => {
  desk = await openDesk()
  const { rows } = await desk.data.views.rejects({ pipelines: ['shop'] }, { from: undefined, limit: 50 })
  id = rows.find(({ key }) => key === 'K61')?.id ?? 0
})
afterAll(async () => desk.close())
beforeEach(() => {
  desk.token = TOKEN
  desk.users = [ANNA, BEN]
})

async function signedIn(token: string) {
  const headers = await desk.signIn(token)
  return {
    get: (path: string) => desk.ask(path, { headers }),
    post: (path: string, form: Record<string, string>) => desk.ask(path, { form, headers }),
  }
}

const inputs = (body: string): Record<string, string> =>
  Object.fromEntries(
    [...body.matchAll(/name="(field\.[^"]+)"\s+value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
    ]),
  )

it('shows the row as it came, and each field with its value or its problem', async () => {
  const anna = await signedIn(ANNA.token)
  expect((await anna.get('/rejects')).body).toContain(`href="/rejects/${id}"`)
  const { body, status } = await anna.get(`/rejects/${id}`)
  expect(status).toBe(200)
  expect(body).not.toContain(MARKUP)
  expect(inputs(body)).toMatchObject({ 'field.mail': 'not a mail', 'field.first_name': MARKUP })
  expect(body).toMatch(/aria-describedby="field-\d+-problem"/)
  expect(body).toContain('The row as it came')
  expect(desk.reads.at(-1)).toMatchObject({ by: 'anna', page: 'rejects' })
})

it('only what was changed is decided, after a confirmation that says from and to', async () => {
  const anna = await signedIn(ANNA.token)
  const fields = inputs((await anna.get(`/rejects/${id}`)).body)
  const asked = await anna.post('/confirm', {
    kind: 'correct',
    id: String(id),
    ...fields,
    'field.mail': ' k61@example.com ',
  })
  expect(asked.body).toContain('mail: from “not a mail” to “k61@example.com”.')
  expect(asked.body).toContain('The mapping accepts the record with that; the next run of shop sends it.')
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(asked.body) ?? []
  const before = desk.decisions.length
  await anna.post('/decide', { token, reason: 'asked by phone' })
  await anna.post('/decide', { token, reason: 'asked by phone' })
  const taken = desk.decisions.slice(before)
  expect(taken).toEqual([
    {
      kind: 'correct',
      args: { pipeline: 'shop', record: `reject:${id}`, fields: { mail: 'k61@example.com' } },
      decided: { by: 'anna', role: 'operator', note: 'asked by phone' },
    },
  ])
  expect(KINDS.correct.args.safeParse(taken[0]?.args).success).toBe(true)
})

it('says before that the record would still be rejected', async () => {
  const anna = await signedIn(ANNA.token)
  const reads = desk.reads.length
  const asked = await anna.post('/confirm', { kind: 'correct', id: String(id), 'field.first_name': 'Ann' })
  expect(desk.reads.slice(reads)).toMatchObject([{ by: 'anna', role: 'operator', page: 'rejects' }])
  expect(asked.body).toContain('The record would still be rejected: ')
})

it('a value that is not accepted goes back to the form, and what was typed stays', async () => {
  const anna = await signedIn(ANNA.token)
  const asked = await anna.post('/confirm', {
    kind: 'correct',
    id: String(id),
    'field.mail': 'still"no mail',
    'field.first_name': 'Ann',
  })
  expect(asked.body).toContain('Nothing was noted: a value is not accepted.')
  expect(inputs(asked.body)).toMatchObject({ 'field.mail': 'still"no mail', 'field.first_name': 'Ann' })
  expect(asked.body).not.toContain('name="token"')
  const same = await anna.post('/confirm', { kind: 'correct', id: String(id), 'field.mail': 'not a mail' })
  expect(same.body).toContain('Nothing was noted: no value was changed.')
})

it('a viewer sees the row without a form; an unknown row has no page and no decision', async () => {
  const [ben, anna] = [await signedIn(BEN.token), await signedIn(ANNA.token)]
  const shown = await ben.get(`/rejects/${id}`)
  expect(shown.body).not.toContain('action="/confirm"')
  expect(shown.body).toContain(`contact-sync correct shop reject:${id} FIELD=VALUE`)
  const form = { kind: 'correct', id: String(id), 'field.mail': 'k61@example.com' }
  expect((await ben.post('/confirm', form)).status).toBe(403)
  expect((await anna.get('/rejects/99999')).status).toBe(404)
  expect((await anna.get('/rejects/x')).status).toBe(404)
  expect((await anna.post('/confirm', { ...form, id: '99999' })).body).toContain('Nothing was done')
})

it('who looks at the corrections is noted; one that is not there cannot be dropped', async () => {
  const anna = await signedIn(ANNA.token)
  expect((await anna.get('/corrections?state=holds')).body).toContain('There is no such correction.')
  expect(desk.reads.at(-1)).toMatchObject({ by: 'anna', page: 'corrections' })
  const asked = await anna.post('/confirm', { kind: 'corrections drop', id: '7' })
  expect(asked.body).toContain('Nothing was done')
})

/** A desk whose state has read these rows. */
const deskOf = (...rows: string[][]): Promise<Desk> =>
  openDesk(
    (data) => data,
    async (path) => {
      const state = openState(path, { pid: 1, since: 0, thorough: false })
      const line = testLine({ state })
      line.source.drop('1.csv', [[...HEADER], ...rows])
      await line.run()
      await state.close()
    },
  )

it('a row with the key of another record has no form: its values would go to that one', async () => {
  const own = await deskOf(
    ['K1', 'k1@example.com', 'Ann', 'Bell', ''],
    ['K1', 'k2@example.com', 'Bo', '', ''],
  )
  try {
    own.users = [ANNA]
    const { rows } = await own.data.views.rejects({ pipelines: ['shop'] }, { from: undefined, limit: 1 })
    const headers = await own.signIn(ANNA.token)
    const { body } = await own.ask(`/rejects/${rows[0]?.id ?? 0}`, { headers })
    expect(body).toContain('it has the key of another record')
    expect(body).not.toContain('action="/confirm"')
  } finally {
    await own.close()
  }
})

it('a long text with line breaks comes back from the form as it was', async () => {
  const long = `${'ä'.repeat(9_000)}\nsecond line`
  const own = await deskOf(['K1', 'no mail', long, 'Bell', ''])
  try {
    own.users = [ANNA]
    const { rows } = await own.data.views.rejects({ pipelines: ['shop'] }, { from: undefined, limit: 1 })
    const found = await own.data.correctable(rows[0]?.id ?? 0, {})
    const typed = Object.fromEntries(
      (found?.fields ?? []).map(({ field, text }) => [`field.${field}`, text.replaceAll('\n', '\r\n')]),
    )
    const form = { kind: 'correct', id: String(rows[0]?.id), ...typed, 'field.mail': 'k1@example.com' }
    const asked = await own.ask('/confirm', { form, headers: await own.signIn(ANNA.token) })
    expect(asked.status).toBe(200)
    const huge = { ...form, 'field.mail': 'x'.repeat(300_000) }
    const headers = await own.signIn(ANNA.token)
    expect((await own.ask('/confirm', { form: huge, headers })).status).toBe(413)
    expect(/<h1>(.*?)<\/h1>/s.exec(asked.body)?.[1]).toContain('Correct 1 field of record K1')
  } finally {
    await own.close()
  }
})
