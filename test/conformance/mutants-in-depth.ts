// Servers that break a rule where a shallow look does not see it: another endpoint of the same rule, a default, the
// second page, one value out of many.
import type { Asked, Spoil } from './broken-server.ts'
import { OF_PAGES } from './mutants-of-pages.ts'
import { OF_VALUES } from './mutants-of-values.ts'
import {
  asking,
  BULK,
  contact,
  CREATE,
  DEFINITIONS,
  DELETE_TERMS,
  either,
  fieldsOf,
  isUnder,
  methods,
  type Mutant,
  to,
  UPDATE,
  without,
} from './spoils.ts'
import type { Fields } from './world.ts'

const ANY_KEY = { authorization: 'Bearer k' }
const DELETE = to('DELETE', /^\/contact\/\d+$/)

const unnamed = (match: (asked: Asked) => boolean, method: string) => (asked: Asked) =>
  match(asked) && !(method in fieldsOf(asked.body))

/** Changes every member of a call, be they a list or an object. */
const inBulk = (change: (member: Fields) => Fields) => (asked: Asked) => {
  const { contacts } = fieldsOf(asked.body)
  return {
    body: {
      ...fieldsOf(asked.body),
      contacts: Object.values(contacts ?? []).map((one) => change(fieldsOf(one))),
    },
  }
}

const KEYS: readonly Mutant[] = [
  {
    does: 'deletes contacts without the key',
    caughtBy: 'key-missing DELETE /contact/<id>',
    spoil: asking(DELETE, () => ANY_KEY),
  },
  {
    does: 'removes terms without the key',
    caughtBy: 'key-missing DELETE /contact/<id>/terms',
    spoil: asking(DELETE_TERMS, () => ANY_KEY),
  },
  ...(
    [
      ['deletes', DELETE],
      ['updates', UPDATE],
      ['removes terms', DELETE_TERMS],
      ['creates in bulk', BULK],
      ['shows definitions', DEFINITIONS],
    ] as const
  ).map(([does, matches]) => ({
    does: `${does} for any key`,
    caughtBy: 'key-wrong',
    spoil: asking(
      (asked: Asked) => matches(asked) && asked.authorization !== undefined,
      () => ANY_KEY,
    ),
  })),
]

/** Remembers who was made under which value of a field, and answers a new one of the same with that id under auto. */
function goingBy(name: string): Spoil {
  const known = new Map<string, number>()
  return async (asked, forward) => {
    const { contact: given, duplicate_check_method: check } = fieldsOf(asked.body)
    const value = JSON.stringify(fieldsOf(given)[name] ?? '')
    if (!CREATE(asked) || value === '""') return forward(asked)
    const id = known.get(value)
    if (check === 'auto' && id !== undefined) return { status: 200, json: { id } }
    const told = await forward(asked)
    known.set(value, Number(fieldsOf(told.json)['id']))
    return told
  }
}

const isAuto = (asked: Asked): boolean =>
  either(CREATE, BULK)(asked) &&
  ['auto', undefined].includes(fieldsOf(asked.body)['duplicate_check_method'] as string)

const BY_THE_MAIL = methods({ duplicate_check_method: 'email' })

const CHECKS: readonly Mutant[] = [
  ...['check-auto-no-mail', 'check-auto-other-mail', 'check-default', 'bulk-check-default'].map(
    (caughtBy) => ({ does: 'knows auto as email', caughtBy, spoil: asking(isAuto, BY_THE_MAIL) }),
  ),
  {
    does: 'has email as its default',
    caughtBy: 'check-default',
    spoil: asking(unnamed(CREATE, 'duplicate_check_method'), BY_THE_MAIL),
  },
  {
    does: 'goes by the family name under auto',
    caughtBy: 'check-auto-family-name',
    spoil: goingBy('family_name'),
  },
  { does: 'goes by the city under auto', caughtBy: 'check-auto-place', spoil: goingBy('ba_city') },
  {
    does: 'looks at the secondary mail as well',
    caughtBy: 'check-email-secondary',
    spoil: asking(
      CREATE,
      contact((given) => ('mail2' in given ? { ...given, mail: given['mail2'] } : given)),
    ),
  },
  ...(['none', 'email'] as const).map((check) => ({
    does: `has ${check} as the default of a call`,
    caughtBy: 'bulk-check-default',
    spoil: asking(unnamed(BULK, 'duplicate_check_method'), methods({ duplicate_check_method: check })),
  })),
]

const MERGES: readonly Mutant[] = [
  {
    does: 'has add as the default of a call',
    caughtBy: 'bulk-merge-default',
    spoil: asking(
      unnamed(BULK, 'duplicate_merge_method'),
      methods({ duplicate_check_method: 'auto', duplicate_merge_method: 'add' }),
    ),
  },
  {
    does: 'has update as the default of a call',
    caughtBy: 'bulk-merge-default',
    spoil: asking(unnamed(BULK, 'duplicate_merge_method'), methods({ duplicate_merge_method: 'update' })),
  },
  {
    does: 'adds under update in bulk',
    caughtBy: 'bulk-merge-update',
    spoil: asking(isUnder(BULK, 'update'), methods({ duplicate_merge_method: 'update_add' })),
  },
  {
    does: 'adds nothing under update_add in bulk',
    caughtBy: 'bulk-merge-update-add',
    spoil: asking(isUnder(BULK, 'update_add'), methods({ duplicate_merge_method: 'update' })),
  },
  {
    does: 'takes update for new contacts, too',
    caughtBy: 'merge-new',
    spoil: asking(
      isUnder(CREATE, 'update'),
      contact((given) => without('fax')(given)),
    ),
  },
  {
    does: 'takes update for new members, too',
    caughtBy: 'bulk-merge-new',
    spoil: asking(isUnder(BULK, 'update'), inBulk(without('fax', 'ba_country'))),
  },
  {
    does: 'takes add for nothing in new members',
    caughtBy: 'bulk-merge-new',
    spoil: asking(isUnder(BULK, 'add'), inBulk(without('title'))),
  },
  {
    does: 'merges no address',
    caughtBy: 'merge-every-field',
    spoil: asking(
      (asked) => CREATE(asked) && fieldsOf(asked.body)['duplicate_check_method'] === 'email',
      contact(without('ba_street', 'ba_city')),
    ),
  },
  { does: 'drops terms in bulk', caughtBy: 'bulk-terms', spoil: asking(BULK, inBulk(without('terms'))) },
  {
    does: 'takes any mail in bulk',
    caughtBy: 'bulk-invalid-mail',
    spoil: asking(
      BULK,
      inBulk((one) => ({ ...one, mail: String(one['mail']).includes('@') ? one['mail'] : 'a@example.com' })),
    ),
  },
]

export const IN_DEPTH: readonly Mutant[] = [...KEYS, ...CHECKS, ...MERGES, ...OF_VALUES, ...OF_PAGES]
