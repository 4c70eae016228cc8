// Which rejects are over once rows of a file of corrected rejects were read: for each row one, that of its file, line and
// reason. Where several have these, as in a JSON file without line breaks, it is the one that the row still resembles most.
import type { RejectPlace } from '../state.ts'

export interface PlacedReject {
  readonly id: number
  readonly file: string
  readonly line: number
  readonly reason: string
  /** Its values by column; asked for only where several have its place and reason. */
  values(): Readonly<Record<string, string>>
}

const placeOf = ({ file, line }: Pick<PlacedReject, 'file' | 'line'>): string => `${line} ${file}`

/** In how many columns both say the same. */
function likeness(row: Readonly<Record<string, string>>, reject: PlacedReject): number {
  return Object.entries(reject.values()).filter(
    ([column, value]) => Object.hasOwn(row, column) && row[column]?.trim() === value.trim(),
  ).length
}

function mostLike({ values }: RejectPlace, rejects: readonly PlacedReject[]): PlacedReject | undefined {
  if (rejects.length < 2) return rejects[0]
  let [best, most] = [rejects[0], -1]
  for (const reject of rejects) {
    const same = likeness(values, reject)
    if (same > most) [best, most] = [reject, same]
  }
  return best
}

/** The ids of those that are over. Another file may have had the same name: its rejects have another reason. */
export function endedRejects(
  rows: readonly RejectPlace[],
  rejects: readonly PlacedReject[],
): ReadonlySet<number> {
  const ended = new Set<number>()
  const at = Map.groupBy(rejects, placeOf)
  for (const row of rows) {
    // A blank reason was removed by hand.
    const fitting = at
      .get(placeOf(row))
      ?.filter(({ id, reason }) => !ended.has(id) && (row.reason === '' || row.reason === reason))
    const found = mostLike(row, fitting ?? [])
    if (found !== undefined) ended.add(found.id)
  }
  return ended
}
