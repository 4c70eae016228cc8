// A limit of the configuration, a share or a count, applied to a number: how many it allows, and how a message shows it.
import { shareText } from './format.ts'
import type { Limit } from './scalars.ts'

/** A share allows at least one, unless it is 0%. */
export function allowedBy(limit: Limit, base: number): number {
  if ('count' in limit) return limit.count
  return limit.share === 0 ? 0 : Math.max(1, Math.floor(base * limit.share + 1e-9))
}

/** As the configuration has it, with what a share comes to: `5% (2)`. */
export const limitText = (limit: Limit, base: number): string =>
  'count' in limit ? String(limit.count) : `${shareText(limit.share)} (${allowedBy(limit, base)})`
