// The sandbox as other programs have it in their tests: what the package exports as `contact-sync/sandbox`.
import { get } from 'node:https'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../src/app/sandbox-for-tests.ts'

let sandbox: RunningSandbox
afterEach(async () => sandbox.stop())

const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${sandbox.url}/public/api/V1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
  })

const create = (mail: string): Promise<Response> =>
  call('/contact', { method: 'POST', body: JSON.stringify({ contact: { mail } }) })

const SEED = {
  terms: [{ id: 7, name: 'Newsletter' }],
  contacts: [{ id: 40, mail: 'ada@example.com', level: 'gold', terms: [7] }],
  custom_fields: [{ field_id: 3, field_name: 'level', type: 'options_select', options: ['gold'] }],
}

describe('startSandbox of the package', () => {
  it('needs no option; requests can be looked at with their bodies', async () => {
    sandbox = await startSandbox()
    expect((await create('ada@example.com')).status).toBe(200)
    expect(sandbox.requests()).toEqual([
      {
        ...{ method: 'POST', path: '/public/api/V1/contact', query: '', status: 200 },
        body: { contact: { mail: 'ada@example.com' } },
      },
    ])
    expect(sandbox.ca).toBeUndefined()
  })

  it('has its seed again after a reset, the habits of the start, and no requests', async () => {
    sandbox = await startSandbox({ seed: SEED, habits: { 'ids-as-text': true } })
    const shown = async (): Promise<unknown> => (await call('/contact/40?fields=mail,level,terms', {})).json()
    const ada = { id: '40', mail: 'ada@example.com', level: 'gold', terms: ['7'] }
    expect(await shown()).toEqual(ada)
    sandbox.setHabits({ 'ids-as-text': false })
    expect(await shown()).toMatchObject({ id: 40 })
    expect((await call('/contact/40', { method: 'DELETE' })).status).toBe(200)
    expect((await call('/contact/40')).status).toBe(404)
    sandbox.reset()
    expect(sandbox.requests()).toEqual([])
    expect(await shown()).toEqual(ada)
  })

  it('faults happen to the next requests that match', async () => {
    sandbox = await startSandbox()
    sandbox.addFault({ match: 'POST /contact', next: 2, do: '503' })
    const statuses = []
    for (const mail of ['a@example.com', 'b@example.com', 'c@example.com'])
      statuses.push((await create(mail)).status)
    expect(statuses).toEqual([503, 503, 200])
    sandbox.addFault({ do: 'lost' })
    await expect(create('d@example.com')).rejects.toThrow('fetch failed')
    expect(await (await call('/contact/d@example.com')).json()).toHaveLength(1)
  })

  it('answers over TLS with a certificate that is handed over', async () => {
    sandbox = await startSandbox({ tls: true })
    const { url, ca = '' } = sandbox
    expect(url).toMatch(/^https:/)
    const status = await new Promise((done, failed) =>
      get(`${url}/openapi.json`, { ca, agent: false }, (answer) => {
        answer.resume()
        done(answer.statusCode)
      }).once('error', failed),
    )
    expect(status).toBe(200)
  })

  it('is stopped once, however often that is asked', async () => {
    {
      await using own = await startSandbox()
      sandbox = own
    }
    await sandbox.stop()
    await expect(fetch(sandbox.url)).rejects.toThrow('fetch failed')
  })

  it.each([
    [{ habits: { 'page-caps': 3 } }, 'there is no habit "page-caps"; did you mean page-cap?'],
    [{ seed: { contacts: [{ mail: 'none' }] } }, 'contact 1 of the seed: mail'],
  ])('%j is refused with what is wrong', async (options, message) => {
    await expect(startSandbox(options)).rejects.toThrow(message)
  })

  it('a fault that is none is refused', async () => {
    sandbox = await startSandbox()
    expect(() => sandbox.addFault({ do: 'explode' as never })).toThrow('this is no fault')
  })
})
