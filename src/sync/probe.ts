// What `probe` does at the service, with contacts that it creates and deletes: all carry PROBE_NAME and one of its addresses,
// and no other contact is ever changed. The conclusions are those of `core/service-profile.ts`.
import { SyncError } from '../core/words/errors.ts'
import {
  clearingSeen,
  containerSeen,
  largestAccepted,
  mergeSeen,
  NOTHING_SEEN,
  pageCapSeen,
  type ProbeCalls,
  type ProbedFields,
  type ProbedMerge,
  rateHeadersSeen,
  type Seen,
  type ServiceProfile,
  UNKNOWN,
} from '../core/service-profile.ts'

/** The family name of its contacts, and the name of its term. */
export const PROBE_NAME = 'contact-sync probe'
/** At most so many requests in all. */
export const PROBE_REQUESTS = 60
/** Of these, so many are left to the end, which deletes its contacts. */
const TO_END = 9
const MOST_IN_BULK = 500

export interface ProbeContext {
  readonly calls: ProbeCalls
  readonly address: string
  readonly signal: AbortSignal
}

export interface ProbeResult {
  readonly profile: ServiceProfile
  readonly requests: number
  /** Whether its term is at the service, where it stays. */
  readonly hasTerm: boolean
  /** Contacts that could not be deleted. */
  readonly left: readonly number[]
  /** Addresses that could not be looked up at the end. */
  readonly unread: readonly string[]
  /** Why it ended early; undefined where it did not. */
  readonly stopped: 'interrupted' | 'requests' | undefined
}

/** The addresses of its contacts: `you+probe@example.org` gives `you+probe-1@example.org` and so on. */
function addressesOf(address: string): readonly [string, string, string] {
  const at = address.lastIndexOf('@')
  const numbered = (n: number): string => `${address.slice(0, at)}-${n}${address.slice(at)}`
  return [numbered(1), numbered(2), numbered(3)]
}

const withoutCase = (text: unknown): string => String(text).trim().toLowerCase()
const isMine = (fields: ProbedFields, mail: string): boolean =>
  fields['family_name'] === PROBE_NAME && withoutCase(fields['mail']) === withoutCase(mail)

/** Ends the probing, never the deleting. */
class Enough extends Error {}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

interface Probing extends ProbeContext {
  readonly mails: ReturnType<typeof addressesOf>
  readonly made: Set<number>
  readonly terms: Set<number>
  readonly found: Mutable<ServiceProfile>
}

/** Calls that end the probing where what is left of the requests is needed for deleting, and when it is interrupted. */
function bounded({ calls, signal }: ProbeContext): ProbeCalls {
  const guard =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      if (signal.aborted || calls.counts.requests >= PROBE_REQUESTS - TO_END) throw new Enough()
      return call(...args)
    }
  const { counts, headers } = calls
  return {
    ...{ counts, headers },
    termIds: guard(calls.termIds),
    definitions: guard(calls.definitions),
    createTerm: guard(calls.createTerm),
    termNamed: guard(calls.termNamed),
    byMail: guard(calls.byMail),
    byId: guard(calls.byId),
    create: guard(calls.create),
    createMany: guard(calls.createMany),
    update: guard(calls.update),
    remove: calls.remove,
  }
}

/** What an earlier probe left at an address is deleted. Throws USAGE where another contact has it. */
async function clean(calls: ProbeCalls, mail: string): Promise<readonly number[]> {
  const there = await calls.byMail(mail, ['family_name'])
  if (there === undefined)
    throw new SyncError('SERVICE_CONTRACT', `whether there is a contact with ${mail} could not be read`)
  const same = there.filter(({ fields }) => withoutCase(fields['mail']) === withoutCase(mail))
  const left: number[] = []
  for (const { id, fields } of same) {
    if (!isMine(fields, mail))
      throw new SyncError('USAGE', `${mail} belongs to contact ${id}, which probe did not create`, {
        hint: 'Give another address with --address, one that no contact has.',
      })
    if (!(await calls.remove(id))) left.push(id)
  }
  return left
}

async function probeLists({ calls, found }: Probing) {
  const terms = await calls.termIds(0)
  const further = terms !== undefined && terms.length > 0 ? await calls.termIds(terms.length) : undefined
  const definitions = (await calls.definitions(0)) ?? []
  found.page_cap = pageCapSeen(terms, further)
  if (found.page_cap === UNKNOWN && definitions.length > 0) {
    const ids = (await calls.definitions(definitions.length))?.map(({ id }) => id)
    found.page_cap = pageCapSeen(
      definitions.map(({ id }) => id),
      ids,
    )
  }
  return definitions
}

