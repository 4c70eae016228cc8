// An answer as text -> records and what stands around them. Numbers keep the digits that they were written with.
import { SyncError } from '../../core/words/errors.ts'
import { parsedJson } from '../json/values.ts'

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

/** Throws SOURCE_ANSWER. `null` is a list without records. */
export function recordsAt(answer: unknown, path: string | undefined, from: string): readonly unknown[] {
  const list = valueAtPath(answer, path)
  if (list === null) return []
  if (Array.isArray(list)) return list
  const where = path === undefined ? 'is no list' : `has no list at ${path}`
  throw new SyncError('SOURCE_ANSWER', `the answer of ${from} ${where}`, {
    hint: 'Set source.records to where the list of records is in an answer.',
  })
}
