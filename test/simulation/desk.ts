// A person's desk, as src/app/decisions/taking.ts sets it up: decisions are taken by the real code, with the state that is open.
import { correctRecord, dropCorrection } from '../../src/app/people/correcting.ts'
import { forgetContact } from '../../src/app/people/forgetting.ts'
import type { Desk } from '../../src/app/run/desk.ts'
import type { PipelineSettings, ServiceSettings, Settings } from '../../src/core/settings.ts'
import type { OwnedState } from '../../src/store/state-store.ts'

export interface Deciding {
  readonly file: string
  readonly state: OwnedState
  readonly service: ServiceSettings
  readonly pipelines: readonly PipelineSettings[]
  readonly wall: () => number
  readonly trace: (text: string) => void
}

/** What a person decides between two runs. Throws as the commands do. */
export interface Decisions {
  /** `audit forget`: the contacts of those who were erased. */
  forget(contact: string): Promise<readonly number[]>
  /** `correct`. */
  correct(pipeline: string, key: string, fields: Readonly<Record<string, string>>): Promise<void>
  /** `corrections drop`. */
  dropCorrection(id: number): Promise<void>
}

export function decisionsOf({ file, state, service, pipelines, wall, trace }: Deciding): Decisions {
  const settings = {
    // A folder that is not there: what was archived is judged by what it was archived without.
    pipelines: pipelines.map((one) => ({ ...one, source: { ...one.source, folder: `${file}-inbox` } })),
    ...{ service, state: { path: file }, log: {}, consents: {} },
  } as unknown as Settings
  const decided = { by: 'a person', mode: 'cli' } as unknown as Desk['decided']
  const about: Desk['about'] = (pipeline) => ({
    ...{ at: wall(), runId: 'a-person', pipeline, configHash: '', decided },
  })
  const desk: Desk = {
    ...{ settings, state, signal: new AbortController().signal, decided, decision: undefined },
    ...{ about, ask: () => undefined, tell: trace },
    conclude: (effects, entries) => state.concludeDecision(0, { at: wall(), effects, entries }),
  }
  return {
    forget: async (contact) => (await forgetContact(desk, { contact })).contact_ids,
    async correct(pipeline, key, fields) {
      await correctRecord(desk, { pipeline, record: `key:${key}`, fields })
    },
    async dropCorrection(id) {
      await dropCorrection(desk, { id })
    },
  }
}
