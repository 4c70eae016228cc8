// The file of `consents.suppress`: a CSV with the column `mail` or `sha256`. It is kept in memory as numbers, eight bytes
// for each entry. An entry that cannot be read makes the whole list unusable: it might be the one that matters.
import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { addressHash, hashPrefix, hashSet } from '../core/change/consents/suppression.ts'
import type { SourceItem } from '../core/mapping/record.ts'
import { SyncError } from '../core/words/errors.ts'
import { csvOptions } from './csv/options.ts'
import { readCsv } from './csv/reader.ts'
import { describeFault } from './fault.ts'
import { fileVersion, openInputFile } from './input-file.ts'

interface SuppressionFile {
  readonly entries: number
  /** Of its entries, whatever their order. */
  readonly digest: string
  has(mail: string): boolean
}

const unusable = (path: string, reason: string): SyncError =>
  new SyncError('SUPPRESSION_LIST', `${path}: ${reason}; nothing is sent without the suppression list`)

async function statOf(path: string) {
  try {
    return await stat(path, { bigint: true })
  } catch (error) {
    throw unusable(path, describeFault(error))
  }
}

/** What tells one content of the file from another. Throws SUPPRESSION_LIST where it is missing. */
export const suppressionVersion = async (path: string): Promise<string> => fileVersion(await statOf(path))

const HEX = /^[0-9a-f]{64}$/

interface EntryColumn {
  readonly place: number
  readonly isHash: boolean
}

/** Where the entries are, and in which form. A list may have both forms: its rows come from several programs. */
function entryColumns(header: readonly string[], path: string): readonly EntryColumn[] {
  const names = header.map((name) => name.trim().toLowerCase())
  const columns = names.flatMap((name, place) =>
    name === 'mail' || name === 'sha256' ? [{ place, isHash: name === 'sha256' }] : [],
  )
  if (columns.length === 0) throw unusable(path, 'line 1 names neither the column mail nor sha256')
  return columns
}

/** None of a row that is blank as a whole. */
function entriesOf(item: SourceItem, columns: readonly EntryColumn[], path: string): readonly bigint[] {
  if (item.kind !== 'record') throw unusable(path, `line ${item.line} cannot be read (${item.code})`)
  const entries = columns.flatMap(({ place, isHash }) => {
    const value = (item.values[place] ?? '').trim().toLowerCase()
    if (value === '') return []
    if (isHash && !HEX.test(value))
      throw unusable(path, `line ${item.line} has no SHA-256 of 64 hexadecimal digits`)
    if (!isHash && !value.includes('@')) throw unusable(path, `line ${item.line} has no e-mail address`)
    return [hashPrefix(isHash ? value : addressHash(value))]
  })
  if (entries.length === 0 && item.values.some((value) => value.trim() !== ''))
    throw unusable(path, `line ${item.line} has neither an e-mail address nor a SHA-256`)
  return entries
}

/** Numbers without a bound known before. */
function growingNumbers() {
  let numbers = new BigUint64Array(1024)
  let count = 0
  return {
    push(number: bigint): void {
      if (count === numbers.length) {
        const larger = new BigUint64Array(count * 2)
        larger.set(numbers)
        numbers = larger
      }
      numbers[count] = number
      count += 1
    },
    all: (): BigUint64Array => numbers.subarray(0, count),
  }
}

async function prefixesIn(path: string): Promise<BigUint64Array> {
  const stats = await statOf(path)
  const input = { name: basename(path), version: fileVersion(stats), bytes: Number(stats.size) }
  // A mounted configuration is often a link.
  const file = await openInputFile(Buffer.from(await realpath(path)), input)
  const options = csvOptions.parse({ folder: path, last_line: 'accept', ragged: 'auto' })
  const reader = await readCsv(file, options)
  try {
    const columns = entryColumns(reader.header, path)
    const prefixes = growingNumbers()
    for await (const items of reader.batches())
      items.forEach((item) => entriesOf(item, columns, path).forEach((entry) => prefixes.push(entry)))
    return prefixes.all()
  } finally {
    await reader.close()
  }
}

/** Throws SUPPRESSION_LIST. */
export async function readSuppressionFile(path: string): Promise<SuppressionFile> {
  let prefixes: BigUint64Array
  try {
    prefixes = await prefixesIn(path)
  } catch (error) {
    if (!(error instanceof SyncError) || error.code === 'SUPPRESSION_LIST') throw error
    throw unusable(path, `${error.message} (${error.code})`)
  }
  const set = hashSet(prefixes)
  const digest = createHash('sha256').update(prefixes.toSorted()).digest('hex')
  return { entries: set.size, digest, has: (mail) => set.has(addressHash(mail)) }
}
