// Servers that hold or show another value than was given: one value out of many, one field out of many.
import type { Spoil, Told } from './broken-server.ts'
import {
  asking,
  BY_ID,
  BY_MAIL,
  contact,
  CREATE,
  CREATE_TERM,
  fieldsOf,
  listOf,
  type Mutant,
  SUCCESS,
  telling,
  TERMS_OF,
  to,
  UPDATE,
  without,
} from './spoils.ts'
import type { Fields } from './world.ts'

/** Every contact shows another value in the field than it holds. */
const showing = (name: string, change: (value: unknown) => unknown): Spoil =>
  telling(BY_ID, (json) =>
    name in fieldsOf(json) ? { ...fieldsOf(json), [name]: change(fieldsOf(json)[name]) } : json,
  )

/** Takes what the rules forbid, and shows it from then on. */
function holdingAnything(name: string, isForbidden: (value: unknown) => boolean): Spoil {
  const held = new Map<string, unknown>()
  return async (asked, forward): Promise<Told> => {
    const [, id = ''] = /^\/contact\/(\d+)/.exec(asked.path) ?? []
    const body = fieldsOf(asked.body)
    const given = CREATE(asked) ? fieldsOf(body['contact']) : body
    if ((CREATE(asked) || UPDATE(asked)) && isForbidden(given[name])) {
      const told = CREATE(asked)
        ? await forward({ ...asked, ...contact(without(name))(asked) })
        : await forward({ ...asked, body: without(name)(body) })
      held.set(CREATE(asked) ? String(fieldsOf(told.json)['id']) : id, given[name])
      return told
    }
    const told = await forward(asked)
    if (UPDATE(asked) && name in body) held.delete(id)
    return BY_ID(asked) && held.has(id) && name in fieldsOf(told.json)
      ? { ...told, json: { ...fieldsOf(told.json), [name]: held.get(id) } }
      : told
  }
}

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > 255

const VALUES: readonly Mutant[] = [
  {
    does: 'shows integers as text',
    caughtBy: 'custom-integer',
    spoil: showing('shoe_size', (value) => (typeof value === 'number' ? String(value) : value)),
  },
  {
    does: 'takes zero for no integer',
    caughtBy: 'custom-integer',
    spoil: showing('shoe_size', (value) => value || null),
  },
  {
    does: 'writes floats with a comma',
    caughtBy: 'custom-float',
    spoil: showing('revenue', (value) =>
      typeof value === 'number' ? String(value).replace('.', ',') : value,
    ),
  },
  {
    does: 'rounds floats',
    caughtBy: 'custom-float',
    spoil: showing('revenue', (value) => (typeof value === 'number' ? Math.round(value) : value)),
  },
  { does: 'shows no selection', caughtBy: 'custom-single', spoil: showing('language', () => null) },
  {
    does: 'knows one language only',
    caughtBy: 'custom-single',
    spoil: showing('language', (value) => (value === null ? null : 'de')),
  },
  {
    does: 'shows several values as one text',
    caughtBy: 'custom-multiple',
    spoil: showing('interests', (value) => (Array.isArray(value) ? value.join(',') : value)),
  },
  {
    does: 'shows one value of several as text',
    caughtBy: 'custom-multiple',
    spoil: showing('interests', (value) =>
      Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value,
    ),
  },
  {
    does: 'forgets confirmations',
    caughtBy: 'custom-confirmation',
    spoil: showing('newsletter_consent', (value) => (value === null ? null : false)),
  },
  {
    does: 'takes the text 0 for nothing',
    caughtBy: 'custom-text',
    spoil: showing('nickname', (value) => (value === '0' ? null : value)),
  },
  {
    does: 'ignores custom fields in updates',
    caughtBy: 'custom-text',
    spoil: asking(UPDATE, ({ body }) => ({ body: without('nickname')(body) })),
  },
  ...(
    [
      ['sync_marker', 'custom-text-only', isLong],
      ['shoe_size', 'custom-integer-only', (value: unknown) => value === 'many'],
      ['revenue', 'custom-float-only', (value: unknown) => value === '1,5'],
      [
        'language',
        'custom-single-only',
        (value: unknown) => JSON.stringify(value ?? '').includes('conformance'),
      ],
      [
        'interests',
        'custom-multiple-only',
        (value: unknown) => JSON.stringify(value ?? '').includes('conformance'),
      ],
      ['mail_status', 'mail-status-values', (value: unknown) => value === 6],
      ['phone_type', 'allowed-in-update', (value: unknown) => value === 'x'],
    ] as const
  ).map(([name, caughtBy, isForbidden]) => ({
    does: `holds anything in ${name}`,
    caughtBy,
    spoil: holdingAnything(name, isForbidden),
  })),
  {
    does: 'holds any size in an update',
    caughtBy: 'size-in-update',
    spoil: holdingAnything('fb', isLong),
  },
  {
    does: 'drops the second phone in an update',
    caughtBy: 'update-every-field',
    spoil: asking(UPDATE, ({ body }) => ({ body: without('phone2')(body) })),
  },
  ...([1, 2, 4, 7] as const).map((status) => ({
    does: `knows no mail_status ${status}`,
    caughtBy: 'mail-status-each',
    mayPermit: true as const,
    spoil: showing('mail_status', (value) => (value === status ? 3 : value)),
  })),
  {
    does: 'never takes a status back to 3',
    caughtBy: 'mail-status-each',
    mayPermit: true,
    spoil: asking(UPDATE, ({ body }) => ({
      body: fieldsOf(body)['mail_status'] === 3 ? without('mail_status')(body) : body,
    })),
  },
]

