// What a person decides, as the program is used: held plans, doubts, rejects, by the real command line.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { KEY, openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

const heldJson = z.object({
  held: z.array(
    z.looseObject({
      run_id: z.string(),
      guard: z.string().nullable(),
      number: z.number(),
      threshold: z.string().nullable(),
      reason: z.string(),
      changes: z.array(z.unknown()).optional(),
    }),
  ),
})
const runJson = z.looseObject({
  status: z.string(),
  pipelines: z.array(z.looseObject({ run_id: z.string(), deleted: z.number(), held_deletes: z.number() })),
})
const planJson = z.object({
  pipelines: z.array(z.looseObject({ changes: z.array(z.unknown()), held_deletes: z.number() })),
})
const doubtsJson = z.object({
  doubts: z.array(z.looseObject({ id: z.number(), key: z.string(), action: z.string() })),
})
const rejectsJson = z.object({ rejects: z.array(z.unknown()) })

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(async () => shop.close())

const FULL = `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s, concurrency: 4 } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    mode: full
    on_missing: delete
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
`

/** What a command says with `--json`, in the form that the test relies on. */
async function json<S extends z.ZodType>(form: S, ...args: string[]) {
  const { code, stdout, stderr } = await shop.cli(...args, '--json')
  return { code, body: form.parse(JSON.parse(stdout === '' ? 'null' : stdout)), stderr }
}

const isThere = async (index: number): Promise<boolean> =>
  (await shop.contacts(`person${index}@example.com`, 'id')).length > 0

