// The brake before a mailing: whether a term that many contacts are to be given goes to all of them, to a few first, or waits. Pure.
//
//   phase      what is asked for                                             step
//   none       with those given within `watch`, not more than `above`        all of it is given
//   none       more                                                          the first are drawn and given; the rest waits
//   watching   the first have not been given for `watch` yet                 all of it waits
//   watching   they have been                                                they are read again
//   held       anything                                                      waits for a release
//
// Counted is what is granted, in the transaction that grants it: what is under way counts from the moment at which it may go.
import type { Provenance } from '../../mapping/record.ts'
import { shareText } from '../../words/format.ts'

export interface BrakeRule {
  readonly terms: readonly string[]
  /** So many contacts within `watch` are given the term without a look. */
  readonly above: number
  /** How many get it first where there are more. */
  readonly first: number
  /** Milliseconds. */
  readonly watch: number
  /** Shares of the first, from 0 to 1, at which the rest is held; undefined: not looked at. */
  readonly stop_when: { readonly unsubscribed?: number | undefined; readonly refused?: number | undefined }
}

/** What the state knows of a term. */
export interface BrakeNumbers {
  readonly phase: 'none' | 'watching' | 'held'
  /** Granted within `watch`, since the brake was last released. */
  readonly given: number
  /** Asked for, and free to go. */
  readonly asked: number
  /** The first: drawn, and given for how long at least (milliseconds); undefined while one of them was not. */
  readonly first: { readonly drawn: number; readonly since: number | undefined }
}

export type BrakeStep = 'nothing' | 'give_all' | 'give_first' | 'wait' | 'look'

export function brakeStep(numbers: BrakeNumbers, { above, watch }: BrakeRule): BrakeStep {
  const { phase, given, asked, first } = numbers
  if (phase === 'held') return asked > 0 ? 'wait' : 'nothing'
  if (phase === 'watching') return first.since !== undefined && first.since >= watch ? 'look' : 'wait'
  if (asked === 0) return 'nothing'
  return given + asked > above ? 'give_first' : 'give_all'
}

/** What the first look like after `watch`. */
export interface FirstSeen {
  readonly drawn: number
  /** mail_status 2 now, and not before. */
  readonly unsubscribed: number
  /** mail_status 1 now, and not before. */
  readonly refused: number
}

/** `2 of 50 unsubscribed (4%), 0 were blocked (0%)` */
export const firstSeenText = ({ drawn, unsubscribed, refused }: FirstSeen): string =>
  `${unsubscribed} of ${drawn} unsubscribed (${shareText(drawn === 0 ? 0 : unsubscribed / drawn)}), ${refused} were blocked (${shareText(drawn === 0 ? 0 : refused / drawn)})`

/** Whether a share is reached at which the rest is held. */
export function reachesStop(
  { drawn, unsubscribed, refused }: FirstSeen,
  { stop_when: at }: BrakeRule,
): boolean {
  const reached = (number: number, share: number | undefined): boolean =>
    share !== undefined && number > 0 && number >= share * drawn
  return reached(unsubscribed, at.unsubscribed) || reached(refused, at.refused)
}

/** A term that a record asks for while its brake decides. */
export interface BrakedTerm {
  readonly key: string
  /** As the record spells it. */
  readonly name: string
}

/** What a record asks for; `isAlone`: there is nothing else to be changed. */
export interface RecordAsks {
  readonly key: string
  readonly terms: readonly BrakedTerm[]
  readonly isAlone: boolean
  readonly source: Pick<Provenance, 'file' | 'line'>
}

/** A term that a record asks for and that the brake gives, or does not give yet. */
export interface BrakeAsk {
  readonly id: number
  readonly term: string
  readonly name: string
  readonly pipeline: string
  readonly key: string
  /** The record that asks for it. */
  readonly source: Pick<Provenance, 'file' | 'line'>
  /** One of those that get it first. */
  readonly isFirst: boolean
  /** The run that noted it as the only change of its record; undefined where the record had others. */
  readonly aloneIn: string | undefined
}

/** One of the first, with the mail_status that it had before (undefined: not known). */
export interface FirstAsk {
  readonly id: number
  readonly contactId: number
  readonly before: number | undefined
}

/** A term that waits. */
export interface BrakeStanding {
  readonly term: string
  readonly name: string
  readonly phase: 'watching' | 'held'
  /** The run in which it began to wait. */
  readonly runId: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Why the rest is held; undefined while the first are watched. */
  readonly figures: string | undefined
  readonly waiting: readonly { readonly pipeline: string; readonly asks: number }[]
}

export interface BrakeStore {
  /** Keys of records of the pipeline that ask for a term of a brake. */
  askedKeys(pipeline: string): Promise<ReadonlySet<string>>
  /** Decides about a term, and grants what may go, in one transaction. */
  stepBrake(term: string, rule: BrakeRule, at: { now: number; runId: string }): Promise<BrakeStep>
  /** Granted, and not on its way yet; of records with a contact. */
  grantedAsks(pipeline: string): Promise<readonly BrakeAsk[]>
  /** Granted asks of the pipeline that are not known to be given. */
  openGrants(pipeline: string): Promise<readonly BrakeAsk[]>
  noteBefore(ask: number, before: number | undefined): Promise<void>
  notedAsGiven(asks: readonly number[], now: number): Promise<void>
  /** Not asked for any more until their records change. */
  dropAsks(asks: readonly number[]): Promise<void>
  firstAsks(term: string): Promise<readonly FirstAsk[]>
  /** What the look at the first led to: the rest is granted, or held with the figures. */
  concludeBrake(term: string, ended: { opens: boolean; figures: string; now: number }): Promise<void>
  brakes(): Promise<readonly BrakeStanding[]>
}

/** How many contacts of a pipeline wait for a term, by what the brake of the term does. */
export function waitingForBrakes(
  brakes: readonly BrakeStanding[],
  pipeline: string,
): Readonly<Record<BrakeStanding['phase'], number>> {
  const sum = { watching: 0, held: 0 }
  for (const { phase, waiting } of brakes)
    for (const one of waiting) if (one.pipeline === pipeline) sum[phase] += one.asks
  return sum
}
