// Undoing a run, as a person does it: by the real command line against the sandbox.
import { mkdir, readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop({ mailStatusPermission: true })
})
afterEach(async () => shop.close())

interface RunJson {
  readonly status: string
  readonly undoes?: string
  readonly pipelines: {
    readonly run_id: string
    readonly updated: number
    readonly deleted: number
    readonly held: number
    readonly requests: number
  }[]
  readonly left?: {
    readonly key: string
    readonly contact_id: number
    readonly what: string
    readonly why: string
  }[]
}

async function json(...args: string[]): Promise<{ code: number | null; body: RunJson; stderr: string }> {
  const { code, stdout, stderr } = await shop.cli(...args, '--json')
  return { code, body: JSON.parse(stdout === '' ? 'null' : stdout) as RunJson, stderr }
}

async function run(csv: string): Promise<string> {
  await shop.drop('shop', `${Math.random()}.csv`, csv)
  const { body } = await json('run')
  expect(body.status).toBe('ok')
  return body.pipelines[0]?.run_id ?? ''
}

const phoneOf = async (index: number): Promise<unknown> =>
  (await shop.contacts(`person${index}@example.com`, 'id,phone'))[0]?.['phone']

async function edit(index: number, fields: Record<string, unknown>): Promise<void> {
  const [contact] = await shop.contacts(`person${index}@example.com`, 'id')
  const url = `${shop.sandbox.url}/public/api/V1/contact/${String(contact?.['id'])}`
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { authorization: 'Bearer canary-key-7f3a91', 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })
  expect(answer.status).toBe(200)
}

describe('undo of what two pipelines send', () => {
  const drop = async (pipeline: string, csv: string): Promise<string> => {
    await shop.drop(pipeline, `${Math.random()}.csv`, csv)
    return (await json('run', pipeline)).body.pipelines[0]?.run_id ?? ''
  }
  beforeEach(async () => {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    const crm = yaml.slice(yaml.indexOf('  shop:')).replaceAll('shop', 'crm')
    await shop.configure(`${yaml}${crm}`)
    await mkdir(shop.path('inbox', 'crm'))
  })

  it('puts back what a create took from the contact that it was merged into', async () => {
    await drop('crm', peopleCsv(1).replaceAll('030', '050'))
    const merging = await drop('shop', peopleCsv(1))
    expect(await phoneOf(0)).toBe('030 0')
    const { body } = await json('undo', merging, '--yes')
    expect(body.left?.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      expect.stringContaining('contact: the service had given its id before the run began'),
    ])
    expect(await phoneOf(0)).toBe('050 0')
  })

  it('puts back what the other one had sent', async () => {
    await drop('crm', peopleCsv(1).replaceAll('030', '050'))
    // The same person without a phone, and later with one.
    await drop('shop', peopleCsv(1).replace('030 0', ''))
    const replacing = await drop('shop', peopleCsv(1))
    expect(await phoneOf(0)).toBe('030 0')
    await json('undo', replacing, '--yes')
    expect(await phoneOf(0)).toBe('050 0')
  })
})

