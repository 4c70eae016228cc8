import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { systemClock } from '../../../src/system.ts'
import { describePull, type Row } from '../../contracts/pull.ts'
import { testLine } from '../../support/line.ts'

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

// Has one record, and its STATE counts the starts.
const COUNTING = `
import { readFileSync } from 'node:fs'
const at = process.argv.indexOf('--state')
const starts = at < 0 ? 0 : JSON.parse(readFileSync(process.argv[at + 1], 'utf8')).starts
const write = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
write({ type: 'SCHEMA', stream: 'people', schema: { properties: { no: {}, mail: {}, first: {}, last: {}, phone: {} } } })
if (starts === 0) write({ type: 'RECORD', stream: 'people', record: { no: 'N1', mail: 'p1@example.com', first: 'A' } })
write({ type: 'STATE', value: { starts: starts + 1 } })
`

function countingLine(ending = '') {
  const home = mkdtempSync(join(tmpdir(), 'tap-'))
  const [tap, folder] = [join(home, 'tap.mjs'), join(home, 'spool')]
  writeFileSync(tap, `${COUNTING}${ending}`)
  const fetch = SOURCE_KINDS['singer']!.schema.parse({ command: [process.execPath, tap], stream: 'people' })
  const settings = { type: 'singer', null_values: [], folder, sparse: false, fetch }
  const source = createSource(settings, { clock: systemClock })
  const line = testLine({ pipeline: { source: settings }, source })
  const state = async (): Promise<unknown> => (await line.state.cursor('shop'))?.value
  return { line, state, folder, remove: () => rmSync(home, { recursive: true, force: true }) }
}

it('keeps the STATE of a fetch that brought no record; a plan does not', async () => {
  const { line, state, folder, remove } = countingLine()
  expect(await line.run()).toMatchObject({ status: 'ok', created: 1 })
  expect(await state()).toBe('{"starts":1}')
  expect(await line.run()).toMatchObject({ status: 'ok', read: 0 })
  await line.preview()
  expect(await state()).toBe('{"starts":2}')
  expect(readdirSync(folder)).toEqual(['processed'])
  remove()
})

it('says of a tap that fails behind a STATE where the next fetch begins', async () => {
  const { line, state, remove } = countingLine('process.exit(1)')
  const { status, files } = await line.run()
  expect({ status, hint: files[0]?.hint }).toEqual({
    ...{ status: 'partial', hint: expect.stringContaining('last said how far it had come') as string },
  })
  expect(await state()).toBe('{"starts":1}')
  remove()
})
