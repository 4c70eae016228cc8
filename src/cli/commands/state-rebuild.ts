// `state rebuild` and `state accept`: the two ways on with a state that is lost, or older than what was sent; `state rebind`
// for one whose service has another address.
import { ownOrAsk } from '../../app/decisions/deciding.ts'
import type { RebuildEvent } from '../../app/decisions/of-state.ts'
import {
  acceptState,
  onAnyState,
  type Rebuilding,
  rebuildState,
  type Rebuilt,
} from '../../app/run/rebuilding.ts'
import type { Rebound } from '../../app/run/service/service-binding.ts'
import { systemClock as clock } from '../../system.ts'
import { unknowable } from '../../core/change/lookup/rebuild.ts'
import { exitCode, worstStatus } from '../../core/outcome/summary.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { confirm } from '../confirm.ts'
import { number, plural, spanText } from '../../core/words/format.ts'
import { decidedBy, type DecidingOptions } from '../decided-by.ts'
import { askingOf, decided } from '../deciding.ts'
import { type Io, print, printError, printJson } from '../io.ts'
import { ConfigurationError } from '../messages.ts'
import { createProgress, type Progress } from '../progress.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'
import { quietLog } from './quiet-log.ts'

type RebuildListener = Pick<Rebuilding, 'report' | 'done'>
type Done = Parameters<Rebuilding['done']>[0]

const COUNTS: readonly (readonly [keyof Done, string])[] = [
  ['known', 'linked already'],
  ['found', 'found and linked'],
  ['absent', 'not at the service: the next run creates them'],
  ['shared', 'whose contact belongs to another record: the next run holds them'],
  ['in_doubt', 'in doubt: an operator decides (contact-sync doubts list)'],
  ['unmapped', 'that the mapping skips or rejects'],
  ['unanswered', 'without an answer: run rebuild again'],
]

function doneText(result: Done): readonly string[] {
  const { pipeline, read, requests, error } = result
  const counts = COUNTS.flatMap(([name, text]) => {
    const count = result[name]
    return typeof count === 'number' && count > 0 ? [`  ${number(count)} ${text}`] : []
  })
  const head = `${pipeline}: ${plural(read, 'record')} looked at, ${plural(requests, 'request')}`
  return [head, ...counts, ...(error === undefined ? [] : [`  ${error}`])]
}

/** How long the whole would take is not known: how many records have no link shows only when they are read. */
function progressOf(io: Io): (pipeline: string) => Progress {
  const all = new Map<string, Progress>()
  return (pipeline) => {
    const progress = all.get(pipeline) ?? createProgress(pipeline, io, clock)
    all.set(pipeline, progress)
    return progress
  }
}

function endText(left: readonly string[], doubt: string | undefined): string {
  if (doubt === undefined) return 'The state is the latest; no sign of an older copy.'
  return left.length === 0
    ? 'All waiting records were looked up: the state counts as the latest again, and runs resume.'
    : `Still to be rebuilt before runs resume: ${left.join(', ')}. Drop the last export of each again. If there is none: contact-sync state accept ${left.join(' ')}, which continues with the links in the state.`
}

interface Work {
  readonly io: Io
  readonly settings: Settings
  readonly pipelines: readonly PipelineSettings[]
  readonly decided: DecidedBy
}

/** By this process, or by the daemon that has the state. */
async function rebuildAnywhere(
  { io, settings, pipelines, decided }: Work,
  done: Rebuilding['done'],
): Promise<Rebuilt> {
  const progress = progressOf(io)
  const told: RebuildListener = {
    report: (pipeline, report) => progress(pipeline).report(report),
    done(result) {
      progress(result.pipeline).clear()
      done(result)
    },
  }
  const show = (event: unknown): void => {
    const shown = event as RebuildEvent
    if ('done' in shown) told.done(shown.done)
    else told.report(shown.pipeline, shown.report)
  }
  const log = quietLog(io, settings)
  const rebuilding = { ...told, decided, signal: io.signal, log }
  const args = { pipelines: pipelines.map(({ name }) => name) }
  const deciding = { kind: 'state rebuild', args, decided } as const
  return ownOrAsk({ settings, deciding, isConfirmed: true }, { ...askingOf(io), show }, () =>
    onAnyState(settings, io.pid, (state) => rebuildState({ settings, state, pipelines }, rebuilding)),
  ).finally(() => log.close())
}

/** Ends with 3 where something cannot be known, 5 where the service could not be asked. */
export async function rebuild(io: Io, options: DecidingOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  const pipelines = chosenPipelines(settings, names)
  const decided = await decidedBy(io, options, settings)
  const results: Done[] = []
  const started = clock.monotonic()
  const { doubt, left } = await rebuildAnywhere({ io, settings, pipelines, decided }, (result) => {
    results.push(result)
    if (options.json !== true) print(io, doneText(result))
  })
  const cannotBeKnown = [...new Set(pipelines.flatMap(unknowable))]
  const all = [...results, { status: left.length > 0 ? ('partial' as const) : ('ok' as const) }]
  const status = worstStatus(all.map((one) => one.status))
  if (options.json === true) {
    printJson(io, { status, doubt: doubt ?? null, left, pipelines: results, cannot_be_known: cannotBeKnown })
    return exitCode(all)
  }
  print(io, ['What can no longer be known:', ...cannotBeKnown.map((text) => `  - ${text}`)])
  print(io, endText(left, doubt))
  printError(io, `in ${spanText(clock.monotonic() - started)}; nothing was sent, no file was moved`)
  return exitCode(all)
}

export async function accept(io: Io, options: DecidingOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  const pipelines = chosenPipelines(settings, names)
  const who = await decidedBy(io, options, settings)
  const args = { pipelines: pipelines.map(({ name }) => name) }
  const deciding = { kind: 'state accept', args, decided: who } as const
  const { doubt, left } = await ownOrAsk({ settings, deciding, isConfirmed: true }, askingOf(io), () =>
    onAnyState(settings, io.pid, (state) => acceptState({ settings, state, pipelines }, who)),
  )
  if (options.json === true) printJson(io, { path: settings.state.path, accepted: doubt ?? null, left })
  else
    print(
      io,
      doubt === undefined
        ? 'The state is the latest already; nothing was changed.'
        : `Accepted, though the state ${doubt}. ${left.length === 0 ? 'Runs resume.' : `Still to be rebuilt or accepted: ${left.join(', ')}.`}`,
    )
  return 0
}

interface RebindOptions extends DecidingOptions {
  readonly yes?: boolean
}

export async function rebind(io: Io, options: RebindOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  const {
    from,
    to,
    problems = [],
  } = await decided(
    { io, options, settings },
    {
      kind: 'state rebind',
      args: { address: settings.service.base_url },
      confirm: (rebound: Rebound) =>
        confirm(
          io,
          `The state belongs to ${rebound.from ?? 'no service yet'}. Is ${rebound.to} the same service under a new address?`,
          options.yes === true,
        ),
    },
  )
  if (options.json === true) printJson(io, { path: settings.state.path, from: from ?? null, to })
  else
    print(
      io,
      from === to
        ? `The state belongs to ${to} already; nothing was changed.`
        : `The state belongs to ${to} from now on.`,
    )
  // It is bound; what keeps the daemon from its configuration is another matter.
  if (problems.length > 0) throw new ConfigurationError(problems)
  return 0
}
