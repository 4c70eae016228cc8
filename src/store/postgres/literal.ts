// Values as they stand in a statement of PostgreSQL, for rows that are written by the hundred.

/** A text has no character U+0000. */
export function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'::bytea`
  return `'${(value as string).replaceAll("'", "''")}'`
}
