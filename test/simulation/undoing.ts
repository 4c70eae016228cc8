// A person undoes runs, soon after they ended or were cut off, under the same faults as all else. The next export says what it said
// before: in the end all must be as if nothing had been undone.
import type { PipelineSettings } from '../../src/core/settings.ts'
import { type Claims, pipelineOf } from './claims.ts'
import { readingOf, type Wanted } from './expected.ts'
import type { Effect, Ledger } from './ledger.ts'
import { checkResult } from './records.ts'
import type { SimulatedService } from './simulated-service.ts'
import type { SimulatedSource } from './simulated-source.ts'
import { beginLife, type World } from './world.ts'

const UNDO_LIMIT_MS = 24 * 3_600_000
/** How many of the latest runs may be chosen. */
const LATEST = 4

export interface BegunRun {
  readonly runId: string
  readonly pipeline: string
  readonly at: number
}

export interface UndoneRun extends BegunRun {
  readonly deleteCreated: boolean
  readonly addedTerms: boolean
}

async function undoOne(pipeline: PipelineSettings, undone: UndoneRun, world: World): Promise<void> {
  const { program, timeline, undoneRuns, say, violated } = world
  const { runId, deleteCreated, addedTerms } = undone
  undoneRuns.push(undone)
  say(
    `run ${runId} is undone${deleteCreated ? ', its creates too' : ''}${addedTerms ? ', its terms too' : ''}`,
  )
  const work = program.undo(pipeline, { run: runId, deleteCreated, addedTerms })
  const crash = program.life.crashed.then((point) => ({ point }))
  const ended = await timeline.until(Promise.race([work, crash]), UNDO_LIMIT_MS)
  if (!('point' in ended)) return checkResult(ended, violated)
  say(`CRASH ${ended.point}`)
  world.crashes += 1
  world.withdrawals.ended(0, false)
  world.handTerms.brokeOff(0)
  beginLife(world)
}

/** Those that changed something at the service, as far as the time tells. */
function busyRuns({ begun, ledger }: World): readonly BegunRun[] {
  return begun.filter(({ pipeline, at }, index) => {
    const next = begun.find((one, place) => place > index && one.pipeline === pipeline)?.at ?? Infinity
    return ledger.effects.some((effect) => effect.who === 'connector' && effect.at >= at && effect.at <= next)
  })
}

/** No run is active. */
export async function undoRuns(world: World): Promise<void> {
  const { schedule, chance, begun, setup } = world
  if (schedule.isUndone !== true) return
  const draws = chance.stream(`undo ${begun.length}`)
  for (let turn = draws.int(3); turn > 0; turn -= 1) {
    const busy = busyRuns(world)
    const run = busy.at(-1 - draws.int(Math.min(LATEST, Math.max(1, busy.length))))
    const pipeline = setup.pipelines.find(({ name }) => name === run?.pipeline)
    if (run === undefined || pipeline === undefined) continue
    const how = { deleteCreated: draws.happens(0.7), addedTerms: draws.happens(0.2) }
    await undoOne(world.forms.now(pipeline), { ...run, ...how }, world)
  }
}

interface Undone {
  readonly claims: Claims
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly pipelines: readonly PipelineSettings[]
  readonly sources: ReadonlyMap<string, SimulatedSource>
  readonly undoneRuns: readonly UndoneRun[]
}

/** What any export has said of the record: others may have written the same. */
function saidOf(stamp: string, { pipelines, sources }: Undone): readonly Wanted[] {
  const pipeline = pipelines.find(({ name }) => name === pipelineOf(stamp))
  if (pipeline === undefined) return []
  const files = sources.get(pipeline.name)?.opened ?? []
  return files.flatMap((file) =>
    [...readingOf(file, pipeline).wanted.values()].filter((wanted) => wanted.stamp === stamp),
  )
}

/** A contact that an undone run made, and that showed nothing of others when it was looked at, may be deleted. */
export function isUndoneCreate(effect: Effect, undone: Undone): boolean {
  const { claims, ledger, service, undoneRuns } = undone
  const contact = service.contacts.all.get(effect.contact)
  const stamps = claims.stampsOf(effect.contact)
  const made = ledger.effects.find(
    ({ kind, contact: id, who }) => kind === 'create' && id === effect.contact && who === 'connector',
  )
  if (contact === undefined || made === undefined || stamps.length !== 1) return false
  const isAsked = undoneRuns.some(
    ({ deleteCreated, pipeline, at }) =>
      deleteCreated && pipeline === pipelineOf(stamps[0] ?? '') && at <= made.at,
  )
  const path = `/contact/${effect.contact}`
  const lookedAt = (asked: string): number | undefined =>
    ledger.requests.findLast(
      ({ method, path: of, number, appliedAt }) =>
        method === 'GET' && of.split('?')[0] === asked && number < effect.request && appliedAt !== undefined,
    )?.appliedAt
  const [looked, termsLooked] = [lookedAt(path), lookedAt(`${path}/terms`)]
  if (!isAsked || looked === undefined || termsLooked === undefined) return false
  const said = saidOf(stamps[0] ?? '', undone)
  const isSaid = (field: string, value: unknown): boolean =>
    said.some(({ status, fields }) => (field === 'mail_status' ? status : fields[field]) === value)
  const isSaidTerm = (term: number): boolean =>
    said.some(({ terms }) => terms.includes(service.terms.get(term)?.name ?? ''))
  const isStrange = ({ who, kind, contact: id, at, fields, term }: Effect): boolean => {
    if (who !== 'foreign' || id !== effect.contact) return false
    if (at >= (kind === 'term_on' ? termsLooked : looked)) return false
    if (kind === 'term_on') return contact.terms.get(term) === 'foreign' && !isSaidTerm(term)
    return Object.keys(fields).some((field) => {
      const cell = contact.fields.get(field)
      return cell?.by === 'foreign' && cell.value !== '' && !isSaid(field, cell.value)
    })
  }
  return !ledger.effects.some(isStrange)
}

/** Terms of a contact that may go although its pipeline only adds them. */
export const isUndoneTerm = (
  contact: number,
  { claims, undoneRuns }: Pick<Undone, 'claims' | 'undoneRuns'>,
): boolean =>
  undoneRuns.some(
    ({ addedTerms, pipeline }) =>
      addedTerms && claims.stampsOf(contact).some((stamp) => pipelineOf(stamp) === pipeline),
  )
