// Terms, custom fields and merge methods as a user meets them: the command line, a real file, the sandbox.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KEY, openWorkshop, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

const configuration = (pipeline: string, source = 'inbox/shop'): string => `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  retry: { attempts: 2, max_delay: 1s }
  doubt: { quiesce: 200ms, absent_reads: 1 }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: ${source}, settle: 0s }
    key: no
${pipeline.replace(/^/gm, '    ')}
`

async function api(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${shop.sandbox.url}/public/api/V1${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.json()
}

const contactId = async (mail: string): Promise<number> =>
  Number((await shop.contacts(mail, 'id'))[0]?.['id'])

async function termsOf(mail: string): Promise<string[]> {
  const terms = (await api('GET', `/contact/${await contactId(mail)}/terms`)) as { name: string }[]
  return terms.map(({ name }) => name).sort()
}

const json = async (...args: string[]) => {
  const ended = await shop.cli(...args, '--json')
  return {
    ...ended,
    body: JSON.parse(ended.stdout) as { pipelines: unknown[]; terms: unknown[]; fields: unknown[] },
  }
}

describe('terms', () => {
  const managed = `map: { mail: mail }
terms:
  policy: managed
  assign: [{ column: tags, split: "," }]
  descriptions: { Kunde: Hat gekauft }`

  it('1,200 on the service, other case, digits and a slash: right links, and no doubled term', async () => {
    for (let index = 0; index < 1200; index += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, at) => api('POST', '/terms', { name: `Term ${index + at}` })),
      )
    for (const name of ['2024', 'A/B', 'Kunde']) await api('POST', '/terms', { name })
    await shop.configure(configuration(managed))
    await shop.drop('shop', 'a.csv', 'no,mail,tags\nK1,a@example.com,"TERM 1199,2024,a/b,KUNDE,neu"\n')
    const plan = await json('plan')
    expect(plan.body.pipelines[0]).toMatchObject({
      created: 1,
      terms_created: 1,
      changes: [{ terms: { add: ['TERM 1199', '2024', 'a/b', 'KUNDE', 'neu'], remove: [] } }],
    })
    const run = await json('run')
    expect(run).toMatchObject({
      code: 0,
      body: { status: 'ok', pipelines: [{ created: 1, terms_created: 1 }] },
    })
    expect(await termsOf('a@example.com')).toEqual(['2024', 'A/B', 'Kunde', 'Term 1199', 'neu'])
    const listed = await json('terms')
    expect(listed.body.terms).toHaveLength(1204)
    expect(listed.body.terms).toContainEqual({
      id: expect.any(Number) as number,
      name: 'Kunde',
      description: 'Hat gekauft',
    })
  })

  it('a managed list that shrinks takes away ours alone, and the text of the plan says which', async () => {
    await shop.configure(configuration(managed))
    await shop.drop('shop', 'a.csv', 'no,mail,tags\nK1,a@example.com,"a,b"\n')
    await shop.cli('run')
    const { id } = (await api('POST', '/terms', { name: 'theirs' })) as { id: number }
    await api('PUT', `/contact/${await contactId('a@example.com')}/terms`, [id])
    await shop.drop('shop', 'a.csv', 'no,mail,tags\nK1,a@example.com,b\n')
    const plan = await shop.cli('plan')
    expect(plan.stdout).toContain('terms: -a')
    expect(await json('run')).toMatchObject({ code: 0, body: { pipelines: [{ updated: 1 }] } })
    expect(await termsOf('a@example.com')).toEqual(['b', 'theirs'])
    const writes = shop.writes()
    await shop.drop('shop', 'a.csv', 'no,mail,tags\nK1,a@example.com,b\n')
    await shop.cli('run')
    expect(shop.writes()).toBe(writes)
  })

  it('unknown names are rejected with the nearest where none may be made, and check says so before', async () => {
    await api('POST', '/terms', { name: 'Customer' })
    await shop.configure(
      configuration('map: { mail: mail }\nterms: { create_missing: false, assign: [Custommer] }'),
    )
    await shop.drop('shop', 'a.csv', 'no,mail\nK1,a@example.com\n')
    const checked = await shop.cli('check')
    expect(checked).toMatchObject({ code: 2 })
    expect(checked.stdout).toContain('"Custommer" (the nearest is "Customer")')
    expect(await json('run')).toMatchObject({ code: 3, body: { pipelines: [{ rejected: 1 }] } })
  })
})

describe('a term that the service folds into another', () => {
  it('is not used, is named on standard error, and makes exit 3', async () => {
    await shop.close()
    shop = await openWorkshop({ termFolding: 'accents' })
    await api('POST', '/terms', { name: 'Cafe' })
    await shop.configure(configuration('map: { mail: mail }\nterms: { assign: [Café, Tee] }'))
    await shop.drop('shop', 'a.csv', 'no,mail\nK1,a@example.com\n')
    const run = await json('run')
    expect(run).toMatchObject({ code: 3, body: { status: 'partial', pipelines: [{ created: 1 }] } })
    expect(run.stderr).toContain('Café')
    expect(await termsOf('a@example.com')).toEqual(['Tee'])
  })
})

