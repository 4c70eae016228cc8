// `pause`, `resume` and `reload`: whether pipelines send at all, and under which configuration.
import { askDaemon } from '../../app/decisions/deciding.ts'
import { type PipelinePause, pipelinePauseText } from '../../core/decision.ts'
import { decided, askingOf } from '../deciding.ts'
import { decidedBy, type DecidingOptions } from '../decided-by.ts'
import { type Io, print, printError, printJson } from '../io.ts'
import { ConfigurationError } from '../messages.ts'
import { commandSettings } from '../settings.ts'

const pauseJson = ({ pipeline, since, by, reason }: PipelinePause) => ({
  pipeline,
  since: new Date(since).toISOString(),
  by,
  reason: reason ?? null,
})

export async function pause(io: Io, options: DecidingOptions, pipelines: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  const paused = await decided({ io, options, settings }, { kind: 'pause', args: { pipelines } })
  if (options.json === true) printJson(io, { paused: paused.map(pauseJson) })
  else for (const one of paused) print(io, `${one.pipeline}: ${pipelinePauseText(one)}`)
  return 0
}

export async function resume(io: Io, options: DecidingOptions, pipelines: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  const resumed = await decided({ io, options, settings }, { kind: 'resume', args: { pipelines } })
  if (options.json === true) printJson(io, { resumed })
  else print(io, resumed.length === 0 ? 'no pipeline was paused' : `resumed: ${resumed.join(', ')}`)
  return 0
}

export async function reload(io: Io, options: DecidingOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  const who = await decidedBy(io, options, settings)
  const { problems, at_next_start: atNextStart } = await askDaemon(
    settings,
    { kind: 'reload', args: {}, decided: who },
    askingOf(io),
  )
  if (problems.length > 0) throw new ConfigurationError(problems)
  if (options.json === true) printJson(io, { reloaded: true, at_next_start: atNextStart })
  else print(io, 'the daemon uses this configuration')
  if (atNextStart.length > 0) printError(io, `takes effect at the next start: ${atNextStart.join(', ')}`)
  return 0
}
