// `streams`: what a tap has, with the names under which a mapping can use it.
import { writeText } from '../../app/audit-files.ts'
import { discoverStreams, isSinger, singerSource } from '../../app/run/singer.ts'
import { outputFile } from '../../app/output-file.ts'
import { plural } from '../../core/words/format.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { configFile } from '../config-file.ts'
import { replacedText } from '../format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'

interface StreamsOptions extends CommonOptions {
  readonly output?: string
}

type Streams = Awaited<ReturnType<typeof discoverStreams>>['streams']

function onlyPipeline(settings: Settings, names: readonly string[]): PipelineSettings {
  const [pipeline, ...more] =
    names.length === 0 ? settings.pipelines.filter(isSinger) : chosenPipelines(settings, names)
  if (pipeline !== undefined && more.length === 0) return pipeline
  throw new SyncError('USAGE', 'streams needs the name of a pipeline with source.type: singer')
}

function typeText({ types, format }: Streams[number]['fields'][number]): string {
  const text = types.length === 0 ? 'any' : types.join(' or ')
  return format === null ? text : `${text}, ${format}`
}

function streamLines(
  { stream, key_properties: keys, replication_key: replication, fields }: Streams[number],
  chosen: string,
) {
  const facts = [
    ...(stream === chosen ? ['the source of this pipeline'] : []),
    ...(keys.length === 0 ? [] : [`key ${keys.join(', ')}`]),
    ...(replication === null ? [] : [`replication key ${replication}`]),
  ]
  const width = Math.max(0, ...fields.map(({ name }) => name.length))
  return [
    `${stream}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`,
    ...fields.map((field) => `  ${field.name.padEnd(width)}  ${typeText(field)}`),
  ]
}

export async function streams(io: Io, options: StreamsOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options, { withoutSecrets: 'all_but_sources' })
  const pipeline = onlyPipeline(settings, names)
  const { stream: chosen } = singerSource(pipeline).options
  const file =
    options.output === undefined
      ? undefined
      : outputFile(options.output, {
          cwd: io.cwd,
          settings,
          configurations: [configFile(io, options)],
          json: options.json,
        })
  const found = await discoverStreams(pipeline, {
    signal: io.signal,
    tell: (text) => printError(io, `tap: ${text}`),
  })
  if (options.json === true) printJson(io, { streams: found.streams })
  else for (const one of found.streams) print(io, streamLines(one, chosen))
  if (!found.streams.some(({ stream }) => stream === chosen))
    printError(io, `warning: the tap has no stream ${chosen}, which pipeline ${pipeline.name} names`)
  printError(io, `${plural(found.streams.length, 'stream')}; names of fields are columns for the mapping`)
  if (file === undefined) return 0
  const { replaced } = await writeText(file, [found.catalog])
  printError(io, `catalog written to ${file}${replacedText(replaced)}; name it as source.catalog`)
  return 0
}