describe('a full export', () => {
  beforeEach(async () => {
    await shop.configure(FULL)
    await shop.drop('shop', '1.csv', peopleCsv(10))
    expect((await shop.cli('run')).code).toBe(0)
  })

  it('that lacks 40 % is held with exit 4, released once, and refused where it is not the same any more', async () => {
    await shop.drop('shop', '2.csv', peopleCsv(6))
    const plan = await json(planJson, 'plan')
    expect(plan).toMatchObject({
      code: 4,
      body: { pipelines: [{ held_deletes: 4, status: 'held', changes: [] }] },
    })
    const held = await json(runJson, 'run')
    expect(held).toMatchObject({
      code: 4,
      body: { status: 'held', pipelines: [{ deleted: 0, held_deletes: 4 }] },
    })
    const run = held.body.pipelines[0]?.run_id ?? ''
    const list = await json(heldJson, 'held', 'list')
    expect(list.body.held).toMatchObject([
      {
        run_id: run,
        guard: 'max_deletes',
        number: 4,
        threshold: '5% (1)',
        released_at: null,
        changed_since: 0,
      },
    ])
    expect(list.body.held[0]?.changes).toMatchObject(
      [6, 7, 8, 9].map((key) => ({ action: 'delete', key: `K${key}`, line: null })),
    )
    const text = (await shop.cli('held', 'list')).stdout
    expect(text).toContain(`4 changes held by max_deletes: 4 of 10 contacts are missing from the source`)
    expect(text).toContain(`contact-sync held release ${run}`)
    expect((await shop.cli('held', 'release', 'no-such-run')).code).toBe(2)
    expect(await shop.cli('held', 'release', run)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('4 changes of shop released') as string,
    })
    for (const of of [[], ['--key', 'K9']])
      expect(await shop.cli('held', 'release', run, ...of)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^(4 changes were|1 change was) released before; the next run/u,
        ) as string,
      })
    const { stdout: log } = await shop.cli('audit', 'list', '--run', run)
    expect(log.match(/changes? held by max_deletes w/gu)).toHaveLength(1)
    expect(await isThere(9)).toBe(true)
    expect(await json(runJson, 'run')).toMatchObject({
      code: 0,
      body: { pipelines: [{ deleted: 4, read: 0 }] },
    })
    expect(await isThere(9)).toBe(false)
    expect(await isThere(5)).toBe(true)
    expect((await json(heldJson, 'held', 'list')).body.held).toEqual([])
  })

  it('of which single changes were dropped, released and sent is released without them', async () => {
    await shop.drop('shop', '2.csv', peopleCsv(4))
    const run = (await json(runJson, 'run')).body.pipelines[0]?.run_id ?? ''
    expect((await shop.cli('held', 'drop', run, '--key', 'K9')).code).toBe(0)
    expect((await shop.cli('held', 'release', run, '--key', 'K8')).code).toBe(0)
    const text = (await shop.cli('held', 'list')).stdout
    expect(text).toContain('4 changes held by max_deletes')
    expect(text).toContain('1 more is released; the next run sends it')
    expect(text).toContain(`to release exactly these: contact-sync held release ${run}\n`)
    expect((await shop.cli('held', 'release', run, '--key', 'K7')).code).toBe(0)
    expect(await json(runJson, 'run')).toMatchObject({ code: 0, body: { pipelines: [{ deleted: 2 }] } })
    expect((await json(heldJson, 'held', 'list')).body.held).toMatchObject([{ number: 3, changed_since: 0 }])
    expect(await shop.cli('held', 'release', run)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('3 changes of shop released') as string,
    })
    expect(await json(runJson, 'run')).toMatchObject({ code: 0, body: { pipelines: [{ deleted: 3 }] } })
    expect(await Promise.all([3, 4, 8, 9].map(isThere))).toEqual([true, false, false, true])
  })

  it('is released where each of its changes was, and what is dropped then is none of it', async () => {
    await shop.drop('shop', '2.csv', peopleCsv(8))
    const run = (await json(runJson, 'run')).body.pipelines[0]?.run_id ?? ''
    for (const key of ['K8', 'K9']) await shop.cli('held', 'release', run, '--key', key)
    expect((await json(heldJson, 'held', 'list')).body.held).toMatchObject([
      { number: 2, changed_since: 0, released_at: expect.any(String) as string },
    ])
    expect((await shop.cli('held', 'drop', run, '--key', 'K9')).code).toBe(0)
    expect((await json(heldJson, 'held', 'list')).body.held).toMatchObject([{ number: 1, changed_since: 0 }])
    expect(await json(runJson, 'run')).toMatchObject({ code: 0, body: { pipelines: [{ deleted: 1 }] } })
    expect(await Promise.all([8, 9].map(isThere))).toEqual([false, true])
  })

  it('that overtakes a held plan makes its release void', async () => {
    await shop.drop('shop', '2.csv', peopleCsv(6))
    const first = (await json(runJson, 'run')).body.pipelines[0]?.run_id ?? ''
    await shop.drop('shop', '3.csv', peopleCsv(7))
    const second = (await json(runJson, 'run')).body.pipelines[0]?.run_id ?? ''
    expect(await shop.cli('held', 'release', first)).toMatchObject({ code: 2 })
    await shop.configure(FULL.replace('phone: phone', 'fax: phone'))
    const refused = await shop.cli('held', 'release', second)
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toContain('HELD_CHANGED')
    expect(refused.stderr).toContain('the mapping of shop has changed since')
    for (let index = 0; index < 10; index += 1) expect(await isThere(index)).toBe(true)
  })

  it('of which a newer file has overtaken a part is released without that part, in words', async () => {
    await shop.configure(
      FULL.replace('mode: full', 'mode: incremental')
        .replace('on_missing: delete', 'on_missing: keep')
        .replace('key: no', 'key: no\n    guards: { max_changes: 2 }'),
    )
    await shop.drop('shop', '2.csv', peopleCsv(10, [1, 2, 3]))
    const run = (await json(runJson, 'run')).body.pipelines[0]?.run_id ?? ''
    await shop.drop('shop', '3.csv', peopleCsv(3, [1]))
    expect(await json(runJson, 'run')).toMatchObject({ code: 0, body: { pipelines: [{ updated: 1 }] } })
    expect((await json(heldJson, 'held', 'list')).body.held).toMatchObject([{ number: 3, changed_since: 2 }])
    expect((await shop.cli('held', 'list')).stdout).toContain(`held release ${run} --remaining`)
    expect((await shop.cli('held', 'release', run)).code).toBe(4)
    expect((await shop.cli('held', 'release', run, '--remaining')).code).toBe(0)
    expect(await json(runJson, 'run')).toMatchObject({
      code: 0,
      body: { pipelines: [{ updated: 1, read: 1 }] },
    })
    expect(await shop.contacts('person3@example.com', 'phone')).toMatchObject([{ phone: '040 3' }])
  })

  it.each([
    ['empty', ''],
    ['its header alone', 'no,mail,first,last,phone\n'],
    ['cut off inside a value', peopleCsv(6).slice(0, -20) + '"never closed'],
  ])('that is %s deletes nobody', async (_, text) => {
    await shop.drop('shop', '2.csv', text)
    expect((await shop.cli('run')).code).toBeGreaterThanOrEqual(3)
    for (let index = 0; index < 10; index += 1) expect(await isThere(index)).toBe(true)
  })

  it('that lost one person loses the contact, and says so', async () => {
    await shop.drop('shop', '2.csv', peopleCsv(9))
    const plan = await json(planJson, 'plan')
    expect(plan.body.pipelines[0]?.changes).toMatchObject([
      { action: 'delete', key: 'K9', contact_id: 10, source: { file: '2.csv', line: null } },
    ])
    expect((await shop.cli('plan')).stdout).toContain('- delete K9 (contact 10)  [gone from 2.csv]')
    expect(await json(runJson, 'run')).toMatchObject({
      code: 0,
      body: { pipelines: [{ deleted: 1, unchanged: 9 }] },
    })
    expect(await isThere(9)).toBe(false)
  })
})

