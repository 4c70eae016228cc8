// Where a plan goes while it is made: JSON as it comes, or text once its totals are known.
import type { Plan } from '../../core/change/plan/plan.ts'
import type { PlannedChange } from '../../core/change/plan/planned-change.ts'
import { type Io, print } from '../io.ts'
import { terminalOf } from '../terminal.ts'
import { planJson } from './plan-json.ts'
import { planOfKeyText, planText } from './plan-text.ts'

/** Which changes are shown one by one. */
export interface ShownChanges {
  /** Those of this record alone. */
  readonly key?: string
  /** At most so many of each pipeline. */
  readonly limit?: number
}

export interface PlanOutput {
  /** How many changes of each pipeline it is given. */
  readonly most: number
  begin(pipeline: string): void
  change(change: PlannedChange): void
  end(plan: Plan): void
  finish(): Promise<void> | void
}

export function jsonOutput(io: Io, { limit = Number.POSITIVE_INFINITY }: ShownChanges): PlanOutput {
  let pipelines = 0
  let changes = 0
  return {
    most: limit,
    begin(pipeline) {
      io.stdout.write(
        `${pipelines++ === 0 ? '{"pipelines":[' : ','}{"pipeline":${JSON.stringify(pipeline)},"changes":[`,
      )
      changes = 0
    },
    change: (change) => void io.stdout.write(`${changes++ === 0 ? '' : ','}\n${JSON.stringify(change)}`),
    end(plan) {
      const { pipeline: _, ...totals } = planJson(plan)
      io.stdout.write(`],${JSON.stringify(totals).slice(1)}`)
    },
    finish: () => void io.stdout.write(pipelines === 0 ? '{"pipelines":[]}\n' : ']}\n'),
  }
}

/** However many pipelines there are, each has room for an example or two. */
const FEWEST_LINES = 15

export function textOutput(io: Io, { key, limit }: ShownChanges, pipelines: number): PlanOutput {
  const { rows, columns, paint } = terminalOf(io)
  // The line above each pipeline, and the prompt below.
  const lines = Math.max(FEWEST_LINES, Math.floor((rows - 1) / pipelines) - 1)
  const isListed = key !== undefined || limit !== undefined
  let changes: PlannedChange[] = []
  return {
    most: limit ?? (key === undefined ? 0 : Number.POSITIVE_INFINITY),
    begin(pipeline) {
      print(io, `${pipeline}: plan, nothing is sent`)
      changes = []
    },
    change: (change) => void changes.push(change),
    end(plan) {
      const view = { lines, columns, paint }
      if (key === undefined) print(io, planText(plan, view, isListed ? changes : undefined))
      else print(io, planOfKeyText(key, plan, { changes, paint }))
    },
    finish: () => undefined,
  }
}