describe('undo of a run that changed contacts', () => {
  let changing: string
  beforeEach(async () => {
    await run(peopleCsv(5))
    changing = await run(peopleCsv(5, [0, 1, 2]))
    expect(await phoneOf(1)).toBe('040 1')
  })

  it('puts back what is still ours, and leaves and names what somebody changed since', async () => {
    await edit(1, { phone: 'changed by hand' })
    const { code, body } = await json('undo', changing, '--yes')
    expect(body).toMatchObject({ status: 'ok', undoes: changing, pipelines: [{ updated: 2 }] })
    expect(code).toBe(0)
    expect(body.left).toMatchObject([
      { key: 'K1', why: expect.stringContaining('changed at the service since: phone') as string },
    ])
    expect([await phoneOf(0), await phoneOf(1), await phoneOf(2)]).toEqual([
      '030 0',
      'changed by hand',
      '030 2',
    ])
  })

  it('shows it first, and sends nothing for that', async () => {
    const before = shop.sandbox.requests().length
    const { stdout, code } = await shop.cli('undo', changing, '--plan')
    expect(code).toBe(0)
    expect(stdout).toContain('~ update K0 (contact')
    expect(stdout).toContain('phone: "040 0" -> "030 0"')
    expect(stdout).toContain('3 records: 3 to be updated\n  6 requests')
    expect(shop.sandbox.requests()).toHaveLength(before)
    expect(await phoneOf(0)).toBe('040 0')
  })

  it('of one contact alone', async () => {
    const { body } = await json('undo', changing, '--contact', 'K2', '--yes')
    expect(body.pipelines[0]?.updated).toBe(1)
    expect([await phoneOf(0), await phoneOf(2)]).toEqual(['040 0', '030 2'])
  })

  it('a second time has nothing to do', async () => {
    await shop.cli('undo', changing, '--yes')
    const writes = shop.writes()
    const { code, body } = await json('undo', changing, '--yes')
    expect({ code, left: body.left, writes: shop.writes() }).toEqual({ code: 0, left: [], writes })
  })

  it('can be undone itself', async () => {
    const { body } = await json('undo', changing, '--yes')
    await shop.cli('undo', body.pipelines[0]?.run_id ?? '', '--yes')
    expect([await phoneOf(0), await phoneOf(1), await phoneOf(2)]).toEqual(['040 0', '040 1', '040 2'])
  })

  it('the next run sends what the source says then, also where the record is as before', async () => {
    await shop.cli('undo', changing, '--yes')
    await run(peopleCsv(5, [0, 1, 2]))
    expect(await phoneOf(0)).toBe('040 0')
  })

  it('leaves what a later run changed', async () => {
    await run(peopleCsv(5, [0, 1]).replace('040 0', '050 0'))
    const { body } = await json('undo', changing, '--yes')
    expect(body.left).toMatchObject([{ key: 'K0', what: 'phone', why: 'a later run changed it' }])
    // The later run set person 2 back to what it was, so there is nothing to undo.
    expect([await phoneOf(0), await phoneOf(1), await phoneOf(2)]).toEqual(['050 0', '030 1', '030 2'])
  })

  it('asks, and does nothing where nobody can answer', async () => {
    const { code, stderr } = await shop.cli('undo', changing)
    expect(code).toBe(2)
    expect(stderr).toContain('--yes continues without a question')
    expect(await phoneOf(0)).toBe('040 0')
  })

  it('says what the run holds: an undo does not touch that', async () => {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace(/^ {4}map:/m, '    guards: { max_changes: 2 }\n    map:'))
    await shop.drop('shop', 'held.csv', peopleCsv(5))
    const { code, body } = await json('run')
    expect(code).toBe(4)
    const id = body.pipelines[0]?.run_id ?? ''
    const said = `note: run ${id} holds 3 changes that it did not send, and this does not touch them: contact-sync held drop ${id}`
    for (const how of ['--plan', '--yes']) expect((await json('undo', id, how)).stderr).toContain(said)
    await shop.cli('held', 'drop', id)
    expect((await json('undo', id, '--plan')).stderr).not.toContain('note:')
  })

  it('names a run that it does not know', async () => {
    const { code, stderr } = await shop.cli('undo', 'nonsense', '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('the state knows no run nonsense')
  })

  it('is entered into the sync log with the run that it undoes', async () => {
    await shop.cli('undo', changing, '--yes')
    const { stdout } = await shop.cli('audit', 'list', '--json')
    expect(stdout).toContain(`undoes run ${changing}`)
  })
})

describe('undo of a run that created contacts', () => {
  it('leaves them, unless asked to delete those that nobody touched', async () => {
    const creating = await run(peopleCsv(3))
    const kept = await json('undo', creating, '--yes')
    expect(kept.body.left).toHaveLength(3)
    expect(kept.body.pipelines[0]).toMatchObject({ deleted: 0, requests: 0 })
    await edit(1, { company: 'somebody was here' })
    await shop.configure(
      (await config()).replace('key: no', 'key: no\n    guards: { max_deletes: 100%, max_deletes_per: off }'),
    )
    const { body } = await json('undo', creating, '--delete-created', '--yes')
    expect(body.pipelines[0]).toMatchObject({ deleted: 2 })
    expect(body.left).toMatchObject([
      {
        key: 'K1',
        why: expect.stringContaining(
          'it was changed since contact-sync wrote it, so it is kept: company',
        ) as string,
      },
    ])
    expect(await phoneOf(0)).toBeUndefined()
    expect(await phoneOf(1)).toBe('030 1')
  })

  it('keeps whom somebody touched in a field that no mapping names, or whose mail_status changed', async () => {
    const creating = await run(peopleCsv(5))
    await edit(0, { shoe_size: 43 })
    await edit(1, { mail_status: 2 })
    await edit(2, { mail_status: 7 })
    await edit(3, { mail_status: 3 })
    await shop.configure(
      (await config()).replace('key: no', 'key: no\n    guards: { max_deletes: 100%, max_deletes_per: off }'),
    )
    const { body } = await json('undo', creating, '--delete-created', '--yes')
    // Deletes go several at a time: those that were looked at first come first.
    expect(body.left?.map(({ key, why }) => [key, why.slice(why.lastIndexOf(':') + 2)]).sort()).toEqual([
      ['K0', 'shoe_size'],
      ['K1', 'mail_status'],
      ['K2', 'mail_status'],
    ])
    expect(body.pipelines[0]).toMatchObject({ deleted: 2 })
    expect([await phoneOf(0), await phoneOf(1), await phoneOf(2), await phoneOf(3)]).toEqual([
      '030 0',
      '030 1',
      '030 2',
      undefined,
    ])
  })

  it('keeps a contact that the service had before, into which the create was merged', async () => {
    await run(peopleCsv(2))
    await shop.configure(
      (await config())
        .replace('key: no', 'key: no\n    guards: { max_deletes: 100%, max_deletes_per: off }')
        .replace('shop:', 'other:')
        .replace('inbox/shop', 'inbox/other'),
    )
    await mkdir(shop.path('inbox', 'other'))
    await shop.drop('other', 'merged.csv', peopleCsv(3))
    const merging = (await json('run')).body.pipelines[0]?.run_id ?? ''
    // What named them first is gone from the configuration and from the state.
    const { DatabaseSync } = await import('node:sqlite')
    const state = new DatabaseSync(shop.path('state', 'contact-sync.db'))
    state.exec("DELETE FROM link WHERE pipeline = 'shop'")
    state.close()
    const planned = await json('undo', merging, '--delete-created', '--plan')
    const { body } = await json('undo', merging, '--delete-created', '--yes')
    expect(planned.body.left).toEqual(body.left)
    expect(planned.body.pipelines[0]).toMatchObject({ deleted: 1 })
    expect(body.left?.map(({ key, why }) => [key, why.includes('had given its id before')]).sort()).toEqual([
      ['K0', true],
      ['K1', true],
    ])
    expect([await phoneOf(0), await phoneOf(1), await phoneOf(2)]).toEqual(['030 0', '030 1', undefined])
  })

  it('is held by the guard of deletes, and can be released', async () => {
    const creating = await run(peopleCsv(10))
    const { code, body } = await json('undo', creating, '--delete-created', '--yes')
    expect(code).toBe(4)
    expect(await phoneOf(9)).toBe('030 9')
    const undoing = body.pipelines[0]?.run_id ?? ''
    expect((await shop.cli('held', 'release', undoing)).code).toBe(0)
    expect((await shop.cli('run')).code).toBe(0)
    expect(await phoneOf(9)).toBeUndefined()
  })
})

