// What must never happen in a fleet, judged from outside: from the rows of the leases, the ledger of the service and the list
// of the processes that live, and from nothing that a worker says of itself.
import { LEASE_MS } from '../../../src/store/postgres/workers.ts'
import { type Claims, pipelineOf } from '../claims.ts'
import { isKnownUndone } from '../faults.ts'
import { isWrite, type Ledger, type RequestEntry } from '../ledger.ts'
import type { SimulatedService } from '../simulated-service.ts'
import type { FleetProcess } from './process.ts'
import { EVERY_MS } from './setup.ts'

/** How long a pipeline may have no worker, beside the lease of the one that is gone. */
const TAKEN_MS = 5000
/** A run that is due begins within that, once its worker has the pipeline. */
const BEGUN_MS = 5000

type Violated = (oracle: string, text: string) => void

interface Seen {
  readonly now: number
  /** How long all stood still so far while a statement was slow: in a real fleet the others go on. */
  readonly slowMs: number
  /** When the clock of the database was set back last: the lease of a worker that is gone begins again. */
  readonly setBackAt: number
  /** By pipeline, when its last run has begun: it may have ended before anybody looked. */
  readonly begunAt: ReadonlyMap<string, number>
  /** By pipeline. */
  readonly leases: ReadonlyMap<string, number>
  readonly processes: readonly FleetProcess[]
  /** Those that can work: alive, awake and joined. */
  readonly usable: readonly FleetProcess[]
}

/** One worker that could have had it has been there for so long. */
const longestUsable = ({ now, usable }: Seen): number =>
  Math.max(0, ...usable.map(({ usableSince = now }) => now - usableSince))

/** F1: no pipeline idle for longer than the lease of a worker that is gone, and five seconds. */
export function watchIdleness(pipelines: readonly string[], violated: Violated): (seen: Seen) => void {
  const idleSince = new Map<string, { readonly now: number; readonly slowMs: number }>()
  const owners = new Map<string, number | undefined>()
  return (seen) => {
    const { now, slowMs, leases, usable } = seen
    for (const pipeline of pipelines) {
      const owner = leases.get(pipeline)
      const isHeld = usable.some(({ fence }) => fence !== undefined && fence === owner)
      // One that took it and was gone before anybody looked has a lease of its own.
      const isTaken = owner !== undefined && owner !== owners.get(pipeline)
      owners.set(pipeline, owner)
      if (isHeld || isTaken) idleSince.delete(pipeline)
      else if (!idleSince.has(pipeline)) idleSince.set(pipeline, seen)
      const since = idleSince.get(pipeline) ?? seen
      const idleMs = Math.min(
        now - Math.max(since.now, seen.setBackAt) - (slowMs - since.slowMs),
        longestUsable(seen),
      )
      if (idleMs <= LEASE_MS + TAKEN_MS) continue
      violated('F1', `no worker at work has had ${pipeline} for ${idleMs / 1000} s`)
      idleSince.set(pipeline, seen)
    }
  }
}

/** A run that a worker began by a clock that is ahead is passed over once by the next worker, by whose clock it is yet due. */
const passedOverMs = ({ processes }: Seen): number =>
  processes.some(({ life }) => life.clockOffMs > 0) ? EVERY_MS : 0

/** F2: what waits at the source of a pipeline is begun in time, where nothing keeps its runs from beginning. */
export function watchWaiting(
  pipelines: readonly string[],
  isWaiting: (pipeline: string) => boolean,
  violated: Violated,
): (seen: Seen) => void {
  const waitingSince = new Map<string, number>()
  return (seen) => {
    for (const pipeline of pipelines) {
      const isActive = seen.usable.some(({ active }) => active.has(pipeline))
      if (!isWaiting(pipeline) || isActive) waitingSince.delete(pipeline)
      else if (!waitingSince.has(pipeline)) waitingSince.set(pipeline, seen.now)
      const { now, setBackAt, begunAt } = seen
      const since = Math.max(waitingSince.get(pipeline) ?? now, setBackAt, begunAt.get(pipeline) ?? -Infinity)
      const forMs = Math.min(now - since, longestUsable(seen))
      if (forMs <= LEASE_MS + TAKEN_MS + EVERY_MS + BEGUN_MS + passedOverMs(seen)) continue
      violated('F2', `an export of ${pipeline} waits for ${forMs / 1000} s, and no run begins`)
      waitingSince.set(pipeline, seen.now)
    }
  }
}

