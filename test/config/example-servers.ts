// Answers of other systems as their public documentation shows them, with invented people.
import type { PeopleServer, Reply } from '../support/people-server.ts'

type Asked = PeopleServer['asked'][number]

const HUBSPOT = [
  {
    email: 'anna@hub.example',
    firstname: 'Anna',
    lastname: 'Berger',
    phone: '0171 1234567',
    company: 'Berger GmbH',
    hs_email_optout: null,
  },
  {
    email: 'jan@hub.example',
    firstname: 'Jan',
    lastname: 'Müller',
    phone: null,
    company: null,
    hs_email_optout: 'true',
  },
  { email: null, firstname: 'No', lastname: 'Address', phone: null, company: null, hs_email_optout: null },
].map((properties, index) => ({
  id: String(index + 101),
  properties: { ...properties, hs_object_id: String(index + 101) },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-02-01T00:00:00.000Z', archived: false },
}))

/** Two on a page, whatever limit says. */
export function hubspot({ url, headers }: Asked): Reply {
  if (headers.authorization !== 'Bearer hubspot-token') return { status: 401, body: { status: 'error' } }
  const after = Number(url.searchParams.get('after') ?? '0')
  const results = HUBSPOT.slice(after, after + 2)
  const next = {
    after: String(after + 2),
    link: `https://api.hubapi.com/crm/v3/objects/contacts?after=${after + 2}`,
  }
  return { body: { results, ...(after + 2 < HUBSPOT.length ? { paging: { next } } : {}) } }
}

const person = (id: number, name: string, update_time: string, phone?: string) => ({
  ...{ id, name, first_name: name.split(' ')[0], last_name: name.split(' ')[1], owner_id: 1, org_id: null },
  ...{ add_time: '2026-01-01T08:00:00Z', update_time, visible_to: 3, label_ids: [], is_deleted: false },
  emails: [
    { label: 'home', value: `home${id}@pipe.example`, primary: false },
    { label: 'work', value: `work${id}@pipe.example`, primary: true },
  ],
  phones: phone === undefined ? [] : [{ label: 'work', value: phone, primary: true }],
  custom_fields: {},
})

const PIPEDRIVE = [
  person(1, 'Lea Novak', '2026-03-01T10:00:00Z', '030 901820'),
  person(2, 'Tom Hill', '2026-03-02T10:00:00Z'),
]

/** One on a page. */
export function pipedrive({ url, headers }: Asked): Reply {
  if (headers['x-api-token'] !== 'pipedrive-token') return { status: 401, body: { success: false } }
  const since = Date.parse(url.searchParams.get('updated_since') ?? '1970-01-01T00:00:00Z')
  const found = PIPEDRIVE.filter(({ update_time: at }) => Date.parse(at) >= since)
  const at = Number(Buffer.from(url.searchParams.get('cursor') ?? '', 'base64url').toString() || '0')
  const next = at + 1 < found.length ? Buffer.from(String(at + 1)).toString('base64url') : null
  return { body: { success: true, data: found.slice(at, at + 1), additional_data: { next_cursor: next } } }
}