const UNKNOWN = 999_999_999

/** Adds what does not exist, and shows it from then on. */
function addingPhantoms(): Spoil {
  const phantom: Fields[] = []
  return async (asked, forward) => {
    if (!to('PUT', /\/terms$/)(asked) || !JSON.stringify(asked.body).includes(String(UNKNOWN)))
      return telling(TERMS_OF, (json) => [...listOf(json), ...phantom])(asked, forward)
    phantom.push({ id: UNKNOWN, name: '', description: '' })
    return SUCCESS
  }
}

const TERMS_AND_DEFINITIONS: readonly Mutant[] = [
  {
    does: 'renames a term by creating it again',
    caughtBy: 'term-same-name-keeps',
    spoil: async (asked, forward) => {
      const told = await forward(asked)
      const id = Number(fieldsOf(told.json)['id'])
      const { name } = fieldsOf(asked.body)
      if (CREATE_TERM(asked) && told.status === 200)
        await forward({ ...asked, method: 'PUT', path: `/terms/${id}`, body: { name } })
      return told
    },
  },
  {
    does: 'has a term for every id',
    caughtBy: 'term-unknown-id',
    spoil: async (asked, forward) =>
      asked.method === 'GET' && asked.path === `/terms/${UNKNOWN}`
        ? { status: 200, json: { id: UNKNOWN, name: '', description: '' } }
        : forward(asked),
  },
  {
    does: 'finds no name with signs in it',
    caughtBy: 'term-name-odd',
    spoil: asking(to('GET', /^\/terms\/.*%26/), ({ path }) => ({ path: path.replace('%26', '') })),
  },
  {
    does: 'gives contacts terms that do not exist',
    caughtBy: 'contact-terms-phantom',
    spoil: addingPhantoms(),
  },
  {
    does: 'empties the list where one term does not exist',
    caughtBy: 'contact-terms-phantom',
    spoil: asking(
      (asked) => to('POST', /\/terms$/)(asked) && JSON.stringify(asked.body).includes(String(UNKNOWN)),
      () => ({ body: [] }),
    ),
  },
  {
    does: 'gives another label by name',
    caughtBy: 'custom-field-by-name',
    spoil: telling(to('GET', /^\/custom-fields\/[a-z]/), (json) => ({ ...fieldsOf(json), label: 'Label' })),
  },
  {
    does: 'finds mails that only fit a pattern',
    caughtBy: 'by-mail-exact',
    spoil: async (asked, forward) => {
      const told = await forward(asked)
      if (!BY_MAIL(asked) || !asked.path.includes('_')) return told
      const other = await forward({ ...asked, path: asked.path.replace('_', 'X') })
      return { ...told, json: [...listOf(told.json), ...listOf(other.json)] }
    },
  },
]

export const OF_VALUES: readonly Mutant[] = [...VALUES, ...TERMS_AND_DEFINITIONS]
