// `npm run bench:linkage -- [CONTACTS]`: how good and how fast `duplicate_check_method: auto` of the sandbox is.
// Good: records of sets with a known truth are created one by one as the sandbox does it (search, merge, remember), in
// both orders, and pairs that came to be one contact are held against pairs that are one person. Ends with 1 below an aim.
// Fast: with CONTACTS, so many strangers are created one by one, of many names and of few; all that are merged are merged wrongly.
import { createDuplicates } from '../../src/sandbox/duplicates/duplicates.ts'
import { THRESHOLD } from '../../src/core/linkage/linkage.ts'
import { openTables } from '../../src/sandbox/tables.ts'
import { LINKAGE_SETS, type LinkageRecord, readSet } from './linkage-sets.ts'
import { strangers, type Variety } from './linkage-people.ts'

type Fields = Record<string, string>

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

/** Creates with check `auto` and merge `update_add`; gives the id that a create would have answered. */
function createEntry(): { create(fields: Fields): number; close(): void } {
  const db = openTables(undefined)
  const duplicates = createDuplicates(db)
  const contacts = new Map<number, Fields>()
  return {
    create(fields) {
      const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
      const id = duplicates.find(given, 'auto') ?? contacts.size + 1
      const merged = { ...contacts.get(id), ...given }
      contacts.set(id, merged)
      duplicates.remember(id, merged)
      return id
    },
    close: () => db.close(),
  }
}

/** How many pairs there are among members of the same group. */
function pairsWithin(groups: readonly string[]): number {
  const sizes = new Map<string, number>()
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  return [...sizes.values()].reduce((sum, size) => sum + (size * (size - 1)) / 2, 0)
}

interface Quality {
  readonly precision: number
  readonly recall: number
  readonly f1: number
  readonly pairs: number
}

function qualityOf(records: readonly LinkageRecord[]): Quality {
  const entry = createEntry()
  const ids = records.map(({ fields }) => entry.create(fields))
  entry.close()
  const pairs = pairsWithin(records.map(({ person }) => person))
  const found = pairsWithin(ids.map(String))
  const right = pairsWithin(records.map(({ person }, index) => `${person} ${ids[index] ?? 0}`))
  return { precision: right / found, recall: right / pairs, f1: (2 * right) / (found + pairs), pairs }
}

/** Whether every set reaches its aim in both orders. */
function measureQuality(folder: string): boolean {
  tell(`threshold ${THRESHOLD} bits, the same weights for every set`)
  tell('set         order       pairs  precision  recall     F1    aim')
  return LINKAGE_SETS.map((set) => {
    const records = readSet(folder, set)
    if (records === undefined) {
      tell(`${set.name.padEnd(12)}not there: ${set.file}`)
      return true
    }
    const orders = { forwards: records, backwards: records.toReversed() }
    return Object.entries(orders).map(([order, list]) => {
      const { precision, recall, f1, pairs } = qualityOf(list)
      const figures = [precision, recall, f1].map((share) => share.toFixed(3).padStart(9)).join('')
      const verdict = f1 >= set.aim ? '' : '  below the aim'
      tell(
        `${set.name.padEnd(12)}${order.padEnd(11)}${String(pairs).padStart(6)}${figures}   ${set.aim}${verdict}`,
      )
      return f1 >= set.aim
    })
  })
    .flat()
    .every(Boolean)
}

const VARIETIES: Readonly<Record<string, Variety>> = {
  'a country': { first: 600, family: 8000, cities: 400, streets: 3000 },
  'few names': { first: 60, family: 200, cities: 20, streets: 200 },
}

function measureSpeed(count: number, name: string, variety: Variety): void {
  const people = [...strangers(count, variety)]
  const entry = createEntry()
  const ids = new Set<number>()
  const started = performance.now()
  let lap = started
  for (const [index, fields] of people.entries()) {
    ids.add(entry.create(fields))
    if ((index + 1) % Math.ceil(count / 4) !== 0 && index + 1 !== count) continue
    const now = performance.now()
    const rate = Math.round((Math.ceil(count / 4) / (now - lap)) * 1000)
    lap = now
    tell(`${name}: up to ${index + 1} contacts ${rate} creates/s`)
  }
  const seconds = (performance.now() - started) / 1000
  const merged = count - ids.size
  const all = `${Math.round(count / seconds)} creates/s in all`
  tell(`${name}: ${all}; wrongly merged ${merged} of ${count} (${((100 * merged) / count).toFixed(2)} %)`)
  entry.close()
}

const folder = process.env['SAMPLES_DIR'] ?? ''
const count = Number(process.argv[2] ?? 0)
if (folder === '')
  tell(
    'SAMPLES_DIR is not set: it names the folder with the sets of known truth. Nothing was measured with them.',
  )
else if (!measureQuality(folder)) process.exitCode = 1
if (count > 0) for (const [name, variety] of Object.entries(VARIETIES)) measureSpeed(count, name, variety)
