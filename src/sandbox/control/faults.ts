// Faults at run time: what happens to the next requests that match, in place of, or after, being carried out.
import { z } from 'zod'
import { SyncError } from '../../core/words/errors.ts'

const FAULT_KINDS = ['503', 'reset', 'lost', 'truncated', 'delay'] as const

/**
 * match: `POST /contacts`, a method and a path below the interface's prefix, in which `*` stands for anything; `*` alone: all.
 * do: 503: refused, not carried out. reset: the connection is closed, not carried out. lost: carried out, and the connection is
 * closed without an answer. truncated: carried out, and half of the answer is sent. delay: answered `ms` later.
 */
const faultSchema = z.strictObject({
  match: z.string().min(1).default('*'),
  next: z.int().min(1).default(1),
  do: z.enum(FAULT_KINDS),
  ms: z.int().min(0).max(600_000).default(1000),
})

export type Fault = z.output<typeof faultSchema>

/** Throws USAGE where it is none. */
export function parseFault(given: unknown): Fault {
  const parsed = faultSchema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new SyncError('USAGE', `this is no fault: ${z.prettifyError(parsed.error)}`, {
    hint: 'A fault is { "match": "POST /contacts", "next": 3, "do": "503" }.',
  })
}

/** `path`: below the interface's prefix. */
interface Matched {
  readonly method: string
  readonly path: string
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`)

function isMatched({ match }: Fault, { method, path }: Matched): boolean {
  const pattern = `^${escaped(match).replaceAll('*', '.*')}$`
  return new RegExp(pattern).test(`${method} ${path}`) || match === '*'
}

export interface Faults {
  add(fault: Fault): void
  clear(): void
  /** What happens to this request; each fault as often as it was asked for. */
  take(request: Matched): Fault | undefined
  readonly waiting: readonly Fault[]
}

export function createFaults(): Faults {
  let waiting: Fault[] = []
  return {
    add: (fault) => void waiting.push(fault),
    clear: () => (waiting = []),
    take(request) {
      const fault = waiting.find((one) => isMatched(one, request))
      if (fault === undefined) return undefined
      waiting = waiting.flatMap((one) => {
        if (one !== fault) return [one]
        return one.next > 1 ? [{ ...one, next: one.next - 1 }] : []
      })
      return fault
    },
    get waiting() {
      return waiting
    },
  }
}
