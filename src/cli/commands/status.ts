// `status`: each pipeline at a glance, from the state alone; works beside a running daemon.
import { nextDue, openStateForReading } from '../../app.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import type { RunRecord, StateStore } from '../../core/state.ts'
import { moment, number, plural } from '../format.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { commandSettings, warnOfOlderState } from '../settings.ts'

const NO_BACKLOG = { linked: 0, rejects: 0, held: 0, inDoubt: 0, retriable: 0 }

function lastRunJson(run: RunRecord | undefined) {
  if (run === undefined) return null
  return {
    run_id: run.id,
    started_at: new Date(run.startedAt).toISOString(),
    ended_at: run.endedAt === undefined ? null : new Date(run.endedAt).toISOString(),
    status: run.status ?? 'unfinished',
    ...run.counts,
    ...(run.error === undefined ? {} : { error: run.error }),
  }
}

async function pipelineStatus(pipeline: PipelineSettings, state: StateStore | undefined) {
  const { name, schedule, timezone } = pipeline
  const backlog = (await state?.backlog(name)) ?? NO_BACKLOG
  const next = schedule === undefined ? undefined : nextDue({ name, expression: schedule, timezone })
  return {
    pipeline: name,
    last_run: lastRunJson(await state?.lastRun(name)),
    next_run: next?.toISOString() ?? null,
    linked: backlog.linked,
    rejects: backlog.rejects,
    held: backlog.held,
    in_doubt: backlog.inDoubt,
    to_be_tried_again: backlog.retriable,
  }
}

type PipelineStatus = Awaited<ReturnType<typeof pipelineStatus>>

function statusText(status: PipelineStatus): string {
  const { last_run: last } = status
  const lastText =
    last === null ? 'never ran' : `last run ${moment(Date.parse(last.started_at))}: ${last.status}`
  const nextText =
    status.next_run === null ? 'runs only when asked' : `next run ${moment(Date.parse(status.next_run))}`
  const open = [
    status.rejects > 0
      ? `${plural(status.rejects, 'reject')} (contact-sync rejects list ${status.pipeline})`
      : '',
    status.held > 0 ? `${number(status.held)} held (contact-sync held list ${status.pipeline})` : '',
    status.in_doubt > 0 ? `${number(status.in_doubt)} in doubt` : '',
    status.to_be_tried_again > 0 ? `${number(status.to_be_tried_again)} tried again by the next run` : '',
  ].filter((text) => text !== '')
  const error = last?.error === undefined ? [] : [`  ${last.error}`]
  return [
    `${status.pipeline}: ${lastText}; ${nextText}`,
    `  ${plural(status.linked, 'contact')} linked${open.length === 0 ? ', nothing open' : `, ${open.join(', ')}`}`,
    ...error,
  ].join('\n')
}

export async function status(io: Io, options: CommonOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  await warnOfOlderState(io, settings)
  const state = openStateForReading(settings.state.path)
  try {
    const pipelines = await Promise.all(settings.pipelines.map((pipeline) => pipelineStatus(pipeline, state)))
    if (options.json === true) printJson(io, { pipelines })
    else for (const one of pipelines) print(io, statusText(one))
    return 0
  } finally {
    await state?.close()
  }
}
