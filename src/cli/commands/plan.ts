// `plan`: what a run would change, field by field; with --json one document, written as it comes.
import { preview } from '../../app/run/preview.ts'
import { systemClock as clock } from '../../system.ts'
import { ERRORS } from '../../core/words/errors.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { exitCode, OUTCOMES } from '../../core/outcome/summary.ts'
import type { PlannedChange, PreviewTotals } from '../../sync/preview.ts'
import { number, plural, spanText } from '../../core/words/format.ts'
import { shownValue } from '../format.ts'
import { type CommonOptions, type Io, print } from '../io.ts'
import { createProgress } from '../progress.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'
import { withheldLines } from '../summary.ts'
import { planLog } from './run.ts'

interface PlanOutput {
  begin(pipeline: string): void
  change(change: PlannedChange): void
  end(totals: PreviewTotals): void
  finish(): void
}

function jsonOutput(io: Io): PlanOutput {
  let pipelines = 0
  let changes = 0
  return {
    begin(pipeline) {
      io.stdout.write(
        `${pipelines++ === 0 ? '{"pipelines":[' : ','}{"pipeline":${JSON.stringify(pipeline)},"changes":[`,
      )
      changes = 0
    },
    change: (change) => void io.stdout.write(`${changes++ === 0 ? '' : ','}\n${JSON.stringify(change)}`),
    end({ pipeline: _, ...totals }) {
      io.stdout.write(`],${JSON.stringify(totals).slice(1)}`)
    },
    finish: () => void io.stdout.write(pipelines === 0 ? '{"pipelines":[]}\n' : ']}\n'),
  }
}

const SIGNS = { create: '+', update: '~', delete: '-' } as const

export function changeText({
  action,
  key,
  contact_id: id,
  fields,
  withheld = {},
  terms,
  source,
}: PlannedChange): readonly string[] {
  const contact = id === null ? '' : ` (contact ${id})`
  const lines = Object.entries(fields).map(([field, { from, to }]) =>
    action === 'create'
      ? `      ${field}: ${shownValue(to)}`
      : `      ${field}: ${shownValue(from)} -> ${shownValue(to)}`,
  )
  const kept = Object.entries(withheld).map(
    ([field, { from, to }]) =>
      `      ${field}: ${shownValue(from)} -> ${shownValue(to)} (withheld by update_method)`,
  )
  const named = [...terms.add.map((name) => `+${name}`), ...terms.remove.map((name) => `-${name}`)]
  const tags = named.length === 0 ? [] : [`      terms: ${named.join(', ')}`]
  const place = source.line === null ? `gone from ${source.file}` : `${source.file}:${source.line}`
  const head = `  ${SIGNS[action]} ${action} ${key}${contact}  [${place}]`
  return [head, ...lines, ...kept, ...tags]
}

export function totalsText(totals: PreviewTotals): readonly string[] {
  const parts = OUTCOMES.filter((outcome) => totals[outcome] > 0).map((outcome) => {
    const verb =
      outcome === 'created' || outcome === 'updated' ? `to be ${outcome}` : outcome.replace('_', ' ')
    return `${number(totals[outcome])} ${verb}`
  })
  if (totals.terms_created > 0) parts.push(`${plural(totals.terms_created, 'term')} to be made`)
  const { requests, seconds } = totals.estimate
  const work = `${plural(requests, 'request')}, at least ${spanText(seconds * 1000)} under the rate limit`
  if (totals.deleted > 0) parts.push(`${number(totals.deleted)} to be deleted`)
  if (totals.held_deletes > 0) parts.push(`${plural(totals.held_deletes, 'delete')} held`)
  const files = totals.files.flatMap(({ error, hint, status }) =>
    error === undefined ? [] : [`  ${status}: ${error}`, ...(hint === undefined ? [] : [`    ${hint}`])],
  )
  const { code, error } = totals
  if (code !== undefined) return [`  given up: ${code}: ${error ?? ''}`, `    ${ERRORS[code].hint}`]
  return [
    `  ${plural(totals.read, 'record')}: ${parts.join(', ') || 'nothing to do'}`,
    ...withheldLines(totals.withheld),
    `  ${work}`,
    ...files,
  ]
}

function textOutput(io: Io): PlanOutput {
  return {
    begin: (pipeline) => print(io, `${pipeline}: plan, nothing is sent`),
    change: (change) => print(io, changeText(change)),
    end: (totals) => print(io, totalsText(totals)),
    finish: () => undefined,
  }
}

/** Waits for a slow reader, so that a plan of a million changes does not pile up in memory. */
export async function drained(io: Io): Promise<void> {
  if (io.stdout.writableNeedDrain) await new Promise((resolve) => io.stdout.once('drain', resolve))
}

async function planOne(
  settings: Settings,
  pipeline: PipelineSettings,
  io: Io,
  output: PlanOutput,
): Promise<PreviewTotals> {
  const log = planLog(io, settings)
  const progress = createProgress(pipeline.name, io, clock)
  const changes = preview(settings, pipeline, {
    wait: true,
    signal: io.signal,
    report: (report) => progress.report(report),
    log,
  })
  output.begin(pipeline.name)
  try {
    for (;;) {
      const { done, value } = await changes.next()
      if (done === true) {
        progress.clear()
        output.end(value)
        return value
      }
      output.change(value)
      await drained(io)
    }
  } finally {
    await log.close()
  }
}

export async function plan(io: Io, options: CommonOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  warnOfOlderState(io, settings)
  const output = options.json === true ? jsonOutput(io) : textOutput(io)
  const results: PreviewTotals[] = []
  for (const pipeline of chosenPipelines(settings, names))
    results.push(await planOne(settings, pipeline, io, output))
  output.finish()
  return exitCode(results)
}
