// `audit reads`: who looked at whose data.
import type { NotedRead } from '../../core/log/reads.ts'
import { momentText } from '../../core/words/format.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { peopleNamed, withLog } from '../with-log.ts'

interface ReadsOptions extends CommonOptions {
  readonly contact?: string
  readonly user?: string
  readonly since?: number
  readonly until?: number
  readonly limit?: number
}

const FEW = 100
const MANY = 10_000

const readJson = ({ at, by, role, page, contactId }: NotedRead) => ({
  at: new Date(at).toISOString(),
  by: by ?? null,
  role: role ?? null,
  page,
  contact_id: contactId ?? null,
})

function readText({ at, by, role, page, contactId }: NotedRead): string {
  const who = by === undefined ? 'the token of the console' : `${by}${role === undefined ? '' : ` (${role})`}`
  return `${momentText(at)}  ${who}: ${page}${contactId === undefined ? '' : `, contact ${contactId}`}`
}

export const listReads = (io: Io, options: ReadsOptions): Promise<number> =>
  withLog(io, options, async (state) => {
    const { contact, user, since, until, limit = options.json === true ? MANY : FEW } = options
    const people = contact === undefined ? undefined : await peopleNamed(state, contact)
    const contactIds = people?.flatMap((person) => person.contactIds)
    const reads = await state.notedReads({ contactIds, by: user, since, until }, limit)
    if (options.json === true) printJson(io, { reads: reads.map(readJson) })
    else print(io, reads.length === 0 ? 'nothing is noted' : reads.map(readText))
    return 0
  })
