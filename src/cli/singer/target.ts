// `target`: the end of a pipe from a Singer tap. Standard output has the values of STATEs, a line each, and nothing else.
import type { WithWarnings } from '../../app/run/run.ts'
import { isSinger, singerSource } from '../../app/run/singer.ts'
import { runTarget } from '../../app/run/target.ts'
import { exitCode } from '../../core/outcome/summary.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { systemClock as clock } from '../../system.ts'
import { type CommonOptions, type Io, print, printError } from '../io.ts'
import { errorMessage } from '../messages.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'
import { resultLines } from '../summary.ts'
import { whileFeeding } from './feeding.ts'

const isFed = (pipeline: PipelineSettings): boolean =>
  isSinger(pipeline) && singerSource(pipeline).options.command === undefined

function fedPipeline(settings: Settings, names: readonly string[]): PipelineSettings {
  const [pipeline, ...more] =
    names.length === 0 ? settings.pipelines.filter(isFed) : chosenPipelines(settings, names)
  if (pipeline !== undefined && more.length === 0) return pipeline
  throw new SyncError(
    'USAGE',
    'target needs the name of a pipeline with source.type: singer and no source.command',
  )
}

export async function target(io: Io, options: CommonOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  const pipeline = fedPipeline(settings, names)
  const results: WithWarnings[] = []
  const end = await whileFeeding(io, settings, async ({ runner, own }) => {
    const ended = await runTarget({
      ...{ pipeline, runner, clock, signal: io.signal, input: io.stdin as AsyncIterable<Buffer> },
      onStates: (states) => print(io, states),
      onWarning: (text) => printError(io, `warning: ${text}`),
      onResult(result) {
        results.push(result)
        printError(io, options.json === true ? JSON.stringify(result) : resultLines(result))
        for (const warning of result.warnings) printError(io, `warning: ${warning}`)
      },
    })
    // The process that has the state tells its own receivers.
    if (own !== undefined && settings.alerts.length > 0) {
      const { tellOfRuns } = await import('../../app/alerting/alert-commands.ts')
      await tellOfRuns(settings, own, { results, signal: io.signal })
    }
    return ended
    // The tap must not wait for a reader that has ended.
  }).finally(() => void io.stdin.destroy())
  if (end.problem !== undefined) printError(io, errorMessage(end.problem).lines)
  const code = exitCode(results)
  const isCutOff = end.problem?.code === 'SOURCE_ANSWER' && code === EXIT.held
  return isCutOff || (code === EXIT.done && end.problem !== undefined) ? EXIT.partial : code
}
