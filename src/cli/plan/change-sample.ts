// As many changes as a page has room for. Creates come after updates and deletes last: by the order of sending alone, a page
// of a large plan would hold none of them.
import type { PlannedChange } from '../../core/change/plan/planned-change.ts'

interface Kept {
  readonly at: number
  readonly change: PlannedChange
}

/** At most so many changes, with the same room for each action; what one leaves, the others have. */
export function changeSample(most: number) {
  const kept: Record<PlannedChange['action'], Kept[]> = { create: [], update: [], delete: [] }
  let at = 0
  return {
    add(change: PlannedChange): void {
      at += 1
      if (kept[change.action].length < most) kept[change.action].push({ at, change })
    },
    /** In the order of sending. */
    changes(): readonly PlannedChange[] {
      const kinds = Object.values(kept).toSorted((one, other) => one.length - other.length)
      let left = most
      const chosen = kinds.flatMap((kind, index) => {
        const part = kind.slice(0, Math.ceil(left / (kinds.length - index)))
        left -= part.length
        return part
      })
      return chosen.toSorted((one, other) => one.at - other.at).map(({ change }) => change)
    },
  }
}
