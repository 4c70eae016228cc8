// A source written by a user: members from a file of JSON, those that have changed last.
import { readFile } from 'node:fs/promises'
import type { ModuleSource } from 'contact-sync/source'

interface Member {
  readonly id: string
  readonly changed: number
  readonly mail: string
}

const members: ModuleSource = async function* ({ file }, { cursor, signal, log }) {
  const text = await readFile(String(file), { encoding: 'utf8', signal })
  const all = JSON.parse(text) as readonly (Member & Readonly<Record<string, string | number>>)[]
  const fresh = all.filter(({ changed }) => changed >= Number(cursor ?? 0))
  log.info(`${fresh.length} of ${all.length} members`)
  for (const member of fresh.toSorted((a, b) => a.changed - b.changed)) {
    if (member.id === 'BREAK') throw new Error('the list ends here')
    yield { record: member, cursor: member.changed }
  }
}

export default members
