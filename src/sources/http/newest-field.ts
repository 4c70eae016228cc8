// Watches the field of records that says when they were changed.
import { SyncError } from '../../core/words/errors.ts'
import { isObject, textOf } from '../json/values.ts'
import { createNewest } from '../pull/newest.ts'
import { valueAtPath } from './answer.ts'

export interface Newest {
  note(record: unknown): void
  /** Undefined where no record had the field. */
  value(): string | undefined
  /** Throws SOURCE_ANSWER where there were records, and none of them had the field. */
  assertFound(): void
}

/** `from`: the cursor so far; `nowMs`: when the fetch began. */
export function watchNewest(field: string, asked: { from: string | undefined; nowMs: number }): Newest {
  const newest = createNewest({ ...asked, mayCountTime: true })
  let isSeen = false
  let isFound = false
  return {
    note(record) {
      isSeen = true
      const text = isObject(record) ? textOf(valueAtPath(record, field)) : ''
      if (text === '') return
      isFound = true
      newest.note(text)
    },
    value: () => newest.value(),
    assertFound() {
      if (!isSeen || isFound) return
      throw new SyncError('SOURCE_ANSWER', `since.field: no record has ${field}`)
    },
  }
}
