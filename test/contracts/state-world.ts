// A state and the few sentences in which its contract speaks: records that are read and planned, changes that are sent and end.
import { difference } from '../../src/core/change/diff.ts'
import { recordFingerprint } from '../../src/core/change/fingerprint.ts'
import { unlessMerged } from '../../src/core/change/merged-create.ts'
import type { Operation, Settled, Settlement, StagedOperation } from '../../src/core/change/operation.ts'
import { stepFields } from '../../src/core/change/steps.ts'
import type { Contact } from '../../src/core/mapping/contact.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import type {
  StagedBody,
  StagedEntry,
  StagedInput,
  StagedRecord,
  StagingRules,
} from '../../src/core/state.ts'
import type { TestState } from '../support/state/memory-state.ts'

export interface Person {
  readonly key: string
  readonly contact: Contact
  readonly terms?: readonly string[]
  readonly givesUp?: readonly string[]
}

const POLICY = { terms: { policy: 'managed' } } as Pick<PipelineSettings, 'terms'>

const MERGES = { writes: 'all', household: undefined, duplicate_check_method: 'auto' } as const

export const person = (key: string, fields: Contact = {}, terms?: readonly string[]): Person => ({
  key,
  contact: { mail: `${key.toLowerCase()}@x.example`, ...fields },
  ...(terms === undefined ? {} : { terms }),
})

const printOf = ({ key, contact, terms, givesUp }: Person): string =>
  recordFingerprint('', { values: [key, JSON.stringify([contact, terms, givesUp])] } as never)

function recordOf(one: Person, file: string, line: number): StagedRecord {
  return { source: { file, line }, values: [one.key], text: undefined, fingerprint: printOf(one) }
}

type Full = NonNullable<Parameters<TestState['commitPlan']>[2]>

export interface Reading {
  readonly pipeline?: string
  readonly run?: string
  readonly version?: string
  /** Keys of rows that were rejected; blank: its key cannot be read. */
  readonly rejected?: readonly string[]
  readonly present?: readonly string[]
  readonly rules?: StagingRules
  readonly full?: Full
}

export interface World {
  readonly state: TestState
  /** Reads records and stages what differs, without the end of the plan. */
  read(people: readonly Person[], how?: Reading): Promise<StagedInput>
  /** The same to the plan that stands. */
  plan(people: readonly Person[], how?: Reading): Promise<StagedInput>
  /** Sends what is planned, step by step, each ended as `end` says; in the order of sending. */
  send(end?: (operation: Operation) => Partial<Settled>, run?: string): Promise<string[]>
}

/** A step that is done: a create gives the contact whose id is the number in its key. */
export function done({ kind, contactId, key, fields, terms, consent, carried }: Operation): Partial<Settled> {
  const settlement: Settlement = { kind: 'done', contactId: contactId ?? Number(key.replaceAll(/\D/g, '')) }
  const asserts = terms?.asserts.map((name) => ({ name, ours: true })) ?? []
  return {
    settlement,
    sent: stepFields({ kind, fields, consent, carried }),
    ...(kind === 'terms'
      ? { terms: { added: terms?.add ?? [], removed: terms?.remove ?? [], asserts } }
      : {}),
    ...(kind === 'consent' ? { status: 'taken' as const } : {}),
  }
}

export const ended = (settlement: Settlement) => (): Partial<Settled> => ({ settlement })

export const AT = Date.UTC(2026, 0, 1)

export const aboutRun = (runId: string) => ({ at: AT, runId, configHash: 'h' })

export function worldOver(state: TestState): World {
  const bodyOf = async (one: Person, pipeline: string): Promise<StagedBody> => {
    const [known] = await state.known(pipeline, [one.key])
    const { contact, terms, givesUp } = one
    const desired = { contact, terms, ...(givesUp === undefined ? {} : { givesUp }) }
    const found = known ?? { link: undefined, inDoubt: false }
    const decided = unlessMerged(difference(desired, found, POLICY), found, MERGES)
    const linked = { linkId: known?.link?.id ?? 0, contactId: known?.link?.contactId ?? 0 }
    const as = (operation: StagedOperation): StagedBody => ({
      kind: 'operation',
      key: one.key,
      desired,
      operation,
    })
    switch (decided.kind) {
      case 'unchanged':
        return { kind: 'unchanged', linkId: linked.linkId }
      case 'waiting':
        return as({ state: 'waiting' })
      case 'held':
        if (decided.create !== undefined) return as({ ...decided.create, state: 'held', kind: 'create' })
        return as({ state: 'held', fields: one.contact, ...linked, reason: decided.reason })
      case 'rejected':
        return { kind: 'rejected', key: one.key, code: decided.code, reason: decided.reason }
      case 'create':
        return as({ ...decided, state: 'planned' })
      case 'update':
        return as({ ...decided, ...linked, state: 'planned' })
    }
  }
  const read: World['read'] = async (people, how = {}) => {
    const { pipeline = 'shop', run = 'r1', version = `${run} ${people.length}` } = how
    const input = { name: `${version}.csv`, version, bytes: 1 }
    const staged = await state.beginInput({ runId: run, pipeline, input, header: ['no'] })
    const settled = await state.matchFingerprints(staged, people.map(printOf))
    const entries: StagedEntry[] = []
    for (const [index, one] of people.entries()) {
      const line = index + 2
      const linkId = settled[index]
      const [known] = await state.known(pipeline, [one.key])
      const link = linkId ?? known?.link?.id
      const identity = link === undefined ? { key: one.key, line } : { linkId: link, line }
      const [earlier] = await state.claim(staged, [identity], 'first')
      const record = recordOf(one, input.name, line)
      const isDouble = { kind: 'rejected', key: one.key, code: 'KEY_DUPLICATE', reason: 'twice' } as const
      if (earlier !== undefined) entries.push({ record, ...isDouble })
      else if (linkId === undefined) entries.push({ record, ...(await bodyOf(one, pipeline)) })
    }
    const rejected = (how.rejected ?? []).map((key, index): StagedEntry => {
      const record = recordOf(person(key), input.name, people.length + 2 + index)
      const own = key === '' ? undefined : key
      return { record, kind: 'rejected', key: own, code: 'FIELD_INVALID', reason: 'bad' }
    })
    await state.stageBatch(staged, { entries: [...entries, ...rejected], present: how.present ?? [] })
    await state.completeStaging(staged, how.rules ?? {})
    return staged
  }
  return {
    state,
    read,
    async plan(people, how = {}) {
      const staged = await read(people, how)
      await state.inputNumbers(staged)
      await state.commitPlan(staged, `sum of ${staged.input.version}`, how.full)
      return staged
    },
    async send(end = done, run = 'r1') {
      const steps: string[] = []
      for (;;) {
        const [operation] = await state.takeToSend(run, undefined, 1)
        if (operation === undefined) return steps
        steps.push(`${operation.kind} ${operation.key}`)
        await state.markSending([operation])
        const settled = { operation, request: undefined, ...done(operation), ...end(operation) } as Settled
        await state.settleBatch([settled], aboutRun(run))
      }
    },
  }
}
