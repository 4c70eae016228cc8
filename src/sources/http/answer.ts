// An answer as text -> records and what stands around them. Numbers keep the digits that they were written with.
import { SyncError } from '../../core/words/errors.ts'
import { isObject, parsedJson, textOf } from '../json/values.ts'

/** Throws SOURCE_ANSWER. Nothing of the answer is quoted: it may be personal data. */
export function parsedAnswer(bytes: Buffer, from: string): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return parsedJson(text)
  } catch {
    throw new SyncError('SOURCE_ANSWER', `the answer of ${from} is no JSON in UTF-8`)
  }
}

/** What stands at a path; undefined where nothing does. Only members of the answer itself are found. */
export function valueAtPath(value: unknown, path: string | undefined): unknown {
  const names = path === undefined ? [] : path.split('.')
  return names.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    value,
  )
}

const saysNothing = (value: unknown): boolean =>
  isObject(value) || Array.isArray(value)
    ? Object.values(value).every(saysNothing)
    : ['', '0', 'false'].includes(textOf(value).trim().toLowerCase())

/** The member in which an answer reports that it failed, although its status is that of a success. */
function faultyMember(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined
  const own = (name: string): unknown => (Object.hasOwn(answer, name) ? answer[name] : undefined)
  return (
    ['error', 'errors'].find((name) => !saysNothing(own(name))) ??
    ['success', 'ok'].find((name) => /^(false|0)$/i.test(textOf(own(name)).trim())) ??
    ['status'].find((name) => /^(error|fail|failed|failure|[45]\d\d)$/i.test(textOf(own(name)).trim())) ??
    ['code', 'statusCode', 'status_code'].find((name) => /^[45]\d\d$/.test(textOf(own(name)).trim()))
  )
}

/** What an answer reports to have gone wrong; such an answer may lack records, and is never the last page. */
export function faultOf(answer: unknown, from: string): SyncError | undefined {
  const member = faultyMember(answer)
  if (member === undefined) return undefined
  return new SyncError('SOURCE_ANSWER', `the answer of ${from} reports an error (in its ${member})`, {
    hint: 'Ask for the same page by hand, and read what it says there.',
  })
}

/** Throws SOURCE_ANSWER. `null` is a list without records, and so is what an answer with a fault lacks. */
export function recordsAt(
  answer: unknown,
  path: string | undefined,
  { from, isFaulty }: { from: string; isFaulty: boolean },
): readonly unknown[] {
  const list = valueAtPath(answer, path)
  if (Array.isArray(list)) return list
  if (list === null || isFaulty) return []
  const where = path === undefined ? 'is no list' : `has no list at ${path}`
  throw new SyncError('SOURCE_ANSWER', `the answer of ${from} ${where}`, {
    hint: 'Set source.records to where the list of records is in an answer.',
  })
}

const HAS_MORE =
  /^(has_?(more|next)(_?(pages?|items|records|results))?|more_?(pages?|items|records|results))$/i
const IS_LAST = /^(is_?)?last(_?page)?$/i
const NEXT =
  /^(@?odata\.)?next(_?(link|url|uri|href|cursor|token|(page|records)(_?(url|uri|link|token|cursor))?))?$/i

type Member = readonly [name: string, value: unknown]

const isFlagOfMore = ([name, value]: Member): boolean =>
  (HAS_MORE.test(name) && /^(true|1)$/i.test(textOf(value).trim())) || (IS_LAST.test(name) && value === false)

const saysMore = (member: Member): boolean =>
  NEXT.test(member[0]) ? !saysNothing(member[1]) : isFlagOfMore(member)

const saysLast = ([name, value]: Member): boolean =>
  (NEXT.test(name) && value === null) ||
  (HAS_MORE.test(name) && value === false) ||
  (IS_LAST.test(name) && value === true)

/** Members beside the list, or in an object beside it. */
function membersAround(answer: unknown, path: string | undefined): readonly Member[] {
  const names = path?.split('.') ?? []
  const around = names.slice(1).map((_, at) => valueAtPath(answer, names.slice(0, at + 1).join('.')))
  const objects = [answer, ...around].filter(isObject)
  const beside = objects.flatMap((object) => Object.values(object)).filter(isObject)
  return [...objects, ...beside].flatMap(Object.entries<unknown>)
}

/** The member in which an answer says that there are further pages. */
export const moreIn = (answer: unknown, path: string | undefined): string | undefined =>
  membersAround(answer, path).find(saysMore)?.[0]

/** As `moreIn`, by yes or no alone: not by where the next page is. */
export const flagOfMoreIn = (answer: unknown, path: string | undefined): string | undefined =>
  membersAround(answer, path).find(isFlagOfMore)?.[0]

/** Whether an answer says, by a member that could say otherwise, that no page follows. */
export function isSaidToBeLast(answer: unknown, path: string | undefined): boolean {
  const members = membersAround(answer, path)
  return members.some(saysLast) && !members.some(saysMore)
}
