// A part of a pipeline that was written somewhere else: in a preset, or in a block.
import type { ConfigProblem } from './text/problem.ts'
import type { Place } from './text/tree.ts'

/** Its places are relative to the pipeline. */
export interface Layer {
  readonly value: Readonly<Record<string, unknown>>
  readonly places: ReadonlyMap<string, Place>
}

/** Layers of a pipeline, the lowest first, and what is wrong with them. */
export interface Layers {
  readonly layers: readonly Layer[]
  /** Something that the pipeline names is not there: what it seems to lack may be in it. */
  readonly isIncomplete: boolean
  readonly problems: readonly ConfigProblem[]
}

export const NO_LAYERS: Layers = { layers: [], isIncomplete: false, problems: [] }
