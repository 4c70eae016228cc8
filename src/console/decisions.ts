// What users of the console may decide: for each kind the fields of its form, the arguments of the decision, and what is said
// before it is confirmed. Pure; the state's owner takes the decision.
import type { Correction } from '../core/change/others/correction.ts'
import type { HeldPlan } from '../core/state.ts'
import type { CorrectableReject } from './data.ts'
import { number, plural } from '../core/words/format.ts'

/** Field by field as a form was sent. */
export type FormFields = Readonly<Record<string, string>>

/** A decision that waits for its confirmation. */
export interface Proposed {
  readonly kind: string
  readonly args: unknown
  readonly title: string
  /** What will happen, in sentences. */
  readonly says: readonly string[]
  readonly button: string
  /** Where to continue. */
  readonly back: string
  /** It changes nothing, so no reason is asked for and the sync log has no entry of it. */
  readonly isTest?: true
}

interface Known {
  readonly pipelines: readonly string[]
  readonly plans: readonly HeldPlan[]
  /** That the form names. */
  readonly correction?: Correction | undefined
  /** Of alerts. */
  readonly receivers: readonly string[]
}

type Propose = (fields: FormFields, known: Known) => Omit<Proposed, 'kind'> | undefined

const pipelineIn = ({ pipeline = '' }: FormFields, { pipelines }: Known): string | undefined =>
  pipelines.find((name) => name === pipeline)

const ofPipeline =
  (make: (pipeline: string) => Omit<Proposed, 'kind'>): Propose =>
  (fields, known) => {
    const pipeline = pipelineIn(fields, known)
    return pipeline === undefined ? undefined : make(pipeline)
  }

const heldSays = (plans: readonly HeldPlan[]): readonly string[] =>
  plans.map(
    ({ pipeline, guard, left, reason }) =>
      `${pipeline}: ${plural(left, 'change')} held by ${guard}: ${reason}.`,
  )

/** Where one release may not be enough. */
function approvalSays(plans: readonly HeldPlan[]): readonly string[] {
  const needed = Math.max(0, ...plans.map((plan) => plan.needed))
  if (needed === 0) return []
  return [
    `${plural(needed, 'different approver')} must release some of them; this counts as one. What still waits for others stays held.`,
  ]
}

/** Of a run, or of one record of it. */
const held =
  (words: { verb: string; then: string }): Propose =>
  ({ run = '', key = '', pipeline = '' }, { plans }) => {
    const isOne = key !== ''
    // A brake holds records of several pipelines in one run.
    const those = plans.filter((plan) => plan.runId === run && (!isOne || plan.pipeline === pipeline))
    if (those.length === 0) return undefined
    const all = those.reduce((sum, { left }) => sum + left, 0)
    const remaining = those.some((plan) => plan.left < plan.number)
    const what = isOne ? `the changes of record ${key} of ${pipeline}` : plural(all, 'change')
    return {
      args: {
        run,
        ...(isOne ? { key, pipeline } : {}),
        ...(words.verb === 'Release' ? { remaining } : {}),
      },
      title: `${words.verb} ${what} of run ${run}`,
      says: [
        ...(isOne ? [] : heldSays(those)),
        ...(!isOne && remaining ? ['Some have been overtaken since; it is about the others.'] : []),
        ...approvalSays(words.verb === 'Release' ? those : []),
        words.then,
      ],
      button: `${words.verb} ${isOne ? 'these changes' : `${number(all)} changes`}`,
      back: '/held',
    }
  }