const PERSON = {
  ...{ first_name: 'Quillonbert', family_name: PROBE_NAME, phone: '+49 30 5550100', company: 'Sondenprobe' },
  ...{ ba_street: 'Sondenweg 71', ba_city: 'Probeweiler', ba_postal_code: '00071', ba_country: 'DE' },
  date_of_birth: '1971-07-17T12:00:00+00:00',
}

/** A contact that was surely made is kept for deletion. */
async function createdBy(probing: Probing, contact: ProbedFields): Promise<number | undefined> {
  const id = await probing.calls.create(contact, 'none', 'add')
  if (id !== undefined) probing.made.add(id)
  return id
}

/**
 * What `auto` makes may be merged into a contact of others, which `add` leaves as it is: so nothing that it gives is kept for
 * deletion. The end deletes what has one of the addresses and the name.
 */
async function probeAuto({ calls, found, mails }: Probing, id: number): Promise<void> {
  const [mail, other] = mails
  const alike = await calls.create({ ...PERSON, mail: other }, 'auto', 'add')
  if (alike === undefined) return
  if (alike === id) {
    found.auto = 'probable'
    return
  }
  const contact = { mail, first_name: 'Wendeltraud', family_name: PROBE_NAME }
  const same = await calls.create(contact, 'auto', 'add')
  if (same !== undefined) found.auto = same === id ? 'mail' : 'none'
}

/** A value that is still there says nothing where the request had no answer. */
const clearedBy = (answer: boolean | undefined, seen: Seen<boolean>): Seen<boolean> =>
  answer === undefined && seen === false ? UNKNOWN : seen

async function probeClearing({ calls, found }: Probing, id: number) {
  const fields = ['phone', 'company', 'mail_status', 'mail']
  const before = await calls.byId(id, fields)
  const empty = await calls.update(id, { phone: '' })
  const none = await calls.update(id, { company: null })
  const after = await calls.byId(id, fields)
  found.empty_clears = clearedBy(empty, clearingSeen('phone', before, after))
  found.null_clears = clearedBy(none, clearingSeen('company', before, after))
  return after
}

/** Look-ups of its address, and of three texts that no contact has as its address; one that finds another contact is inexact. */
async function probeLookup({ calls, found, mails: [mail] }: Probing, second: string): Promise<void> {
  const at = mail.lastIndexOf('@')
  let isFound = false
  for (const text of [mail, `${mail.slice(0, at - 2)}_1${mail.slice(at)}`, mail.slice(0, -1), second]) {
    const there = await calls.byMail(text, [])
    const same = there?.filter(({ fields }) => withoutCase(fields['mail']) === withoutCase(text))
    isFound ||= same !== undefined && same.length > 0
    // Its address must be found, or the other answers say nothing.
    if (there === undefined || same === undefined || !isFound) return
    if (there.length === same.length) continue
    found.mail_lookup = 'inexact'
    return
  }
  found.mail_lookup = 'exact'
}

const KEYS = ['{field_name}', '{field_id}', 'field_{field_id}']

async function probeCustomField(
  { calls, found }: Probing,
  id: number,
  definitions: Awaited<ReturnType<typeof probeLists>>,
): Promise<void> {
  const definition = definitions.find(({ type }) => ['text', 'text_textfield'].includes(type))
  if (definition === undefined) return
  for (const pattern of KEYS) {
    const key = pattern.replace('{field_name}', definition.name).replace('{field_id}', String(definition.id))
    await calls.update(id, { [key]: 'probe' })
    if ((await calls.byId(id, [key]))?.[key] !== 'probe') continue
    found.custom_field_key = pattern
    return
  }
}

/** 1 and 2 alone are set: neither lets a mailing be sent, and an address may keep its status. */
async function probeStatus(probing: Probing, id: number, before: ProbedFields | undefined): Promise<void> {
  const { calls, found, made, mails } = probing
  if (before === undefined) return
  const status = Number(before['mail_status']) === 2 ? 1 : 2
  const answer = await calls.update(id, { mail_status: status })
  const after = await calls.byId(id, ['mail_status'])
  const isSet = Number(after?.['mail_status']) === status
  if (after === undefined || (answer === undefined && !isSet)) return
  found.mail_status_permission = isSet
  if (!found.mail_status_permission || !(await calls.remove(id))) return
  made.delete(id)
  // A merge may have given it the address of the other.
  const mail = mails.find((one) => withoutCase(before['mail']) === withoutCase(one)) ?? mails[0]
  const again = await createdBy(probing, { ...PERSON, mail })
  const read = again === undefined ? undefined : await calls.byId(again, ['mail_status'])
  if (read !== undefined)
    found.status_after_delete = Number(read['mail_status']) === status ? 'remembered' : 'forgotten'
}