const stampsIn = (body: unknown): readonly string[] => [
  ...new Set(JSON.stringify(body ?? null).match(/[A-D]\.canx\d+x/g) ?? []),
]

interface Sent {
  readonly entry: RequestEntry
  readonly process: number
  /** It could not create anything: the service had its mail when it was sent first, and looks for mails. */
  readonly isUpdate: boolean
}

/**
 * F3: what changes a contact leaves from the worker that has the pipeline, and from no other. F4: a create that one worker sent
 * is sent by another one only after a look that began after it. (An update, also one in a bulk call, or terms are sent
 * again without a look: they are the same twice. So is a create whose sender was told that nothing was carried out.)
 */
export function watchRequests({
  ledger,
  claims,
  service,
  violated,
}: {
  ledger: Ledger
  claims: Claims
  service: Pick<SimulatedService, 'contacts'>
  violated: Violated
}): (by: { process: number; fence: number; leases: ReadonlyMap<string, number> }) => void {
  const sent = new Map<string, Sent>()
  const looks: Omit<Sent, 'isUpdate'>[] = []

  const contactOf = ({ path }: RequestEntry): number => Number(/^\/contact\/(\d+)/.exec(path)?.[1] ?? 0)
  const stampsOf = (entry: RequestEntry): readonly string[] => {
    const named = stampsIn(entry.body)
    return named.length > 0 ? named : claims.stampsOf(contactOf(entry))
  }

  const isThere = (part: string): boolean =>
    [...service.contacts.all.values()].some(({ deleted, fields }) => {
      const mail = fields.get('mail')?.value
      return deleted === undefined && typeof mail === 'string' && part.includes(JSON.stringify(mail))
    })

  function checkTwice(entry: RequestEntry, process: number): void {
    if (entry.path !== '/contact' && entry.path !== '/contacts') return
    for (const part of partsOf(entry)) {
      const before = sent.get(part)
      const { duplicate_check_method: check } = entry.body as { duplicate_check_method?: unknown }
      const isUpdate = before?.isUpdate ?? (check === 'email' && isThere(part))
      sent.set(part, { entry, process, isUpdate })
      if (before === undefined || before.process === process || isUpdate) continue
      if (isKnownUndone(before.entry.fault)) continue
      const hasLooked = looks.some(
        (look) =>
          look.process === process && look.entry.number > before.entry.number && isAbout(look.entry, part),
      )
      if (!hasLooked)
        violated(
          'F4',
          `#${entry.number} of process ${process} is what process ${before.process} had sent as #${before.entry.number}, and nobody looked`,
        )
    }
  }

  return ({ process, fence, leases }) => {
    const entry = ledger.requests.at(-1)
    if (entry === undefined) return
    if (!isWrite(entry)) return void looks.push({ entry, process })
    const owners = [...new Set(stampsOf(entry).map(pipelineOf))].map((pipeline) => leases.get(pipeline))
    if (owners.length > 0 && !owners.includes(fence))
      violated(
        'F3',
        `#${entry.number} ${entry.method} ${entry.path} left from worker ${fence}, and the pipeline is that of ${owners.join(', ')}`,
      )
    checkTwice(entry, process)
  }
}

/** What a request says of each contact, as texts that are equal for the same operation. */
function partsOf({ body }: RequestEntry): readonly string[] {
  const { contact, contacts } = body as { contact?: unknown; contacts?: unknown }
  const all: readonly unknown[] = Array.isArray(contacts) ? contacts : [contact]
  return all.map((one) => JSON.stringify(one))
}

/** A look-up by the mail that is written. */
function isAbout({ path }: RequestEntry, part: string): boolean {
  const what = path.split('/')[2] ?? ''
  return what.includes('@') && part.includes(JSON.stringify(what))
}
