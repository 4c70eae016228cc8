// What tells records apart: an identifier that is filled and unique in every sample, and names the same person in all of them.
// Without one it is the mail.
import { mailKey } from '../mapping/contact.ts'
import type { ColumnReading } from './column-reading.ts'
import type { Samples } from './samples.ts'

export interface ProposedKey {
  /** Null: the mail is the key. */
  readonly column: string | null
  readonly confidence: number
  readonly why: string
  /** Other columns that would do. */
  readonly others: readonly string[]
}

interface Shared {
  /** Keys that two samples have, and those of them that have another mail in each. */
  readonly keys: number
  readonly different: number
}

/** Whether a key stands for one person in all samples. */
function sharedKeys(samples: Samples, key: string, mail: string | undefined): Shared {
  const first = new Map<string, string>()
  let [keys, different] = [0, 0]
  if (mail === undefined) return { keys, different }
  for (const { header, rows } of samples.files) {
    const [keyAt, mailAt] = [header.indexOf(key), header.indexOf(mail)]
    const own = rows.map((row) => [row[keyAt] ?? '', mailKey(row[mailAt] ?? '')] as const)
    for (const [value, address] of own) {
      const before = first.get(value)
      if (before === undefined || before === '' || address === '') continue
      keys += 1
      if (before !== address) different += 1
    }
    for (const [value, address] of own) if (!first.has(value)) first.set(value, address)
  }
  return { keys, different }
}

function judged(
  reading: ColumnReading,
  samples: Samples,
  mail: string | undefined,
): Omit<ProposedKey, 'others'> {
  const column = reading.column.name
  const { keys, different } = sharedKeys(samples, column, mail)
  const base = `"${column}" is ${reading.why}`
  if (keys > 0 && different > 0.1 * keys)
    return {
      column,
      confidence: 0.1,
      why: `${base}, but the same one has other e-mail addresses in another sample`,
    }
  if (keys > 0)
    return {
      column,
      confidence: 0.98,
      why: `${base}, and has the same e-mail address in several samples`,
    }
  if (reading.column.isNumbered)
    return {
      column,
      confidence: 0.7,
      why: `${base}, but counts the records 1, 2, 3: it may be another one in the next export`,
    }
  return { column, confidence: reading.confidence, why: base }
}

/** The most certain identifier, or the mail. `mail`: the column that the mail is read from. */
export function proposedKey(
  readings: readonly ColumnReading[],
  samples: Samples,
  mail: string | undefined,
): ProposedKey {
  const candidates = readings
    .filter(({ meaning, column }) => meaning === 'id' && column.isUnique)
    .map((reading) => judged(reading, samples, mail))
    .sort((one, other) => other.confidence - one.confidence)
  const [best] = candidates
  const others = candidates.slice(1).flatMap(({ column }) => column ?? [])
  if (best !== undefined) return { ...best, others }
  return {
    column: null,
    confidence: 1,
    why: 'no identifier is filled and unique in all samples: the e-mail address is the key',
    others,
  }
}
