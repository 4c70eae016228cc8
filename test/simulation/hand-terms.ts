// Terms that a user takes from a contact while `hand_edits: keep` holds: what we gave once, and was taken since, is not given
// again unless the source has dropped it meanwhile or the edit was released.
import type { PipelineSettings } from '../../src/core/settings.ts'
import type { Forms } from './changing.ts'
import { type Claims, pipelineOf } from './claims.ts'
import { readingOf } from './expected.ts'
import type { Effect, Ledger, RequestEntry } from './ledger.ts'
import type { SimulatedService } from './simulated-service.ts'
import type { SimulatedSource } from './simulated-source.ts'
import type { BegunRun } from './undoing.ts'

export interface HandTermsAt {
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly claims: Claims
  readonly pipelines: readonly PipelineSettings[]
  readonly sources: ReadonlyMap<string, SimulatedSource>
  readonly undoneRuns: readonly BegunRun[]
  readonly forms: Forms
  readonly violated: (oracle: string, text: string) => void
}

export interface HandTerms {
  /** A user lets go that it was given or taken. */
  released(contact: number, term: string): void
  isReleased(contact: number, term: number): boolean
  /** The runs that sent the requests after this one broke off: what they were answered may not have been worked on. */
  brokeOff(after: number): void
}

interface Ours {
  readonly request: number
  readonly at: number
}

/**
 * When the terms of a contact were last looked at before this request, by the same life; the look that only verifies a
 * removal is none. A look of several pages counts from the first: what that showed is not asked for again.
 */
export function termsLookedAt(number: number, { requests }: Ledger): number | undefined {
  const request = requests[number - 1]
  const before = requests
    .slice(0, number - 1)
    .filter(({ path, life }) => path === request?.path && life === request.life)
  const isVerified = before.at(-1)?.method === 'GET' && before.at(-2)?.method === 'DELETE'
  const looks = isVerified ? before.slice(0, -2) : before
  const last = looks.findLastIndex(({ method, appliedAt }) => method === 'GET' && appliedAt !== undefined)
  const write = looks.slice(0, last + 1).findLastIndex(({ method }) => method !== 'GET')
  return looks.slice(write + 1, last + 1).find(({ appliedAt }) => appliedAt !== undefined)?.appliedAt
}

export function watchHandTerms(at: HandTermsAt): HandTerms {
  const { ledger, service, claims, pipelines, sources, undoneRuns, forms, violated } = at
  /** By contact and term: when we gave it, and when it was taken after that. */
  const ours = new Map<string, Ours>()
  const taken = new Map<string, number>()
  const unsure = new Set<number>()
  /** A list that is sent as a whole, whatever a user has changed in it. */
  const overwrites = new Set(
    pipelines
      .filter(({ terms, hand_edits: rule }) => terms.policy === 'replace' && rule === 'overwrite')
      .map(({ name }) => name),
  )
  const letGo = new Set<string>()
  const name = (contact: number, term: number): string => `${contact} ${term}`
  const termName = (term: number): string => service.terms.get(term)?.name ?? ''

  /** An export that was worked on since then does not want it for this contact. */
  const wasDropped = (stamp: string, term: number, since: number): boolean =>
    pipelines
      .filter((pipeline) => pipeline.name === pipelineOf(stamp))
      .some((pipeline) =>
        (sources.get(pipeline.name)?.opened ?? [])
          .filter(({ openedAt }) => openedAt >= since)
          .some((file) => {
            const then = forms.at(pipeline, file.openedAt)
            const row = [...readingOf(file, then).wanted.values()].find((one) => one.stamp === stamp)
            return row === undefined ? then.mode === 'full' : !row.terms.includes(termName(term))
          }),
      )

  const isSure = ({ request }: Ours): boolean =>
    !unsure.has(request) && ledger.requests[request - 1]?.isAnswered === true

  function judgeGiven({ contact, term, request: number }: Effect, before: Ours, takenAt: number): void {
    const request: RequestEntry | undefined = ledger.requests[number - 1]
    const stamps = claims.stampsOf(contact)
    const [stamp] = stamps
    // Another pipeline that wants the term has given nothing yet.
    if (stamp === undefined || stamps.length > 1 || request?.fault === 'late' || !isSure(before)) return
    if (overwrites.has(pipelineOf(stamp))) return
    const look = termsLookedAt(number, ledger)
    if (look !== undefined && takenAt >= look) return
    if (wasDropped(stamp, term, before.at)) return
    // An undo says what a source says that drops it.
    if (undoneRuns.some((run) => run.pipeline === pipelineOf(stamp) && run.at <= before.at)) return
    violated('hands', `${termName(term)} was given to contact ${contact} again, and a user had taken it`)
  }

  ledger.watch((effect) => {
    const { kind, who, contact, term, at: now, request } = effect
    if (kind !== 'term_on' && kind !== 'term_off') return
    const one = name(contact, term)
    const before = ours.get(one)
    const takenAt = taken.get(one)
    if (who === 'foreign' && kind === 'term_off' && before !== undefined) taken.set(one, now)
    if (who === 'foreign' && kind === 'term_on') taken.delete(one)
    if (who === 'foreign') return
    if (kind === 'term_on') {
      if (before !== undefined && takenAt !== undefined) judgeGiven(effect, before, takenAt)
      ours.set(one, { request, at: now })
    } else ours.delete(one)
    taken.delete(one)
  })

  return {
    isReleased: (contact, term) => letGo.has(`${contact} ${termName(term)}`),
    released(contact, term) {
      letGo.add(`${contact} ${term}`)
      for (const one of [...taken.keys()])
        if (one.startsWith(`${contact} `) && termName(Number(one.split(' ')[1])) === term) taken.delete(one)
    },
    brokeOff(after) {
      for (let number = after + 1; number <= ledger.requests.length; number += 1) unsure.add(number)
    },
  }
}
