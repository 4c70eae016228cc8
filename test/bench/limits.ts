// Which ratios a change must not make worse, and which are aimed at. `most` is what was measured when the line was
// written, with room for the noise of a shared machine: whoever makes something faster takes it down.
export interface Limit {
  readonly most: number
  readonly aim: number
  readonly what: string
}

export const LIMITS = {
  push: { most: 26, aim: 2.5, what: 'first push / plain script' },
  update_id: { most: 12, aim: 1.5, what: '1 % changed, by id / script sending the same' },
  update_bulk: { most: 12, aim: 1.5, what: '1 % changed, in bulk / script sending the same' },
  unchanged: { most: 1.9, aim: 0.3, what: 'unchanged re-run / plain parse' },
  same_bytes: { most: 1.9, aim: 0.05, what: 'the same bytes again / plain parse' },
  changed: { most: 2.5, aim: 0.2, what: '1 % changed / plain parse' },
  version: { most: 3, aim: 2, what: '--version / node -e 0' },
  help: { most: 3.5, aim: 2, what: '--help / node -e 0' },
  completion: { most: 14, aim: 2, what: 'completion / node -e 0' },
  status: { most: 17, aim: 8, what: 'status / node -e 0' },
  rate_over: { most: 1, aim: 1, what: 'fullest window / allowed requests' },
  rate_unused: { most: 0.1, aim: 0.02, what: 'share of the rate that was left unused' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS
