// Invented persons whose every value names them: a value that is found shows whose it is, and of which revision.

/** The secret that must be nowhere but in a request's header. */
export const API_KEY = 'canary-key-7f3a'

export interface Person {
  /** Over all pipelines: the same number is the same human being. */
  readonly number: number
  /** Whose mail it is; undefined: a contact by address alone. */
  mailOf: number | undefined
  mailRevision: number
  revision: number
  phoneRevision: number
  hasPhone: boolean
  tags: readonly string[]
  /** mail_status, as the source has it. */
  status: number
  /** The day on which its person is said to have agreed to it; blank where nothing says so. */
  consented: string
}

export const HEADER = [
  'no',
  'mail',
  'first',
  'last',
  'street',
  'city',
  'zip',
  'phone',
  'stamp',
  'status',
  'consented',
  'tags',
] as const

const mailFor = (person: number, revision: number): string => `canx${person}x.r${revision}@sim.example`

/** What a pipeline says of a person that no other does, and that never changes: who it is, and who said so. */
const stampOf = (pipeline: string, person: number): string => `${pipeline}.canx${person}x`

export function rowOf(person: Person, pipeline: string): string[] {
  const {
    number: n,
    mailOf,
    mailRevision,
    revision,
    phoneRevision,
    hasPhone,
    tags,
    status,
    consented,
  } = person
  return [
    `${pipeline}${n}`,
    mailOf === undefined ? '' : mailFor(mailOf, mailRevision),
    `Vcanx${n}x${revision}`,
    `Ncanx${n}x`,
    `Scanx${n}x`,
    `Ccanx${n}x`,
    `Zcanx${n}x`,
    hasPhone ? `Tcanx${n}x${phoneRevision}` : '',
    stampOf(pipeline, n),
    String(status),
    consented,
    tags.join('|'),
  ]
}

/** The person that a value names. */
export function personIn(value: unknown): number | undefined {
  const found = typeof value === 'string' ? /canx(\d+)x/.exec(value) : null
  return found === null ? undefined : Number(found[1])
}

/** Whether a text holds something of a person, or the key. */
export const isPrivate = (text: string): boolean => /canx\d+x/.test(text) || text.includes(API_KEY)
