// `rejects list` and `rejects export`: the records that could not be sent, to look at and to correct.
import { basename } from 'node:path'
import { writeExport } from '../../app/export-file.ts'
import { outputFile } from '../../app/output-file.ts'
import { CORRECTED, droppedAs, writeRejectsCsv } from '../../sources/rejects.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import type { RejectEntry } from '../../core/state.ts'
import { plural } from '../../core/words/format.ts'
import { configFile } from '../config-file.ts'
import { replacedText } from '../format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'

async function* openRejects(
  io: Io,
  options: CommonOptions,
  names: readonly string[],
): AsyncGenerator<RejectEntry> {
  const settings = await commandSettings(io, options)
  warnOfOlderState(io, settings)
  const pipelines = chosenPipelines(settings, names).map(({ name }) => name)
  const state = openStateForReading(settings.state)
  if (state === undefined) return
  try {
    yield* state.rejects(pipelines)
  } finally {
    await state.close()
  }
}

const listed = ({ id, pipeline, key, reason, file, line }: RejectEntry) => ({
  id,
  pipeline,
  key: key ?? null,
  reason,
  file,
  line,
})

export async function listRejects(io: Io, options: CommonOptions, names: string[]): Promise<number> {
  const rejects = []
  for await (const reject of openRejects(io, options, names)) {
    if (options.json === true) rejects.push(listed(reject))
    else
      print(
        io,
        `${reject.pipeline}: ${reject.file}:${reject.line}: ${reject.key ?? '(no key)'}: ${reject.reason} [${reject.id}]`,
      )
  }
  if (options.json === true) printJson(io, { rejects })
  return 0
}

interface Column {
  readonly name: string
  /** How many columns of the same name stand before it in its header. */
  readonly earlier: number
}

const columnsOf = (header: readonly string[]): readonly Column[] =>
  header.map((name, index) => ({
    name,
    earlier: header.slice(0, index).filter((other) => other === name).length,
  }))

const idOf = ({ name, earlier }: Column): string => JSON.stringify([name, earlier])

/** The columns of all rejects, in the order in which they first appear; a header may have several of one name, or of none. */
async function unitedHeader(rejects: AsyncIterable<RejectEntry>): Promise<readonly Column[]> {
  const columns = new Map<string, Column>()
  for await (const { header } of rejects)
    for (const column of columnsOf(header)) if (!columns.has(idOf(column))) columns.set(idOf(column), column)
  return [...columns.values()]
}

interface Exported {
  rows: number
  readonly pipelines: Set<string>
}

async function* underHeader(columns: readonly Column[], rejects: AsyncIterable<RejectEntry>, seen: Exported) {
  for await (const reject of rejects) {
    seen.rows += 1
    seen.pipelines.add(reject.pipeline)
    const places = new Map(columnsOf(reject.header).map((column, index) => [idOf(column), index]))
    const values = columns.map((column) => reject.values[places.get(idOf(column)) ?? -1] ?? '')
    const surplus = reject.values.slice(reject.header.length)
    yield { ...reject, values: [...values, ...surplus] }
  }
}

/** What has to be known before the corrected file is dropped: no source takes every name. */
function dropHint(name: string, { name: pipeline, source }: PipelineSettings): readonly string[] {
  switch (droppedAs(name, source)) {
    case 'is':
      return []
    case 'renamed':
      return [`to drop it again for ${pipeline}, give it a name that ends in ${CORRECTED}`]
    case 'unmatched':
      return [
        `to drop it again for ${pipeline}, add "*${CORRECTED}" to its source.files, and give it such a name`,
      ]
    case 'unread':
      return [
        `${pipeline} fetches its records and reads no dropped file: correct the values at the source, or with contact-sync correct`,
      ]
  }
}

export async function exportRejects(
  io: Io,
  options: CommonOptions,
  [file, ...names]: string[],
): Promise<number> {
  if (file === undefined) throw new SyncError('USAGE', 'rejects export needs the name of the file to write')
  const settings = await commandSettings(io, options)
  const path = outputFile(file, {
    cwd: io.cwd,
    settings,
    configurations: [configFile(io, options)],
    json: options.json,
  })
  const rejects = () => openRejects(io, { ...options, settings }, names)
  const columns = await unitedHeader(rejects())
  const seen: Exported = { rows: 0, pipelines: new Set() }
  const { replaced } = await writeExport(path, (part) =>
    writeRejectsCsv(
      part,
      columns.map(({ name }) => name),
      underHeader(columns, rejects(), seen),
    ),
  )
  if (options.json === true) printJson(io, { file: path, rejects: seen.rows, replaced })
  else printError(io, `${plural(seen.rows, 'record')} written to ${path}${replacedText(replaced)}`)
  for (const pipeline of settings.pipelines.filter(({ name }) => seen.pipelines.has(name)))
    for (const line of dropHint(basename(path), pipeline)) printError(io, line)
  return 0
}