const PROPOSALS: Readonly<Record<string, Propose>> = {
  run: ofPipeline((pipeline) => ({
    args: { pipeline, rejectsOnly: false },
    title: `Run ${pipeline} now`,
    says: [
      'The files that wait are read, and what has changed is sent, within the rate limit.',
      'The run takes its turn: if one of this pipeline is active, it begins after that.',
    ],
    button: 'Run now',
    back: '/runs',
  })),
  'rejects retry': ofPipeline((pipeline) => ({
    args: { pipeline, rejectsOnly: true },
    title: `Retry the rejected records of ${pipeline}`,
    says: [
      'They are read again as they were received, under the mapping in force, and sent where it accepts them.',
    ],
    button: 'Retry them',
    back: '/rejects',
  })),
  pause: ofPipeline((pipeline) => ({
    args: { pipelines: [pipeline] },
    title: `Pause ${pipeline}`,
    says: [
      'The pipeline sends nothing until it is resumed, also after a restart. A run that is active ends in good order.',
      'Files stay where they are.',
    ],
    button: 'Pause it',
    back: '/',
  })),
  resume: ofPipeline((pipeline) => ({
    args: { pipelines: [pipeline] },
    title: `Resume ${pipeline}`,
    says: ['The pipeline runs again. What was due meanwhile runs once, now.'],
    button: 'Resume it',
    back: '/',
  })),
  'alerts test': (_, { receivers }) =>
    receivers.length === 0
      ? undefined
      : {
          args: {},
          title: 'Send a test message',
          says: [
            `Each receiver gets one message now, marked as a test: ${receivers.join(', ')}.`,
            'Open alerts stay as they are. It may take ten seconds until all have answered.',
          ],
          button: `Send ${plural(receivers.length, 'message')}`,
          back: '/alerts',
          isTest: true,
        },
  'held release': held({
    verb: 'Release',
    then: 'The next run sends exactly these, unless newer data of the source arrives first.',
  }),
  'held drop': held({
    verb: 'Drop',
    then: 'None of these is made, and none is planned again before its record, or its absence, changes.',
  }),
  'doubts resolve'({ id = '', verdict = '', contact = '' }) {
    const isDone = verdict === 'done'
    if (!/^[1-9]\d{0,14}$/.test(id) || (!isDone && verdict !== 'not-done')) return undefined
    if (contact !== '' && !/^[1-9]\d{0,14}$/.test(contact)) return undefined
    const named = contact === '' ? {} : { contactId: Number(contact) }
    return {
      args: { id: Number(id), verdict: isDone ? { done: true, ...named } : { done: false } },
      title: `Operation ${id}: ${isDone ? 'it was done' : 'it was not done'}`,
      says: [
        isDone
          ? `It is settled as done${contact === '' ? '' : `, with contact ${contact}, which is looked up first`}; it is not sent again.`
          : 'The next run tries it again. If it was done after all, a contact may be made twice: look it up in the service first.',
        'It is taken as soon as no run is active.',
      ],
      button: isDone ? 'It was done' : 'It was not done',
      back: '/doubts',
    }
  },
  'corrections drop'(_, { correction }) {
    if (correction === undefined || correction.ended !== undefined) return undefined
    const { id, pipeline, key, field } = correction
    return {
      args: { id },
      title: `Drop the correction of ${field} of record ${key}`,
      says: [`What the source says counts again, from the next file of ${pipeline} on that has the record.`],
      button: 'Drop it',
      back: '/corrections',
    }
  },
  'edits release'(fields, known) {
    const pipeline = pipelineIn(fields, known)
    const { key = '', field = '' } = fields
    if (pipeline === undefined || key === '') return undefined
    return {
      args: { pipeline, key, ...(field === '' ? {} : { field }) },
      title: `Release the edit${field === '' ? 's' : ` of ${field}`} of record ${key}`,
      says: [
        'The next run sends what the source wants, over the value that was edited at the service. A value that is edited again before that run is kept again.',
      ],
      button: 'Release',
      back: '/edits',
    }
  },
}

/** Undefined where it names nothing that there is. */
export function proposalOf(kind: string, fields: FormFields, known: Known): Proposed | undefined {
  const propose = Object.hasOwn(PROPOSALS, kind) ? PROPOSALS[kind] : undefined
  const proposed = propose?.(fields, known)
  // A retry is a run of another kind.
  return proposed && { kind: kind === 'rejects retry' ? 'run' : kind, ...proposed }
}

/** Of what was typed for a rejected row, and accepted field by field. */
export function correctionProposal({ reject, fields, still }: CorrectableReject): Proposed {
  const { id, pipeline, key } = reject
  const changed = fields.flatMap(({ field, text, typed }) =>
    typed === undefined ? [] : [{ field, text, typed }],
  )
  const shown = (text: string): string => (text === '' ? 'blank' : `“${text}”`)
  return {
    kind: 'correct',
    args: {
      pipeline,
      record: `reject:${id}`,
      fields: Object.fromEntries(changed.map(({ field, typed }) => [field, typed])),
    },
    title: `Correct ${plural(changed.length, 'field')} of record ${key ?? ''}`,
    says: [
      ...changed.map(({ field, text, typed }) => `${field}: from ${shown(text)} to ${shown(typed)}.`),
      still === null
        ? `The mapping accepts the record with that; the next run of ${pipeline} sends it.`
        : `The record would still be rejected: ${still}.`,
      'What is set right holds until the source says something new about it.',
    ],
    button: `Correct ${plural(changed.length, 'field')}`,
    back: '/rejects',
  }
}
