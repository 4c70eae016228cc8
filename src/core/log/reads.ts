// Who looked at whose data: in the console, or by a command that the owner of the state answered.
import type { UserRole } from '../words/user-roles.ts'

export interface NotedRead {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Undefined for the token of the console, which has no name. */
  readonly by: string | undefined
  readonly role: UserRole | undefined
  /** The page, without what was asked for: `contacts`, `search`, `held` ...; or the command. */
  readonly page: string
  /** Whose data it was; undefined for a list. */
  readonly contactId: number | undefined
}

export interface ReadsFilter {
  readonly contactIds?: readonly number[] | undefined
  readonly by?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface ReadStore {
  noteReads(reads: readonly NotedRead[]): Promise<void>
  /** The newest first. */
  notedReads(filter: ReadsFilter, limit: number): Promise<readonly NotedRead[]>
  /** Removes those that are older, at most so many; how many. */
  removeReads(before: number, limit: number): Promise<number>
}

/** The parts of addresses that lead to data of persons; others show settings, numbers or names of terms. */
const PAGES = [
  'contacts',
  'explain',
  'search',
  'held',
  'doubts',
  'retries',
  'rejects',
  'edits',
  'corrections',
  'log',
  'runs',
]
/** Lists without a key, a mail or a name. */
const OF_NO_PERSON = /^\/(runs\/?|search\/?|log\/verification)$/

/** What the answer to a request shows of persons; undefined where it shows nothing of any. */
export function readOf({
  method,
  path,
}: {
  readonly method: string
  readonly path: string
}): Pick<NotedRead, 'page' | 'contactId'> | undefined {
  const [, page = '', id = ''] = path.split('/')
  // A form that was sent is a search.
  if (!PAGES.includes(page) || (method !== 'POST' && OF_NO_PERSON.test(path))) return undefined
  const isContact = (page === 'contacts' || page === 'explain') && /^\d{1,15}$/.test(id)
  return { page, contactId: isContact ? Number(id) : undefined }
}
