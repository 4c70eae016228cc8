// Pages by keyset: one row more than is shown tells whether there is another page.
import type { Page } from '../../core/views.ts'

export function pageOf<T>(found: readonly T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: found.length > limit && last !== undefined ? cursorOf(last) : undefined }
}

/** A row number out of an address; undefined for whatever is none. */
export function rowNumber(from: string | undefined): number | undefined {
  return from !== undefined && /^\d{1,15}$/.test(from) ? Number(from) : undefined
}