async function probeMerges(probing: Probing, id: number): Promise<void> {
  const { calls, found, mails } = probing
  const steps: readonly (readonly [ProbedMerge, string])[] = [
    ['add', 'company'],
    ['update', 'job_title'],
    ['update_add', 'fax'],
  ]
  const asked = ['first_name', ...steps.map(([, added]) => added)]
  let before = await calls.byId(id, asked)
  const merge = { ...found.merge }
  for (const [method, added] of steps) {
    const sent = { mail: mails[2], first_name: `Merge ${method}`, family_name: PROBE_NAME, [added]: '4711' }
    const got = await calls.create(sent, 'email', method)
    if (got !== id) {
      if (got !== undefined) probing.made.add(got)
      break
    }
    const after = await calls.byId(id, asked)
    merge[method] = mergeSeen(method, { before, sent, after, present: 'first_name', added })
    before = after
  }
  found.merge = merge
}

/** All members of a call have one address and are merged by it, so that the largest call leaves one contact. */
async function probeBulk(probing: Probing): Promise<void> {
  const { calls, found, made, mails } = probing
  const member = { mail: mails[2], first_name: 'Bulk', family_name: PROBE_NAME }
  const array = await calls.createMany([member], 'array')
  const keyed = await calls.createMany([member], 'keyed')
  found.bulk_container = containerSeen(array, keyed)
  const there = await calls.byMail(mails[2], ['family_name'])
  const mine = there?.filter(({ fields }) => isMine(fields, mails[2])) ?? []
  for (const { id } of mine) made.add(id)
  const [only] = mine
  if (only === undefined || mine.length > 1) return
  await probeMerges(probing, only.id)
  const container = array === true ? 'array' : 'keyed'
  const members = (size: number): ProbedFields[] => Array.from({ length: size }, () => member)
  if ((await calls.createMany(members(2), container)) !== true) return
  if ((await calls.byMail(mails[2], []))?.length !== 1) return
  found.bulk_max =
    (await largestAccepted({ accepted: 2, most: MOST_IN_BULK }, (size) =>
      calls.createMany(members(size), container),
    )) ?? UNKNOWN
}

async function probeTerms({ calls, found, terms }: Probing): Promise<void> {
  const id = await calls.createTerm(PROBE_NAME)
  if (id === undefined) return
  terms.add(id)
  if ((await calls.termNamed(PROBE_NAME.toUpperCase())) !== id) return
  const names = [PROBE_NAME.replace('o', 'ö'), PROBE_NAME.replace(' ', '')]
  const isFolded = [await calls.termNamed(names[0] ?? ''), await calls.termNamed(names[1] ?? '')].includes(id)
  found.term_names = isFolded ? 'folded' : 'case'
}

async function probeAll(probing: Probing): Promise<void> {
  const definitions = await probeLists(probing)
  for (const mail of probing.mails) await clean(probing.calls, mail)
  await probeTerms(probing)
  const [mail] = probing.mails
  const second = mail.replace(/-1(@[^@]*)$/, '-second$1')
  const id = await createdBy(probing, { ...PERSON, mail, mail2: second })
  if (id !== undefined) {
    await probeLookup(probing, second)
    await probeAuto(probing, id)
    const before = await probeClearing(probing, id)
    await probeCustomField(probing, id, definitions)
    await probeStatus(probing, id, before)
  }
  await probeBulk(probing)
}

/** Deletes what was made, then what is found at the addresses: an answer may have been lost. */
async function end({ calls, mails, made }: Probing): Promise<Pick<ProbeResult, 'left' | 'unread'>> {
  const left = new Set<number>()
  const unread: string[] = []
  for (const id of made) if (!(await calls.remove(id))) left.add(id)
  for (const mail of mails) {
    const there = await calls.byMail(mail, ['family_name'])
    if (there === undefined) unread.push(mail)
    for (const { id, fields } of there ?? [])
      if (isMine(fields, mail) && !(await calls.remove(id))) left.add(id)
  }
  return { left: [...left], unread }
}

/** Throws where the service cannot be used, or an address belongs to a contact of others; its contacts are deleted then, too. */
export async function probeService(context: ProbeContext): Promise<ProbeResult> {
  const { calls, address, signal } = context
  const mails = addressesOf(address)
  const found = { ...NOTHING_SEEN }
  const made = new Set<number>()
  const terms = new Set<number>()
  let stopped: ProbeResult['stopped']
  let after: Pick<ProbeResult, 'left' | 'unread'> = { left: [], unread: [] }
  try {
    await probeAll({ ...context, calls: bounded(context), mails, made, terms, found })
  } catch (error) {
    if (!(error instanceof Enough)) throw error
    stopped = signal.aborted ? 'interrupted' : 'requests'
  } finally {
    if (calls.counts.requests > 1) after = await end({ ...context, mails, made, terms, found })
  }
  found.rate_headers = rateHeadersSeen(calls.headers)
  return { profile: found, requests: calls.counts.requests, hasTerm: terms.size > 0, ...after, stopped }
}
