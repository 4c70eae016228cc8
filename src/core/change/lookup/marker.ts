// The name of an operation, carried by the contact that it made: the surest way to tell, after a lost answer, whether a
// contact at the service came from just this request.
import type { Operation } from '../operation.ts'

export interface Marker {
  /** The key of the marker field in a contact. */
  readonly key: string
  readonly text: string
}

/** The same for every time that the operation is sent; at most 60 characters. `instance`: of the state. */
export const markerText = (instance: string, { runId, id }: Pick<Operation, 'runId' | 'id'>): string =>
  `${instance}.${runId}.${id}`