const config = async (): Promise<string> =>
  (await import('node:fs/promises')).readFile(shop.path('config.yaml'), 'utf8')

describe('undo of terms', () => {
  const tagged = (tags: string): string => `no,mail,first,tags\nK1,t1@example.com,Anna,${tags}\n`
  const termsOf = async (): Promise<string[]> => {
    const [contact] = await shop.contacts('t1@example.com', 'id')
    const url = `${shop.sandbox.url}/public/api/V1/contact/${String(contact?.['id'])}/terms`
    const answer = await fetch(url, { headers: { authorization: 'Bearer canary-key-7f3a91' } })
    return Object.values((await answer.json()) as Record<string, { name: string }>)
      .map(({ name }) => name)
      .sort()
  }
  const withPolicy = async (policy: string): Promise<void> =>
    shop.configure(
      (await config()).replace(
        /map: .*/,
        `map: { mail: mail, first_name: first }\n    terms: { policy: ${policy}, assign: [ { column: tags, split: ";" } ] }`,
      ),
    )

  it('takes back what it gave and gives back what it took, under managed', async () => {
    await withPolicy('managed')
    await run(tagged('A;B'))
    const changing = await run(tagged('B;C'))
    expect(await termsOf()).toEqual(['B', 'C'])
    expect((await json('undo', changing, '--yes')).body.pipelines[0]).toMatchObject({ updated: 1 })
    expect(await termsOf()).toEqual(['A', 'B'])
    // The ledger knows them: the source withdraws A again.
    await run(tagged('B'))
    expect(await termsOf()).toEqual(['B'])
  })

  it('keeps a contact that lacks a term which it was given', async () => {
    await withPolicy('managed')
    await shop.configure(
      (await config()).replace('key: no', 'key: no\n    guards: { max_deletes: 100%, max_deletes_per: off }'),
    )
    const creating = await run(tagged('A;B'))
    const [contact] = await shop.contacts('t1@example.com', 'id,terms')
    const [first] = contact?.['terms'] as number[]
    await fetch(`${shop.sandbox.url}/public/api/V1/contact/${String(contact?.['id'])}/terms`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer canary-key-7f3a91', 'content-type': 'application/json' },
      body: JSON.stringify([first]),
    })
    const { body } = await json('undo', creating, '--delete-created', '--yes')
    expect(body.left).toMatchObject([{ why: expect.stringContaining('term A (removed)') as string }])
    expect(await termsOf()).toEqual(['B'])
  })

  it('leaves what was given under add, unless told otherwise', async () => {
    await withPolicy('add')
    await run(tagged('A'))
    const changing = await run(tagged('A;B'))
    const { body } = await json('undo', changing, '--yes')
    expect(body.left).toMatchObject([{ what: 'term B' }])
    expect(await termsOf()).toEqual(['A', 'B'])
    await shop.cli('undo', changing, '--added-terms', '--yes')
    expect(await termsOf()).toEqual(['A'])
  })
})
