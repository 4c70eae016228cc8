// Ways to break one rule of the interface, each with the case that must notice.
import type { Spoil } from './broken-server.ts'
import { IN_DEPTH } from './mutants-in-depth.ts'
import {
  ADD_TERMS,
  asking,
  BULK,
  BY_ID,
  BY_MAIL,
  contact,
  CREATE,
  CREATE_TERM,
  DELETE_TERMS,
  fieldsOf,
  LIST_TERMS,
  listOf,
  methods,
  type Mutant,
  SET_TERMS,
  SUCCESS,
  telling,
  to,
  UPDATE,
  without,
} from './spoils.ts'

/** Has the field cut on its way in, and shows it whole again on its way out. */
function keepingWhole(name: string, size: number): Spoil {
  const whole = new Map<number, string>()
  return async (asked, forward) => {
    const value = fieldsOf(fieldsOf(asked.body)['contact'])[name]
    if (CREATE(asked) && typeof value === 'string') {
      const told = await forward({
        ...asked,
        ...contact((given) => ({ ...given, [name]: value.slice(0, size) }))(asked),
      })
      whole.set(Number(fieldsOf(told.json)['id']), value)
      return told
    }
    const told = await forward(asked)
    const held = whole.get(Number(fieldsOf(told.json)['id']))
    return BY_ID(asked) && held !== undefined
      ? { ...told, json: { ...fieldsOf(told.json), [name]: held } }
      : told
  }
}

const READING: readonly Mutant[] = [
  {
    does: 'gives one object by mail',
    caughtBy: 'by-mail-array',
    spoil: telling(BY_MAIL, (json) => listOf(json)[0] ?? {}),
  },
  {
    does: 'finds the first of a shared mail only',
    caughtBy: 'by-mail-shared',
    spoil: telling(BY_MAIL, (json) => listOf(json).slice(0, 1)),
  },
  { does: 'leaves out the id', caughtBy: 'read-id-always', spoil: telling(BY_ID, without('id')) },
  {
    does: 'writes ids as text',
    caughtBy: 'read-id-integer',
    spoil: telling(BY_ID, (json) => ({ ...fieldsOf(json), id: String(fieldsOf(json)['id']) })),
  },
  {
    does: 'returns the company without being asked',
    caughtBy: 'read-default-fields',
    spoil: asking(to('GET', /^\/contact\/\d+$/), ({ path }) => ({
      path: `${path}?fields=first_name,family_name,mail,company`,
    })),
  },
  {
    does: 'ignores fields',
    caughtBy: 'read-chosen-fields',
    spoil: asking(BY_ID, ({ path }) => ({ path: path.replace(/\?.*/, '') })),
  },
  {
    does: 'keeps what is deleted',
    caughtBy: 'delete',
    spoil: async (asked, forward) =>
      asked.method === 'DELETE' && /^\/contact\/\d+$/.test(asked.path) ? SUCCESS : forward(asked),
  },
  {
    does: 'answers success as a boolean',
    caughtBy: 'success',
    spoil: telling(UPDATE, () => ({ success: true })),
  },
]

const CREATING: readonly Mutant[] = [
  {
    does: 'ignores the merge method',
    caughtBy: 'merge-add',
    spoil: asking(CREATE, methods({ duplicate_merge_method: 'update_add' })),
  },
  {
    does: 'adds under update',
    caughtBy: 'merge-update',
    spoil: asking(CREATE, methods({ duplicate_merge_method: 'update_add' })),
  },
  {
    does: 'has another merge method as default',
    caughtBy: 'merge-default',
    spoil: asking(
      (asked) => CREATE(asked) && !('duplicate_merge_method' in fieldsOf(asked.body)),
      methods({ duplicate_merge_method: 'add' }),
    ),
  },
  {
    does: 'never looks for duplicates',
    caughtBy: 'check-email',
    spoil: asking(CREATE, methods({ duplicate_check_method: 'none' })),
  },
  {
    does: 'looks for duplicates under none',
    caughtBy: 'check-none',
    spoil: asking(CREATE, methods({ duplicate_check_method: 'auto' })),
  },
  {
    does: 'checks nothing by default',
    caughtBy: 'check-default',
    spoil: asking(
      (asked) => CREATE(asked) && !('duplicate_check_method' in fieldsOf(asked.body)),
      methods({ duplicate_check_method: 'none' }),
    ),
  },
  {
    does: 'goes by likeness under email',
    caughtBy: 'check-email-other',
    spoil: asking(CREATE, methods({ duplicate_check_method: 'auto' })),
  },
  {
    does: 'takes half an address',
    caughtBy: 'create-without-ba_city',
    spoil: asking(
      CREATE,
      contact((given) => (given['mail'] === undefined ? { ba_city: 'X', ...given } : given)),
    ),
  },
  {
    does: 'drops the fax',
    caughtBy: 'field-fax',
    spoil: asking(
      CREATE,
      contact((given) => without('fax')(given)),
    ),
  },
  {
    does: 'stores a postal code of any length',
    caughtBy: 'size-ba_postal_code',
    spoil: keepingWhole('ba_postal_code', 20),
  },
  {
    does: 'counts an empty call in bulk as done',
    caughtBy: 'bulk-none',
    spoil: async (asked, forward) =>
      BULK(asked) && Object.keys(fieldsOf(asked.body)['contacts'] as object).length === 0
        ? { status: 200, json: [] }
        : forward(asked),
  },
  {
    does: 'answers one of the contacts in bulk',
    caughtBy: 'bulk',
    spoil: telling(BULK, (json) => listOf(json).slice(0, 1)),
  },
  {
    does: 'ignores the check in bulk',
    caughtBy: 'bulk-check-email',
    spoil: asking(BULK, methods({ duplicate_check_method: 'none' })),
  },
  {
    does: 'says that new mails are confirmed',
    caughtBy: 'mail-status-default',
    spoil: telling(BY_ID, (json) =>
      'mail_status' in fieldsOf(json) ? { ...fieldsOf(json), mail_status: 7 } : json,
    ),
  },
  {
    does: 'shortens birthdays to the day',
    caughtBy: 'shape-date_of_birth',
    spoil: telling(BY_ID, (json) => ({
      ...fieldsOf(json),
      date_of_birth: String(fieldsOf(json)['date_of_birth']).slice(0, 10),
    })),
  },
]

