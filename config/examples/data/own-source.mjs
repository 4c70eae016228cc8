// Yields the members of a list: a block of lines for each, "name value", the newest change first. What it yields last bears the
// cursor, so that the next fetch begins behind it.
import { readFile } from 'node:fs/promises'

export default async function* (options, { cursor, signal, log }) {
  const text = await readFile(new URL(options.list, new URL('..', import.meta.url)), { encoding: 'utf8', signal })
  const blocks = text.split(/\n\s*\n/).filter((block) => block.trim() !== '')
  const members = blocks.map((block) => {
    const member = { phones: [] }
    for (const line of block.trim().split('\n')) {
      const [name, ...value] = line.split(' ')
      if (name === 'phone') member.phones.push(value.join(' '))
      else member[name] = value.join(' ')
    }
    return member
  })
  const fresh = members.filter(({ changed }) => cursor === undefined || changed >= cursor)
  if (fresh.length < members.length) log.info(`${members.length - fresh.length} members are as before`)
  // In order of change: then the cursor says that everything up to it has come.
  for (const { changed, ...record } of fresh.toSorted((a, b) => (a.changed < b.changed ? -1 : 1)))
    yield { record, cursor: changed }
}
