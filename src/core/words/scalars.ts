// The small building blocks of the configuration's schema: texts, durations, shares, time zones.
// Sentences have the form "what is wrong; what would be right" and hold no value.
import { z } from 'zod'
import { DURATION, DURATION_SENTENCE, durationText, milliseconds } from './duration.ts'
import { shareText } from './format.ts'
import { nearName } from './nearest.ts'

/** Text that says something. */
export const text = z.string().min(1, { error: 'is empty; write some text, or leave the key out' })

export const flag = z.boolean()

/** `500ms`, `30s`, `5m`, `2h`, `30d`: to milliseconds. `min` and `max` are written the same way. */
export function duration(limits: { min?: string; max?: string } = {}) {
  const { min = '0s', max = '3650d' } = limits
  const written = z
    .string({ error: DURATION_SENTENCE })
    .regex(DURATION, { error: DURATION_SENTENCE })
    .refine((value) => !DURATION.test(value) || milliseconds(value) >= milliseconds(min), {
      error: `is too short; at least ${min}`,
    })
    .refine((value) => !DURATION.test(value) || milliseconds(value) <= milliseconds(max), {
      error: `is too long; at most ${max}`,
    })
  return z.codec(written, z.number(), { decode: milliseconds, encode: durationText })
}

/** A share between 0 and 1 of something, a plain number, or both: the stricter one counts. */
export type Limit =
  { readonly share: number } | { readonly count: number } | { readonly share: number; readonly count: number }

const SHARE_SENTENCE = 'is not a share; write one such as 5%, up to 100%, or a whole number to count'

const writtenShare = z
  .string({ error: SHARE_SENTENCE })
  // Ends here, so that a union tells what its other forms are: a count from the environment is a text, too.
  .regex(/^(100(\.0+)?|\d{1,2}(\.\d+)?) ?%$/, { error: SHARE_SENTENCE, abort: true })
const wholeCount = z.int().min(0)

/** `5%`, or a count where a whole number stands. */
export const shareOrCount = z.codec(
  z.union([writtenShare, wholeCount], { error: SHARE_SENTENCE }),
  z.custom<Limit>(),
  {
    decode: (written) =>
      typeof written === 'number' ? { count: written } : { share: Number.parseFloat(written) / 100 },
    encode: (limit) => ('count' in limit ? limit.count : shareText(limit.share)),
  },
)

/** `5%`: to a number from 0 to 1. */
export const share = z.codec(writtenShare, z.number(), {
  decode: (written) => Number.parseFloat(written) / 100,
  encode: shareText,
})

const BOTH_SENTENCE = `${SHARE_SENTENCE}, or both: { share: 5%, count: 500 }`

/** The same, or both at once. */
export const shareAndCount = z.union(
  [
    z.strictObject({
      share: share.describe('The share.'),
      count: wholeCount.describe('The most, however many the share allows.'),
    }),
    shareOrCount,
  ],
  { error: BOTH_SENTENCE },
)

function isZone(name: string): boolean {
  // Offsets such as +01:00 are zones for Intl, but know no summer time.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export const timezone = z.string().check((ctx) => {
  if (isZone(ctx.value)) return
  const near = nearName(ctx.value, Intl.supportedValuesOf('timeZone'))
  // MEZ, CET+1 and their like are as far from every name.
  const meant = near === undefined ? '' : ` (did you mean ${near}?)`
  const message = `is not a time zone; write an IANA name such as Europe/Berlin${meant}`
  ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

/** One text or a list of them, as a list. */
export const oneOrMore = (expected: string) =>
  z
    .union([text, z.array(text).min(1, { error: `is an empty list; ${expected}` })], {
      error: `has the wrong form; ${expected}`,
    })
    .transform((value) => (typeof value === 'string' ? [value] : value))
