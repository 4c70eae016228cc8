// `owns`, as an admin configures it: what is refused, what is warned of, and who writes.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'owns-key'
let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const pipeline = (name: string, owns: string, more = 'blank: clear'): string => `
  ${name}:
    source: { type: csv, folder: ${name}, settle: 0s }
    key: no
    ${owns}
    ${more}
    map: { mail: mail, first_name: first, phone: phone }`

const configure = async (...pipelines: string[]): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:${pipelines.join('')}
`,
  )

let files = 0
async function run(name: string, phone: string): Promise<unknown> {
  files += 1
  await place.write(`${name}/${files}.csv`, `no,mail,first,phone\nK1,anna@example.com,Anna,${phone}\n`)
  expect((await place.cli('run', name)).code).toBe(0)
  const { contacts } = (await place.json('contact', 'anna@example.com')) as {
    contacts: { fields: { phone: unknown } }[]
  }
  expect(contacts).toHaveLength(1)
  return contacts[0]?.fields.phone
}

it('the owner has its way; where it is blank, the next one fills in the value', async () => {
  await configure(pipeline('crm', 'owns: [phone]'), pipeline('shop', 'owns: [phone]'), pipeline('erp', ''))
  expect(await run('shop', '2')).toBe('2')
  expect(await run('erp', '3')).toBe('2')
  expect(await run('crm', '1')).toBe('1')
  expect(await run('shop', '2')).toBe('1')
  expect(await run('crm', '')).toBeOneOf(['', null, undefined])
  expect(await run('erp', '3')).toBeOneOf(['', null, undefined])
  expect(await run('shop', '2')).toBe('2')
  expect(await run('crm', '')).toBe('2')
  expect(await run('crm', '1')).toBe('1')
  expect(await place.json('plan')).toMatchObject({
    pipelines: [{ updated: 0 }, { updated: 0 }, { updated: 0 }],
  })
})

it('a record that is unchanged is filled in, too, and one that is settled makes no write', async () => {
  await configure(pipeline('crm', 'owns: [phone]'), pipeline('shop', 'owns: [phone]'))
  await run('crm', '1')
  await run('shop', '2')
  const count = () => sandbox.requests().filter(({ method }) => method !== 'GET').length
  const before = count()
  for (const name of ['crm', 'shop', 'crm', 'shop'])
    expect(await run(name, name === 'crm' ? '1' : '2')).toBe('1')
  expect(count()).toBe(before)
  await run('crm', '')
  await place.write('shop/next.csv', 'no,mail,first,phone\nK1,anna@example.com,Anna,2\n')
  // The plan knows, too, that another pipeline has sent the last value.
  expect(await place.json('plan', 'shop')).toMatchObject({
    pipelines: [{ updated: 1, changes: [{ fields: { phone: { to: '2' } } }] }],
  })
  expect(await run('shop', '2')).toBe('2')
})

it('a blank that keeps the value frees the field, too, and leaves the value until the next one writes', async () => {
  await configure(pipeline('crm', 'owns: [phone]', ''), pipeline('shop', 'owns: [phone]', ''))
  expect((await place.cli('check')).stdout).not.toContain('phone')
  await run('crm', '1')
  await run('shop', '2')
  expect(await run('crm', '')).toBe('1')
  const explained = (await place.cli('explain', 'crm', 'K1')).stdout
  expect(explained).toContain(
    'value of crm: sent last; shop owns it and sends its value, if it has one, when its record is next read',
  )
  expect(explained).toContain('blank in the record since, so left to the next pipeline that owns it')
  expect((await place.cli('audit', 'show', 'anna@example.com')).stdout).toContain(
    'blank in the record, so left to the next pipeline that owns it: phone',
  )
  expect(await run('shop', '2')).toBe('2')
  expect(await ownerIn('crm', 'phone')).toEqual({
    pipeline: 'shop',
    why: 'owns it as the next one: crm has no value',
  })
  expect(await run('crm', '')).toBe('2')
  expect(await run('crm', '1')).toBe('1')
  expect(await run('shop', '2')).toBe('1')
  expect(await ownerIn('shop', 'phone')).toEqual({ pipeline: 'crm', why: 'owns it before shop' })
})

async function ownerIn(name: string, field: string): Promise<unknown> {
  const { fields } = (await place.json('explain', name, 'K1')) as {
    fields: Record<string, { owner?: unknown }>
  }
  return fields[field]?.owner
}

it('explain names the pipeline whose value stands, and why', async () => {
  await configure(pipeline('crm', 'owns: [phone]'), pipeline('shop', 'owns: [phone]'), pipeline('erp', ''))
  await run('crm', '1')
  expect(await ownerIn('crm', 'phone')).toBeUndefined()
  await run('shop', '2')
  await run('erp', '3')
  for (const name of ['crm', 'shop', 'erp'])
    expect(await ownerIn(name, 'phone')).toEqual({ pipeline: 'crm', why: 'owns it before shop' })
  expect((await place.cli('explain', 'erp', 'K1')).stdout).toContain(
    '  phone = nothing\n    value of crm: owns it before shop\n    note: erp leaves it out: another pipeline owns it',
  )
  await run('crm', '')
  expect(await ownerIn('erp', 'phone')).toEqual(undefined)
  await run('shop', '2')
  expect(await ownerIn('crm', 'phone')).toEqual({
    pipeline: 'shop',
    why: 'owns it as the next one: crm has no value',
  })
})

it('check names shared fields that none owns', async () => {
  await configure(pipeline('crm', ''), pipeline('shop', ''))
  expect((await place.cli('check')).stdout).toContain(
    'warning: crm and shop write the same fields of contacts that they share: first_name, phone. Say with owns which pipeline writes them',
  )
  await configure(pipeline('crm', 'owns: [phone, first_name]'), pipeline('shop', ''))
  expect((await place.cli('check')).stdout).not.toContain('that they share')
})

it('refuses what is not mapped, and a whole list of terms beside it', async () => {
  await configure(pipeline('crm', 'owns: [fax]'), pipeline('shop', '', 'terms: { policy: replace }'))
  const refused = await place.cli('check')
  expect(refused.code).toBe(2)
  expect(refused.stdout).toContain('pipelines.crm.owns[0]: names no mapped field; map fax')
  expect(refused.stdout).toContain(
    'pipelines.shop.terms.policy: cannot be replace where pipelines share contacts (owns)',
  )
  await configure(pipeline('crm', 'owns: [mail]'))
  expect((await place.cli('check')).code).toBe(2)
})
