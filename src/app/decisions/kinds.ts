// Everything that a person may decide: one row for each kind, with the form of its arguments and what takes it. The command
// line, the console and the socket know no other list. The results are JSON.
import { z } from 'zod'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { LeftAlone } from '../../core/log/undo.ts'
import { handOver } from '../handing-over.ts'
import { rebuildLogIndexes } from '../audit-files.ts'
import { correctRecord, dropCorrection, importCorrections } from '../people/correcting.ts'
import { forgetDateOrders } from '../people/date-orders.ts'
import { resolveDoubt } from '../people/doubts.ts'
import { AT_SERVICE } from '../people/erase-at-service.ts'
import { readmitContact } from '../people/forgetting.ts'
import { forgetEverywhere } from './forgetting-sessions.ts'
import { releaseEdits } from '../people/hand-edits.ts'
import { dropHeld, releaseHeld } from '../people/releasing.ts'
import { holdRepair } from '../people/repairing.ts'
import { dropPipeline, renamePipeline } from '../people/pipelines.ts'
import { renameTerm } from '../people/term-names.ts'
import type { WithWarnings } from '../run/run.ts'
import { pausePipelines, resumePipelines } from './pausing.ts'
import { acceptBeside, rebindBeside, rebuildBeside } from './of-state.ts'
import type { AskedRun, DaemonOwner, Taking } from './owner.ts'

interface Kind<Args, Result> {
  readonly args: z.ZodType<Args>
  /**
   * state: changes the state alone, between two operations of a run; of several workers one takes such decisions at a time, since each
   * counts what was decided before. rest: while no run is active. daemon: is about the runs or
   * the configuration of the daemon, or about no data at all, and is not written down.
   */
  readonly needs: 'state' | 'rest' | 'daemon'
  take(desk: Taking, args: Args): Promise<Result>
}

const kind = <Args, Result>(row: Kind<Args, Result>): Kind<Args, Result> => row

const text = z.string()
const names = z.array(text)
const held = { run: text, key: text.optional(), pipeline: text.optional() }

const correction = { pipeline: text, record: text, fields: z.record(text, text) }

/** A run that was asked for, and what an undo left as it is. */
export interface RunMade {
  readonly result: WithWarnings
  readonly left: readonly LeftAlone[]
}

const daemonOf = ({ owner: { daemon } }: Taking): DaemonOwner => {
  if (daemon === undefined) throw new Error('this process makes no runs for others')
  return daemon
}

async function asked(desk: Taking, run: AskedRun): Promise<RunMade> {
  const left: LeftAlone[] = []
  const result = await daemonOf(desk).run(run, {
    decided: desk.decided,
    report: (report) => desk.show({ report }),
    left: (one) => left.push(one),
  })
  return { result, left }
}

const undoArgs = z.strictObject({
  pipeline: text,
  run: text,
  contact: text.optional(),
  deleteCreated: z.boolean(),
  addedTerms: z.boolean(),
  /** Although the pipeline is paused. */
  evenPaused: z.boolean(),
})

async function reload(
  desk: Taking,
): Promise<{ problems: readonly string[]; at_next_start: readonly string[] }> {
  const { problems = [], atNextStart } = await daemonOf(desk).reload(desk.decided)
  return { problems, at_next_start: atNextStart }
}

/** The daemon is asked, so that no two write to one place. */
async function handOverNow(
  { owner, settings, state, signal }: Taking,
  { from }: { from?: number | undefined },
) {
  const { hand_over: wanted } = settings.audit
  if (wanted === undefined)
    throw new SyncError('CONFIG_INVALID', 'audit.hand_over is not configured', {
      hint: 'Name a place: audit: { hand_over: { to: "tls://siem.example.com:6514" } }',
    })
  const done = await (owner.daemon?.handOver(from) ?? handOver(state, wanted, { again: from, signal }))
  return { ...done, to: wanted.to }
}

