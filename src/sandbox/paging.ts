// Pages of lists (interface, 8), and what habits make of them.
import type { Habits } from './habits.ts'

interface Page {
  readonly offset: number
  readonly limit: number
}

/** The page that is answered where this one is asked for. */
export function givenPage({ offset, limit }: Page, { pageCap, offsetIgnored }: Habits): Page {
  return {
    offset: offsetIgnored ? 0 : offset,
    limit: pageCap === 0 ? limit : Math.min(limit, pageCap),
  }
}

export function createPaging(habits: Habits) {
  return <Entry>(entries: readonly Entry[], asked: Page): Entry[] => {
    const { offset, limit } = givenPage(asked, habits)
    return entries.slice(offset, offset + limit)
  }
}