describe('custom fields', () => {
  it('are listed, checked, pushed in their types, and sent once', async () => {
    const fields = await json('fields')
    expect(fields.body.fields).toContainEqual({
      field_id: 8,
      field_name: 'shoe_size',
      label: 'Shoe size',
      description: '',
      type: 'integer',
      required: false,
    })
    await shop.configure(
      configuration(`map:
  mail: mail
  custom_fields:
    shoe_size: { column: shoes, number: true }
    revenue: { column: revenue, number: { decimal: "," } }
    interests: { column: likes, split: ";" }
    member_no: { column: no, size: 8 }
    newsletter_consent: { column: consent }`),
    )
    const rows = 'no,mail,shoes,revenue,likes,consent\nK1,a@example.com,42,"1.234,50",sports;books,ja\n'
    await shop.drop('shop', 'a.csv', rows)
    expect(await shop.cli('check')).toMatchObject({ code: 0 })
    expect(await json('run')).toMatchObject({ code: 0, body: { pipelines: [{ created: 1 }] } })
    const names = 'shoe_size,revenue,interests,member_no,newsletter_consent'
    expect(await shop.contacts('a@example.com', names)).toMatchObject([
      {
        shoe_size: 42,
        revenue: 1234.5,
        interests: ['books', 'sports'],
        member_no: 'K1',
        newsletter_consent: 1,
      },
    ])
    const writes = shop.writes()
    await shop.drop('shop', 'a.csv', rows.replace('sports;books', 'books;sports'))
    expect(await json('run')).toMatchObject({ code: 0, body: { pipelines: [{ unchanged: 1, requests: 1 }] } })
    expect(shop.writes()).toBe(writes)
  })

  it('that the service does not have are a fault of the configuration: exit 2, nothing sent, the file stays', async () => {
    await shop.configure(configuration('map: { mail: mail, custom_fields: { shoesize: no } }'))
    await shop.drop('shop', 'a.csv', 'no,mail\nK1,a@example.com\n')
    const checked = await shop.cli('check')
    expect(checked).toMatchObject({ code: 2 })
    expect(checked.stdout).toContain('did you mean shoe_size?')
    expect(await json('run')).toMatchObject({
      code: 2,
      body: { status: 'failed', pipelines: [{ code: 'CONFIG_INVALID', read: 0 }] },
    })
    expect(shop.writes()).toBe(0)
    const planned = await shop.cli('plan')
    expect(planned).toMatchObject({ code: 2 })
    expect(planned.stdout).toContain('aborted: CONFIG_INVALID')
    expect(planned.stdout).toContain('did you mean shoe_size?')
    // One whole document all the same.
    expect(await json('plan')).toMatchObject({
      code: 2,
      body: { pipelines: [{ pipeline: 'shop', status: 'failed', code: 'CONFIG_INVALID', changes: [] }] },
    })
  })
})

describe('what is held', () => {
  it('is listed with its reason and the lines that are concerned', async () => {
    await shop.configure(configuration('map: { mail: mail }'))
    await shop.drop('shop', 'a.csv', 'no,mail\nK1,a@example.com\nK2,A@Example.com\n')
    expect(await json('run')).toMatchObject({ code: 4, body: { pipelines: [{ held: 2 }] } })
    const listed = await json('held', 'list')
    expect(listed.body).toEqual({
      held: [2, 3].map((line) => ({
        pipeline: 'shop',
        run_id: expect.any(String) as string,
        guard: null,
        number: 1,
        threshold: null,
        action: 'create',
        key: `K${line - 1}`,
        contact_id: null,
        reason: expect.stringContaining(`the same e-mail address as on line ${5 - line}`) as string,
        file: 'a.csv',
        line,
      })),
    })
    expect((await shop.cli('held', 'list')).stdout).toContain(
      'shop: a.csv:2: K1: the same e-mail address as on line 3',
    )
  })
})

describe('merge methods hold at create and at update', () => {
  it.each([
    ['update_add', { phone: '2', fax: 'F' }, { phone: '3', fax: 'G' }],
    ['update', { phone: '2', fax: null }, { phone: '3', fax: null }],
    ['add', { phone: '1', fax: 'F' }, { phone: '1', fax: 'F' }],
  ])('%s', async (method, created, updated) => {
    await api('POST', '/contact', { contact: { mail: 'a@example.com', phone: '1' } })
    await shop.configure(
      configuration(`map: { mail: mail, phone: phone, fax: fax }\nduplicate_merge_method: ${method}`),
    )
    await shop.drop('shop', 'a.csv', 'no,mail,phone,fax\nK1,a@example.com,2,F\n')
    await shop.cli('run')
    expect(await shop.contacts('a@example.com', 'phone,fax')).toMatchObject([created])
    await shop.drop('shop', 'a.csv', 'no,mail,phone,fax\nK1,a@example.com,3,G\n')
    await shop.cli('run')
    expect(await shop.contacts('a@example.com', 'phone,fax')).toMatchObject([updated])
  })
})