export const KINDS = {
  'held release': kind({
    args: z.strictObject({ ...held, remaining: z.boolean() }),
    needs: 'state',
    take: releaseHeld,
  }),
  'held drop': kind({ args: z.strictObject(held), needs: 'state', take: dropHeld }),
  'edits release': kind({
    args: z.strictObject({ pipeline: text, key: text, field: text.optional() }),
    needs: 'state',
    take: releaseEdits,
  }),
  correct: kind({ args: z.strictObject(correction), needs: 'state', take: correctRecord }),
  'corrections drop': kind({
    args: z.strictObject({ id: z.number() }),
    needs: 'state',
    take: dropCorrection,
  }),
  'corrections import': kind({
    args: z.strictObject({ rows: z.array(z.strictObject({ ...correction, note: text.optional() })) }),
    needs: 'state',
    take: importCorrections,
  }),
  'drift repair': kind({
    args: z.strictObject({
      pipeline: text,
      contacts: z.array(z.strictObject({ key: text, names: z.array(text) })),
    }),
    needs: 'rest',
    take: holdRepair,
  }),
  pause: kind({ args: z.strictObject({ pipelines: names }), needs: 'state', take: pausePipelines }),
  resume: kind({ args: z.strictObject({ pipelines: names }), needs: 'state', take: resumePipelines }),
  'doubts resolve': kind({
    args: z.strictObject({
      id: z.number(),
      verdict: z.discriminatedUnion('done', [
        z.strictObject({ done: z.literal(true), contactId: z.number().optional() }),
        z.strictObject({ done: z.literal(false) }),
      ]),
    }),
    needs: 'rest',
    take: resolveDoubt,
  }),
  'audit forget': kind({
    args: z.strictObject({ contact: text, atService: z.enum(AT_SERVICE).optional() }),
    needs: 'rest',
    take: forgetEverywhere,
  }),
  'audit readmit': kind({ args: z.strictObject({ contact: text }), needs: 'rest', take: readmitContact }),
  'state rename-pipeline': kind({
    args: z.strictObject({ from: text, to: text }),
    needs: 'rest',
    take: renamePipeline,
  }),
  'state drop-pipeline': kind({ args: z.strictObject({ name: text }), needs: 'rest', take: dropPipeline }),
  'state forget-date-order': kind({
    args: z.strictObject({ pipeline: text, column: text.optional() }),
    needs: 'rest',
    take: forgetDateOrders,
  }),
  'state rebind': kind({
    args: z.strictObject({ address: text }),
    needs: 'rest',
    take: rebindBeside,
  }),
  'audit rebuild-index': kind({ args: z.strictObject({}), needs: 'rest', take: rebuildLogIndexes }),
  'audit hand-over': kind({
    args: z.strictObject({ from: z.number().optional() }),
    needs: 'daemon',
    take: handOverNow,
  }),
  'state rebuild': kind({
    args: z.strictObject({ pipelines: names }),
    needs: 'daemon',
    take: (desk, named) => rebuildBeside(desk, named, daemonOf(desk)),
  }),
  'state accept': kind({
    args: z.strictObject({ pipelines: names }),
    needs: 'daemon',
    take: (desk, named) => acceptBeside(desk, named, daemonOf(desk)),
  }),
  'terms rename': kind({ args: z.strictObject({ from: text, to: text }), needs: 'rest', take: renameTerm }),
  run: kind({
    args: z.strictObject({ pipeline: text, rejectsOnly: z.boolean() }),
    needs: 'daemon',
    take: (desk, { pipeline, rejectsOnly }) =>
      asked(desk, { kind: rejectsOnly ? 'rejects' : 'run', pipeline }),
  }),
  undo: kind({
    args: undoArgs,
    needs: 'daemon',
    take: (desk, { pipeline, evenPaused, contact, ...undo }) =>
      asked(desk, { kind: 'undo', pipeline, evenPaused, undo: { ...undo, contact } }),
  }),
  reload: kind({ args: z.strictObject({}), needs: 'daemon', take: reload }),
}

export type KindName = keyof typeof KINDS
export type ArgsOf<Name extends KindName> = Parameters<(typeof KINDS)[Name]['take']>[1]
export type ResultOf<Name extends KindName> = Awaited<ReturnType<(typeof KINDS)[Name]['take']>>

export const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name)

/** One decision, as a command makes it. */
export interface Deciding<Name extends KindName> {
  readonly kind: Name
  readonly args: ArgsOf<Name>
  readonly decided: DecidedBy
}
