// Whether every change stood in the journal as "sending", and on the disk, before its request left.
import Database from 'better-sqlite3'
import type { Workshop } from '../support/cli.ts'
import type { Happening } from './strace.ts'

/** Keys by contact id. */
export function linkedKeys(workshop: Workshop): Map<string, string> {
  const db = new Database(workshop.path('state', 'contact-sync.db'))
  const rows = db.prepare<[], { contact_id: number; key: string }>('SELECT contact_id, key FROM link').all()
  db.close()
  return new Map(rows.map(({ contact_id: id, key }) => [String(id), key]))
}

/** Whose change a request carries; none for a term itself, which belongs to no contact and is made once however often it is sent. */
function keysOf(
  { method, path, text }: Happening & { kind: 'request' },
  keys: ReadonlyMap<string, string>,
): string[] {
  const isOfTerm = path.includes('/terms') && !path.includes('/contact/')
  if (method === 'GET' || isOfTerm) return []
  const id = /\/contact\/(\d+)/.exec(path)?.[1]
  if (id !== undefined) return [keys.get(id) ?? `contact ${id}`]
  return [...new Set([...text.matchAll(/person(\d+)@/g)].map(([, number]) => `K${number}`))]
}

/** Whether this piece of the journal has the row of the key in the state "sending". */
const saysSending = (text: string, key: string): boolean =>
  new RegExp(`shop${key}(?:(?!shopK).)*?sending`).test(text)

/** Every change whose "sending" was not on the disk when its request left; and how many were asked about. */
export function judged(
  events: readonly Happening[],
  keys: ReadonlyMap<string, string>,
): { late: string[]; requests: number } {
  const late: string[] = []
  let requests = 0
  events.forEach((event, at) => {
    if (event.kind !== 'request') return
    for (const key of keysOf(event, keys)) {
      requests += 1
      // "Sending" of an earlier step does not count for this one. Adding and removing terms is one step.
      const earlier = events.findLastIndex(
        (other, index) =>
          index < at &&
          other.kind === 'request' &&
          other.path !== event.path &&
          keysOf(other, keys).includes(key),
      )
      // The first one: later transactions write the same page of the database again.
      const written = events.findIndex(
        (other, index) =>
          index > earlier && index < at && other.kind === 'journal' && saysSending(other.text, key),
      )
      const isFlushed = events.some(
        (other, index) => written >= 0 && index > written && index < at && other.kind === 'flush',
      )
      if (!isFlushed) late.push(`${key}: ${event.method} ${event.path}`)
    }
  })
  return { late, requests }
}
