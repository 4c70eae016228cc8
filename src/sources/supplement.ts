// Rejects that were exported, corrected and dropped again. They add to an export, and records that they lack are not missing, so a
// file of them is never a full export, whatever the pipeline's mode.

/** The columns that we add. A header that ends with them marks a file as our own. */
export const REJECT_COLUMNS = ['_reason', '_file', '_line'] as const

const REJECTS_FILE = /\.rejects\.(csv|jsonl|ndjson|json)(\.gz)?$/i

/** By its columns, wherever they stand, or by the name under which the rejects of an archived file were written. */
export function isSupplement(name: string, columns: readonly string[]): boolean {
  const names = new Set(columns.map((column) => column.trim().toLowerCase()))
  return REJECTS_FILE.test(name) || REJECT_COLUMNS.every((column) => names.has(column))
}
