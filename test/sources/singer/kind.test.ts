import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describePull, type Row } from '../../contracts/pull.ts'

// Reads what it has from a file beside it, and continues after the STATE.
const TAP = `
import { readFileSync } from 'node:fs'
const { rows, breakAfter } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const at = process.argv.indexOf('--state')
const since = at < 0 ? 0 : JSON.parse(readFileSync(process.argv[at + 1], 'utf8')).changed
const write = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
const properties = { no: {}, mail: {}, first: {}, last: {}, phone: {} }
write({ type: 'SCHEMA', stream: 'people', schema: { type: 'object', properties }, key_properties: ['no'] })
let records = 0
for (const { changed, ...record } of rows.toSorted((a, b) => a.changed - b.changed)) {
  if (changed < since) continue
  if (records++ === breakAfter) process.exit(1)
  write({ type: 'RECORD', stream: 'people', record })
  write({ type: 'STATE', value: { changed } })
}
if (breakAfter === records) process.exit(1)
`

describePull('singer', (home) => {
  const [tap, file] = [join(home, 'tap.mjs'), join(home, 'rows.json')]
  mkdirSync(home, { recursive: true })
  writeFileSync(tap, TAP)
  let world: { rows: readonly Row[]; breakAfter?: number | undefined } = { rows: [] }
  const write = (changes: Partial<typeof world>): void => {
    world = { ...world, ...changes }
    writeFileSync(file, JSON.stringify(world))
  }
  write({})
  return {
    options: { command: [process.execPath, tap, file], stream: 'people' },
    put: (rows) => write({ rows }),
    breakAfter: (breakAfter) => write({ breakAfter }),
    close: () => undefined,
  }
})
