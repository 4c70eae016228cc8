// A limit of the configuration, a share or a count, applied to a number: how many it allows, and how a message shows it.
import { shareText } from './format.ts'
import type { Limit } from './scalars.ts'

/** A share allows at least one, unless it is 0%. */
export function allowedBy(limit: Limit, base: number): number {
  const byCount = 'count' in limit ? limit.count : Number.POSITIVE_INFINITY
  if (!('share' in limit)) return byCount
  const byShare = limit.share === 0 ? 0 : Math.max(1, Math.floor(base * limit.share + 1e-9))
  return Math.min(byShare, byCount)
}

/** As the configuration has it, with what a share comes to: `5% (2)`, or, of both, `5%, at most 500 (500)`. */
export function limitText(limit: Limit, base: number): string {
  if (!('share' in limit)) return String(limit.count)
  const most = 'count' in limit ? `, at most ${limit.count}` : ''
  return `${shareText(limit.share)}${most} (${allowedBy(limit, base)})`
}
