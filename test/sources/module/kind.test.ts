import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describePull, type Row } from '../../contracts/pull.ts'

// Reads what it has from a file beside it, and continues after the cursor.
const SOURCE = `
import { readFileSync } from 'node:fs'
export default async function* ({ file }, { cursor = 0 }) {
  const { rows, breakAfter } = JSON.parse(readFileSync(file, 'utf8'))
  let records = 0
  for (const { changed, ...record } of rows.toSorted((a, b) => a.changed - b.changed)) {
    if (changed < cursor) continue
    if (records++ === breakAfter) throw new Error('no more')
    yield { record, cursor: changed }
  }
  if (breakAfter === records) throw new Error('no more')
}
`

describePull('module', (home) => {
  const [path, file] = [join(home, 'source.mjs'), join(home, 'rows.json')]
  mkdirSync(home, { recursive: true })
  writeFileSync(path, SOURCE)
  let world: { rows: readonly Row[]; breakAfter?: number | undefined } = { rows: [] }
  const write = (changes: Partial<typeof world>): void => {
    world = { ...world, ...changes }
    writeFileSync(file, JSON.stringify(world))
  }
  write({})
  return {
    options: { path, options: { file } },
    put: (rows) => write({ rows }),
    breakAfter: (breakAfter) => write({ breakAfter }),
    close: () => undefined,
  }
})
