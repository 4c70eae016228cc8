// A plan as a file: a page of HTML with changes, or Markdown with numbers alone.
import { writeFile } from 'node:fs/promises'
import { writeExport } from '../../app/export-file.ts'
import type { Plan } from '../../core/change/plan/plan.ts'
import { ownTermNames } from '../../core/mapping/terms.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { systemClock as clock } from '../../system.ts'
import { changeSample } from './change-sample.ts'
import { replacedText } from '../format.ts'
import { type Io, printError } from '../io.ts'
import { plansHtml, type ShownPlan } from './plan-html.ts'
import { plansMarkdown } from './plan-markdown.ts'
import type { PlanOutput, ShownChanges } from './plan-output.ts'

/** More would be slow to search on a telephone. */
const PAGE_CHANGES = 5000

/** Standard output has the result itself: where the file is stands on standard error. `path`: by `outputFile`. */
export async function writeReport(
  io: Io,
  { what, path }: { what: string; path: string },
  text: string,
): Promise<void> {
  const { replaced } = await writeExport(path, (part) => writeFile(part, text))
  printError(io, `${what} written to ${path}${replacedText(replaced)}`)
}

function htmlFile(io: Io, path: string, { limit = PAGE_CHANGES }: ShownChanges): PlanOutput {
  const plans: ShownPlan[] = []
  let sample = changeSample(limit)
  return {
    most: Number.POSITIVE_INFINITY,
    begin() {
      sample = changeSample(limit)
    },
    change: (change) => sample.add(change),
    end: (plan) => void plans.push({ plan, changes: sample.changes() }),
    finish: () => writeReport(io, { what: 'plan', path }, plansHtml(plans, clock.now())),
  }
}

function markdownFile(io: Io, path: string, pipelines: readonly PipelineSettings[]): PlanOutput {
  const plans: Plan[] = []
  const ownTerms = (pipeline: string): readonly string[] =>
    pipelines.filter(({ name }) => name === pipeline).flatMap(ownTermNames)
  return {
    most: 0,
    begin: () => undefined,
    change: () => undefined,
    end: (plan) => void plans.push(plan),
    finish: () => writeReport(io, { what: 'plan', path }, plansMarkdown(plans, ownTerms)),
  }
}

/** Names of files to write. */
export interface PlanFiles {
  readonly output?: string
  readonly markdown?: string
}

export const planFiles = (
  io: Io,
  { output, markdown }: PlanFiles,
  shown: ShownChanges & { readonly pipelines: readonly PipelineSettings[]; pathOf(name: string): string },
): readonly PlanOutput[] => [
  ...(output === undefined ? [] : [htmlFile(io, shown.pathOf(output), shown)]),
  ...(markdown === undefined ? [] : [markdownFile(io, shown.pathOf(markdown), shown.pipelines)]),
]