describe('doubts', () => {
  const address = (street: string): string =>
    `no,first,last,street,city,zip\nA1,Ada,Beispiel,${street},Ort,01234\n`
  const CONFIGURATION = FULL.replace('mode: full', 'mode: incremental')
    .replace('on_missing: delete', 'on_missing: keep')
    .replace(
      'mail: mail, first_name: first, family_name: last, phone: phone',
      'first_name: first, family_name: last, ba_street: street, ba_city: city, ba_postal_code: zip',
    )

  /** Hands everything on to the sandbox, and loses the answers to POST. */
  async function lossyServer(): Promise<Server> {
    const server = createServer((request, response) => {
      void (async () => {
        const parts: Buffer[] = []
        for await (const part of request) parts.push(part as Buffer)
        const { method = 'GET', headers, url = '' } = request
        const init = {
          method,
          headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
        }
        const body = parts.length === 0 ? {} : { body: Buffer.concat(parts) }
        const answer = await fetch(`${shop.sandbox.url}${url}`, { ...init, ...body })
        const text = await answer.text()
        if (method === 'POST') return request.socket.destroy()
        return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
      })()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server
  }

  /** An address-only contact whose answer never came: it cannot be looked up. `isBound`: the state has contacts already. */
  async function doubt({ isBound = false } = {}): Promise<number> {
    const server = await lossyServer()
    const { port } = server.address() as AddressInfo
    await shop.configure(CONFIGURATION.replace('${BASE_URL}', `http://127.0.0.1:${port}`))
    if (isBound) expect((await shop.cli('state', 'rebind', '--yes')).code).toBe(0)
    await shop.drop('shop', 'a.csv', address('Weg 1'))
    expect((await shop.cli('run')).code).toBe(3)
    server.closeAllConnections()
    server.close()
    await shop.configure(CONFIGURATION)
    const { body } = await json(doubtsJson, 'doubts', 'list')
    expect(body.doubts).toMatchObject([{ key: 'A1', action: 'create', line: 2 }])
    return body.doubts[0]?.id ?? 0
  }

  it('are settled by a word: done, with the contact that is there', async () => {
    const id = String(await doubt())
    const [wrong, missing, unknown] = [
      await shop.cli('doubts', 'resolve', id, '--as', 'done', '--contact-id', '999'),
      await shop.cli('doubts', 'resolve', id, '--as', 'done'),
      await shop.cli('doubts', 'resolve', '12345', '--as', 'not-done'),
    ]
    expect([wrong.code, missing.code, unknown.code]).toEqual([2, 2, 2])
    expect(wrong.stderr).toContain('the service has no contact 999')
    expect(await shop.cli('doubts', 'resolve', id, '--as', 'done', '--contact-id', '1')).toMatchObject({
      code: 0,
      stdout: 'shop: A1: settled as done\n',
    })
    // The answers were lost on a way that has an address of its own.
    expect((await shop.cli('state', 'rebind', '--yes')).code).toBe(0)
    await shop.drop('shop', 'b.csv', address('Weg 2'))
    expect(await json(runJson, 'run')).toMatchObject({
      code: 0,
      body: { pipelines: [{ updated: 1, created: 0 }] },
    })
  })

  it.each(['ash@example.com', 'other@example.com'])(
    'of several contacts of a key of fields: the one that is named (%s) is linked, and gets what was never sent',
    async (mail) => {
      await shop.configure(
        FULL.replace('mode: full', 'duplicate_check_method: none')
          .replace('on_missing: delete', 'terms: { assign: [Customer] }')
          .replace('key: no', 'key: { fields: [mail, first_name] }'),
      )
      for (const address of ['ash@example.com', 'ash@example.com', 'other@example.com'])
        await fetch(`${shop.sandbox.url}/public/api/V1/contact`, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            contact: { mail: address, first_name: 'Ann' },
            duplicate_check_method: 'none',
          }),
        })
      await shop.drop('shop', 'a.csv', 'no,mail,first,last,phone\n1,ash@example.com,Ann,Ash,1\n')
      expect((await shop.cli('run')).code).toBe(3)
      const { body } = await json(doubtsJson, 'doubts', 'list')
      const [id, contact] = [String(body.doubts[0]?.id), mail.startsWith('ash') ? '2' : '3']
      const writes = shop.writes()
      expect(await shop.cli('doubts', 'resolve', id, '--as', 'done', '--contact-id', contact)).toMatchObject({
        code: 0,
        stdout: 'shop: ash@example.com|ann: settled as done\n',
      })
      expect(shop.writes()).toBe(writes)
      expect(await json(runJson, 'run')).toMatchObject({
        code: 0,
        body: { pipelines: [{ updated: 1, created: 0 }] },
      })
      const all = await shop.contacts('ash@example.com', 'id,family_name,phone')
      expect(all).toContainEqual({ id: Number(contact), family_name: 'Ash', phone: '1' })
      const { stdout } = await shop.cli('explain', 'shop', 'ash@example.com|ann')
      expect(stdout).toContain('column "last": "Ash" -> "Ash"')
      expect(stdout).not.toContain('now has another record')
      await shop.drop('shop', 'b.csv', 'no,mail,first,last,phone\n1,ash@example.com,Ann,Ash,1\n')
      expect(await json(runJson, 'run')).toMatchObject({
        body: { pipelines: [{ unchanged: 1, requests: 0 }] },
      })
    },
  )

  it('are not ended by the contact of another record, where the service cannot have merged the two', async () => {
    await shop.configure(CONFIGURATION)
    await shop.drop('shop', '0.csv', address('Weg 0').replace('A1', 'A0'))
    expect((await shop.cli('run')).code).toBe(0)
    const id = String(await doubt({ isBound: true }))
    const wrong = await shop.cli('doubts', 'resolve', id, '--as', 'done', '--contact-id', '1')
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('contact 1 belongs to another record of shop')
    expect((await json(doubtsJson, 'doubts', 'list')).body.doubts).toHaveLength(1)
    const right = await shop.cli('doubts', 'resolve', id, '--as', 'done', '--contact-id', '2')
    expect(right).toMatchObject({ code: 0, stdout: 'shop: A1: settled as done\n' })
  })

  it('are settled by a word: not done, so that it is sent again', async () => {
    const id = String(await doubt())
    expect((await shop.cli('doubts', 'resolve', id, '--as', 'not-done')).code).toBe(0)
    expect(await json(runJson, 'run')).toMatchObject({ code: 0, body: { pipelines: [{ created: 1 }] } })
    expect((await json(doubtsJson, 'doubts', 'list')).body.doubts).toEqual([])
  })
})

describe('rejects retry', () => {
  it('sends what a mended mapping takes', async () => {
    await shop.drop('shop', 'a.csv', 'no,mail,first,last,phone\nK1,none,A,B,1\nK2,b@example.com,A,B,1\n')
    expect((await shop.cli('run')).code).toBe(3)
    await shop.configure(FULL.replace('mail: mail', 'mail: { value: fixed@example.com }'))
    expect(await json(runJson, 'rejects', 'retry')).toMatchObject({
      code: 0,
      body: { pipelines: [{ read: 1, created: 1 }] },
    })
    expect((await shop.contacts('fixed@example.com', 'id')).length).toBe(1)
    expect((await json(rejectsJson, 'rejects', 'list')).body.rejects).toEqual([])
  })
})
