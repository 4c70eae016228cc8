// `contact` as a user meets it: one contact by id, all that share a mail, and nobody.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { KEY, openWorkshop, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop({ pageCap: 3 })))
afterEach(async () => shop.close())

async function api(method: string, path: string, body: unknown): Promise<{ id: number }> {
  const response = await fetch(`${shop.sandbox.url}/public/api/V1${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as { id: number }
}

it('shows every field and every term by id or mail, and all contacts of one mail', async () => {
  const mail = 'shared@example.com'
  const made: number[] = []
  for (const first_name of ['Ann', 'Bo', 'Cy', 'Di'])
    made.push(
      (
        await api('POST', '/contact', {
          contact: { mail, first_name, shoe_size: 41 },
          duplicate_check_method: 'none',
        })
      ).id,
    )
  const [first = 0] = made
  const terms: number[] = []
  for (const name of ['A', 'B', 'C', 'D', 'E']) terms.push((await api('POST', '/terms', { name })).id)
  await api('PUT', `/contact/${first}/terms`, terms)

  const one = await shop.cli('contact', String(first), '--json')
  expect(one).toMatchObject({ code: 0, stderr: '' })
  const [contact] = (JSON.parse(one.stdout) as { contacts: { terms: { name: string }[] }[] }).contacts
  expect(contact).toMatchObject({
    id: first,
    fields: { mail, first_name: 'Ann', shoe_size: 41, mail_status: 3 },
  })
  expect(contact?.terms.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D', 'E'])

  const all = await shop.cli('contact', mail)
  expect(all.code).toBe(0)
  expect(all.stdout.match(/^contact \d+$/gm)).toEqual(made.map((id) => `contact ${id}`))
  expect(all.stdout).toMatch(/first_name\s+Ann/)
  expect(all.stdout).toMatch(/terms\s+A, B, C, D, E/)
})

it('says that there is nobody, and what it takes', async () => {
  expect(await shop.cli('contact', '99')).toMatchObject({ code: 2, stdout: '' })
  const nobody = await shop.cli('contact', 'nobody@example.com', '--json')
  expect(nobody).toMatchObject({ code: 2, stdout: '{"contacts":[]}\n' })
  expect(nobody.stderr).toContain('the service has no contact')
  const key = await shop.cli('contact', 'K1')
  expect(key.code).toBe(2)
  expect(key.stderr).toContain('neither the id of a contact nor an e-mail address')
})
