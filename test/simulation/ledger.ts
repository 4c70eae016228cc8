// What really happened at the simulated service, in order: every effect, by whom, and through which request.
// The oracles read this and never the program's own tables.

export type Who = 'connector' | 'foreign'

export interface FieldEffect {
  readonly before: unknown
  readonly after: unknown
}

export interface Effect {
  readonly number: number
  readonly at: number
  readonly who: Who
  /** The request that caused it; 0 for what others did. */
  readonly request: number
  readonly kind:
    'create' | 'merge' | 'write' | 'delete' | 'term_on' | 'term_off' | 'make_term' | 'describe_term'
  /** 0 where it is about no contact. */
  readonly contact: number
  readonly fields: Readonly<Record<string, FieldEffect>>
  /** The stamp that the request's contact bore. */
  readonly stamp: string | undefined
  readonly term: number
}

/** One request as the service got it. */
export interface RequestEntry {
  readonly number: number
  /** Which life of the program sent it. */
  readonly life: number
  readonly sentAt: number
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** When the service counted it; undefined: it never came. */
  arrivedAt?: number
  /** When its effects happened. */
  appliedAt?: number
  /** What became of its answer on the way back. */
  answer?: string
  /** The connector has seen a whole and honest answer. */
  isAnswered: boolean
  status?: number
  fault?: string
}

/** What a read has shown of the mail_status of a contact, whether its answer came through or not. */
export interface Look {
  readonly request: number
  readonly contact: number
  readonly at: number
  /** By its id: a look-up by mail may take another page, and fail with that. */
  readonly isWhole: boolean
  readonly mail: string
  readonly status: number
  /** Who had set it. */
  readonly by: Who
}

/** A request for terms that a life has noted as on its way, and whose end it has not noted: whether it left is unknown. */
export interface Announced {
  readonly life: number
  readonly operation: number
  readonly at: number
  readonly contact: number
  /** The names that it was to give. */
  readonly gives: readonly string[]
}

export interface Ledger {
  readonly effects: readonly Effect[]
  readonly looks: readonly Look[]
  look(look: Look): void
  readonly announced: readonly Announced[]
  announce(announced: Announced): void
  /** This life has noted how these operations ended. */
  ended(life: number, operations: readonly number[]): void
  readonly requests: readonly RequestEntry[]
  add(effect: Omit<Effect, 'number'>): Effect
  open(request: Omit<RequestEntry, 'number' | 'isAnswered'>): RequestEntry
  watch(watcher: (effect: Effect) => void): void
}

export function createLedger(): Ledger {
  const effects: Effect[] = []
  const requests: RequestEntry[] = []
  const looks: Look[] = []
  const announced: Announced[] = []
  const watchers: ((effect: Effect) => void)[] = []
  return {
    effects,
    requests,
    looks,
    look: (look) => void looks.push(look),
    announced,
    announce: (one) => void announced.push(one),
    ended(life, operations) {
      const left = announced.filter((one) => one.life !== life || !operations.includes(one.operation))
      announced.splice(0, announced.length, ...left)
    },
    add(given) {
      const effect = { ...given, number: effects.length + 1 }
      effects.push(effect)
      for (const watcher of watchers) watcher(effect)
      return effect
    },
    open(given) {
      const request: RequestEntry = { ...given, number: requests.length + 1, isAnswered: false }
      requests.push(request)
      return request
    },
    watch(watcher) {
      watchers.push(watcher)
    },
  }
}

/** Whether a request asks for a change. */
export const isWrite = ({ method }: Pick<RequestEntry, 'method'>): boolean => method !== 'GET'
