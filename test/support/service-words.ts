// What a service may do where the interface leaves it open, under its three names: the key of a profile (`probe`), the habit of
// the sandbox, and the cases of the conformance suite that see it. Tests hold all three, and the manual's table, to this one.
import type { ServiceProfile } from '../../src/core/service-profile.ts'
import { type HabitName, type Habits, PLAIN_HABITS } from '../../src/sandbox/habits.ts'

interface Word<Value> {
  /** The habits that decide about it; none where the sandbox does it as the interface has it. */
  readonly habits: readonly HabitName[]
  /** Ids of cases that tell a service of that habit from one without. */
  readonly cases: readonly string[]
  /** What `probe` finds at a sandbox of these habits. */
  seen(habits: Habits): Value
  /** A habit as it is typed, with which the cases above come out otherwise. */
  readonly tried: readonly string[]
  /** Habits without which they would not. */
  readonly beside?: readonly string[]
}

type Words = { readonly [Key in keyof ServiceProfile]: Word<ServiceProfile[Key]> }

export const SERVICE_WORDS: Words = {
  bulk_container: {
    habits: ['bulkContainer'],
    cases: ['bulk-array', 'bulk-object'],
    seen: ({ bulkContainer }) => bulkContainer,
    tried: ['bulk-container=array', 'bulk-container=keyed'],
  },
  bulk_max: {
    habits: ['bulkLimit'],
    cases: ['bulk'],
    seen: ({ bulkLimit }) => (bulkLimit === 0 ? 500 : bulkLimit),
    tried: ['bulk-limit=1'],
  },
  page_cap: {
    habits: ['pageCap', 'offsetIgnored'],
    cases: ['terms-limit', 'terms-offset'],
    seen: ({ pageCap, offsetIgnored }) => (pageCap === 0 || offsetIgnored ? 'unknown' : pageCap),
    tried: ['page-cap=1', 'offset-ignored'],
  },
  empty_clears: {
    habits: ['clearedBy'],
    cases: ['update-empty-text'],
    seen: ({ clearedBy }) => clearedBy === 'both' || clearedBy === 'empty-text',
    tried: ['cleared-by=null', 'cleared-by=nothing'],
  },
  null_clears: {
    habits: ['clearedBy'],
    cases: ['update-null'],
    seen: ({ clearedBy }) => clearedBy === 'both' || clearedBy === 'null',
    tried: ['cleared-by=empty-text', 'cleared-by=nothing'],
  },
  auto: {
    habits: ['auto'],
    cases: ['check-auto-other-mail'],
    seen: ({ auto }) => auto,
    tried: ['auto=mail', 'auto=none'],
  },
  mail_lookup: {
    habits: ['mailLookup'],
    cases: ['by-mail-exact'],
    seen: ({ mailLookup }) => (mailLookup === 'exact' ? 'exact' : 'inexact'),
    tried: ['mail-lookup=wildcard', 'mail-lookup=prefix', 'mail-lookup=secondary'],
  },
  mail_status_permission: {
    habits: ['mailStatusPermission'],
    cases: ['mail-status-set'],
    seen: ({ mailStatusPermission }) => mailStatusPermission,
    tried: ['mail-status-permission'],
  },
  status_after_delete: {
    habits: ['statusAfterDelete', 'mailStatusPermission'],
    cases: ['mail-status-after-delete'],
    seen: ({ statusAfterDelete, mailStatusPermission }) =>
      mailStatusPermission ? statusAfterDelete : 'unknown',
    tried: ['status-after-delete=remembered'],
    beside: ['mail-status-permission'],
  },
  merge: {
    habits: ['merge'],
    cases: ['merge-update', 'merge-add'],
    seen({ merge }) {
      const other = merge === 'as-documented' ? 'as_documented' : 'other'
      return { update_add: 'as_documented', update: other, add: other }
    },
    tried: ['merge=update-add'],
  },
  term_names: {
    habits: ['termFolding'],
    cases: ['term-folding'],
    seen: ({ termFolding }) => (termFolding === 'case' ? 'case' : 'folded'),
    tried: ['term-folding=accents', 'term-folding=spaces'],
  },
  custom_field_key: {
    habits: [],
    cases: ['custom-field-key'],
    seen: () => '{field_name}',
    tried: [],
  },
  rate_headers: {
    habits: ['rateLimit', 'rateLimitHeaders'],
    cases: ['rate-limits'],
    seen({ rateLimit, rateLimitHeaders: headers }) {
      if (rateLimit === 'none' || headers === 'none') return 'none'
      return headers === 'retry-after-date' ? 'retry-after' : headers
    },
    tried: ['rate-limit-headers=x-rate-limit'],
  },
}

/** The profile of a sandbox with these habits. */
export function profileOf(habits: Partial<Habits>): ServiceProfile {
  const all = { ...PLAIN_HABITS, ...habits }
  return Object.fromEntries(
    Object.entries(SERVICE_WORDS).map(([key, word]) => [key, word.seen(all)]),
  ) as unknown as ServiceProfile
}
