// What commands ask of a pipeline whose source is a Singer tap.
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { discover, type Discovery } from '../../sources/singer/discover.ts'
import type { SingerOptions } from '../../sources/singer/options.ts'
import { systemClock as clock } from '../../system.ts'

export const isSinger = ({ source }: PipelineSettings): boolean => source.type === 'singer'

/** The kind's own options, and where they belong. Throws USAGE for a source of another kind. */
export function singerSource({ name, source }: PipelineSettings): {
  readonly options: SingerOptions
  readonly folder: string
  readonly home: string
} {
  if (source.type !== 'singer')
    throw new SyncError('USAGE', `the source of ${name} is ${source.type}, not singer`)
  // The configuration has checked them with the kind's own schema.
  const { fetch, folder, home } = source as unknown as { fetch: SingerOptions; folder: string; home: string }
  return { options: fetch, folder, home }
}

/** Starts the tap of the pipeline with --discover. Throws USAGE, SOURCE_FAILED or SOURCE_ANSWER. */
export function discoverStreams(
  pipeline: PipelineSettings,
  asked: { readonly signal: AbortSignal; tell(text: string): void },
): Promise<Discovery> {
  const { options, home } = singerSource(pipeline)
  return discover(options, { ...asked, clock, home })
}
