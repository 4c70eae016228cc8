// What `check`, `terms` and `fields` ask: the service, one attempt a call, and the files that wait now.
import { SyncError } from '../core/errors.ts'
import { compileMapping, wantedColumns } from '../core/mapping.ts'
import type { ServiceReads, Source, SourceInput, Term } from '../core/ports.ts'
import type { PipelineSettings, Settings } from '../core/settings.ts'
import { termsBeyond, unknownTermsText } from '../core/terms.ts'
import { createService } from '../service/service.ts'
import { createSource } from '../sources/registry.ts'
import { sharedWindow } from './rate-window.ts'
import { systemClock as clock, systemRandom as random } from '../system.ts'

const aloneText = (code: string): string =>
  `the rate limit is counted by this process alone: the file beside the state that shares it cannot be used (${code})`

/** Lets a command ask the service, one attempt a call: somebody is waiting for the answer. */
export async function askService<T>(
  settings: Settings,
  ask: (reads: ServiceReads) => Promise<T>,
  tell?: (text: string) => void,
): Promise<T> {
  const once = { ...settings.service, retry: { ...settings.service.retry, attempts: 1 } }
  const service = createService(once, {
    clock,
    random,
    ...sharedWindow(settings, (code) => tell?.(aloneText(code))),
  })
  try {
    return await ask(service.session({ signal: new AbortController().signal }))
  } finally {
    await service.close()
  }
}

/** What of a pipeline's terms the service would not have: only where none may be made. */
export function termProblems(pipeline: PipelineSettings, terms: readonly Term[]): readonly string[] {
  const { assign, createMissing } = pipeline.terms
  if (createMissing) return []
  const constants = assign.flatMap((entry) => ('name' in entry ? [entry.name] : []))
  const unknown = termsBeyond(
    constants,
    terms.map(({ name }) => name),
  )
  return unknown.length === 0 ? [] : [unknownTermsText(unknown, terms)]
}

const knownText = (error: unknown): string => {
  if (error instanceof SyncError) return `${error.message}. ${error.hint}`
  throw error
}

async function columnProblem(
  source: Source,
  input: SourceInput,
  pipeline: PipelineSettings,
): Promise<string | undefined> {
  try {
    const reader = await source.open(input, { columns: wantedColumns(pipeline) })
    try {
      compileMapping(pipeline, reader.header)
      return undefined
    } finally {
      await reader.close()
    }
  } catch (error) {
    return `${input.name}: ${knownText(error)}`
  }
}

/** Holds the mapping against the headers of the files that wait now; a sentence for each that does not fit. */
export async function checkColumns(
  pipeline: PipelineSettings,
): Promise<{ files: number; problems: readonly string[] }> {
  const source = createSource(pipeline.source, { clock })
  try {
    const { ready, refused } = await source.list({ wait: false })
    const problems = refused.map(({ name, error }) => `${name}: ${knownText(error)}`)
    for (const input of ready) {
      const problem = await columnProblem(source, input, pipeline)
      if (problem !== undefined) problems.push(problem)
    }
    return { files: ready.length, problems }
  } catch (error) {
    return { files: 0, problems: [knownText(error)] }
  }
}
