// The mappings under which values were sent, kept by their hash, so that a value can be explained after the configuration has
// changed. What is kept makes a contact of a row, and nothing else: no secret, no place.
import type { PipelineSettings } from './settings.ts'

/** Mappings by the hash of their pipeline. */
export interface MappingStore {
  /** Does nothing where it is kept already. */
  keepMapping(hash: string, text: () => string): Promise<void>
  keptMapping(hash: string): Promise<string | undefined>
}

const KEPT = [
  'source',
  'mode',
  'key',
  'map',
  'custom_fields',
  'on_duplicate_key',
  'on_invalid',
  'blank',
  'where',
  'skip_without',
  'repair',
] as const satisfies readonly (keyof PipelineSettings)[]

type Kept = Partial<Pick<PipelineSettings, (typeof KEPT)[number]>> & {
  readonly assign?: PipelineSettings['terms']['assign']
}

export function mappingText(pipeline: PipelineSettings): string {
  const { folder: _folder, fetch: _fetch, remote: _remote, ...source } = pipeline.source
  const kept = Object.fromEntries(KEPT.map((name) => [name, pipeline[name]]))
  return JSON.stringify({ ...kept, source, assign: pipeline.terms.assign })
}

/** The pipeline with a mapping that was kept; its files are where they are now. */
export function withMapping(pipeline: PipelineSettings, text: string): PipelineSettings {
  const { assign = [], source, ...kept } = JSON.parse(text) as Kept
  const unset = Object.fromEntries(KEPT.map((name) => [name, undefined]))
  const { folder, remote } = pipeline.source
  const place = { ...(folder === undefined ? {} : { folder }), ...(remote === undefined ? {} : { remote }) }
  return {
    ...pipeline,
    ...unset,
    ...kept,
    source: { type: '', null_values: [], ...source, ...place },
    terms: { ...pipeline.terms, assign },
  }
}
