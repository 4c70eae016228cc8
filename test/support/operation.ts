// An operation with what a test is about changed (of a record, on its way, nothing sent before), and what becomes of it.
import { afterStep, type AfterStep, type Questions } from '../../src/core/change/after-step.ts'
import type { Operation, OperationKind, Settled, Settlement } from '../../src/core/change/operation.ts'

export const operationWith = (own: Partial<Operation> & { kind: OperationKind }): Operation => ({
  ...{ id: 1, runId: 'r', pipeline: 'shop', key: 'K1', mailKey: undefined, contactId: 7 },
  ...{ fields: {}, desired: {}, known: {}, unsure: [], terms: undefined, asserted: undefined },
  ...{ consent: undefined, isFresh: false, carried: undefined, outcome: undefined, cause: 'record' },
  ...{ undoes: undefined, source: { file: 'a.csv', line: 2 }, state: 'sending', sent: 1, swallowed: 0 },
  ...{ guard: undefined, needed: 0, absentReads: 0, notBefore: 0, reason: undefined },
  ...own,
})

/** The state answers no to everything, but for what a test is about. */
const NO: Questions = { isAnothers: () => false, hasNewer: () => false, isMissing: () => false }

export const after = (
  operation: Operation,
  settlement: Settlement,
  more: Partial<Settled> = {},
  questions: Partial<Questions> = {},
): AfterStep => afterStep({ operation, settlement, request: undefined, ...more }, { ...NO, ...questions })
