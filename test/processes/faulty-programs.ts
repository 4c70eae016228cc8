// Programs that break one promise each, which the kills and the disturbed writes must notice: npm run kills -- --faulty.
import type { Replacement } from './mutant.ts'

export interface FaultyProgram {
  readonly name: string
  readonly noticedBy: 'kills' | 'disturbed' | 'lost deletes'
  /** The first one that is played: one that was seen to notice it. */
  readonly seed: number
  readonly replacements: readonly Replacement[]
}

export const FAULTY_PROGRAMS: readonly FaultyProgram[] = [
  {
    name: 'after a crash a create is sent again without a look',
    noticedBy: 'kills',
    seed: 2,
    replacements: [
      {
        file: 'store/journal/left-open.ts',
        from: 'AND kind NOT IN ${DOUBTFUL}`)',
        to: "AND kind <> 'delete'`)",
      },
    ],
  },
  {
    name: 'a create whose answer is lost counts as failed',
    noticedBy: 'disturbed',
    seed: 2,
    replacements: [
      {
        file: 'sync/send/settle.ts',
        from: "result.kind === 'unknown' && operation.kind === 'create'",
        to: "result.kind === 'absent' && operation.kind === 'create'",
      },
    ],
  },
  {
    name: 'what terms are about to be given is not in the journal',
    noticedBy: 'kills',
    seed: 4,
    replacements: [
      {
        file: 'sync/send/send-terms.ts',
        from: `  if (added.length + removed.length > 0)
    await context.state.markSending([work.operation], { terms: termMarks(work, added, removed) })`,
        to: '  if (added.length + removed.length > 0) await context.state.markSending([work.operation])',
      },
    ],
  },
  {
    name: 'what a killed run left beside a file stays there',
    noticedBy: 'kills',
    seed: 2,
    replacements: [{ file: 'sync/run.ts', from: '  await clearLeftovers(context)\n', to: '' }],
  },
  {
    name: 'a delete whose answer is lost counts as done',
    noticedBy: 'lost deletes',
    seed: 1,
    replacements: [
      {
        file: 'sync/send/send-delete.ts',
        from: "  if (result.kind === 'ok')\n    return settle(",
        to: "  if (result.kind === 'ok' || result.kind === 'unknown')\n    return settle(",
      },
    ],
  },
]