const OTHERS: readonly Mutant[] = [
  {
    does: 'empties what an update does not name',
    caughtBy: 'update-leaves',
    spoil: asking(UPDATE, ({ body }) => ({ body: { phone: '', first_name: '', ...fieldsOf(body) } })),
  },
  {
    does: 'forgets the key',
    caughtBy: 'key-missing GET /terms',
    spoil: asking(LIST_TERMS, () => ({ authorization: 'Bearer k' })),
  },
  {
    does: 'takes any key',
    caughtBy: 'key-wrong',
    spoil: asking(
      () => true,
      () => ({ authorization: 'Bearer k' }),
    ),
  },
  {
    does: 'takes a limit of 501',
    caughtBy: 'terms-limit-501',
    spoil: asking(LIST_TERMS, ({ path }) => ({ path: path.replace(/limit=\d{3,}/, 'limit=500') })),
  },
  {
    does: 'ignores offset',
    caughtBy: 'terms-offset',
    spoil: asking(LIST_TERMS, ({ path }) => ({ path: path.replace(/offset=\d+/, 'offset=0') })),
  },
  {
    does: 'lists two terms by default',
    caughtBy: 'terms-default-limit',
    spoil: asking(to('GET', /^\/terms$/), () => ({ path: '/terms?limit=2' })),
  },
  {
    does: 'makes a term for each spelling',
    caughtBy: 'term-same-name-case',
    spoil: asking(CREATE_TERM, ({ body }) => {
      const name = String(fieldsOf(body)['name'])
      return { body: { ...fieldsOf(body), name: name === name.toUpperCase() ? `${name}2` : name } }
    }),
  },
  {
    does: 'forgets the description in an update of the name',
    caughtBy: 'term-update-name',
    spoil: asking(to('PUT', /^\/terms\//), ({ body }) => ({ body: { description: '', ...fieldsOf(body) } })),
  },
  {
    does: 'appends where it should set',
    caughtBy: 'contact-terms-set',
    spoil: asking(SET_TERMS, () => ({ method: 'PUT' })),
  },
  {
    does: 'sets where it should add',
    caughtBy: 'contact-terms-add',
    spoil: asking(ADD_TERMS, () => ({ method: 'POST' })),
  },
  {
    does: 'loses the body of a DELETE',
    caughtBy: 'contact-terms-delete',
    spoil: async (asked, forward) => (DELETE_TERMS(asked) ? SUCCESS : forward(asked)),
  },
  {
    does: 'shows no terms in the contact',
    caughtBy: 'terms-field-read',
    spoil: telling(BY_ID, (json) => ({ ...fieldsOf(json), terms: [] })),
  },
  {
    does: 'takes new definitions of custom fields',
    caughtBy: 'custom-fields-read-only',
    spoil: async (asked, forward) =>
      asked.method === 'POST' && asked.path === '/custom-fields' ? SUCCESS : forward(asked),
  },
  {
    does: 'finds the first custom field under every name',
    caughtBy: 'custom-field-by-name',
    spoil: asking(to('GET', /^\/custom-fields\/[a-z]/), () => ({ path: '/custom-fields/1' })),
  },
]

export const MUTANTS: readonly Mutant[] = [...READING, ...CREATING, ...OTHERS, ...IN_DEPTH]
