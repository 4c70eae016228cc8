// An operation with what a test is about changed: of a record, on its way, nothing sent before.
import type { Operation, OperationKind } from '../../src/core/change/operation.ts'

export const operationWith = (own: Partial<Operation> & { kind: OperationKind }): Operation => ({
  ...{ id: 1, runId: 'r', pipeline: 'shop', key: 'K1', mailKey: undefined, contactId: 7 },
  ...{ fields: {}, desired: {}, known: {}, unsure: [], terms: undefined, asserted: undefined },
  ...{ consent: undefined, isFresh: false, carried: undefined, outcome: undefined, cause: 'record' },
  ...{ undoes: undefined, source: { file: 'a.csv', line: 2 }, state: 'sending', sent: 1, swallowed: 0 },
  ...{ guard: undefined, absentReads: 0, notBefore: 0, reason: undefined },
  ...own,
})
