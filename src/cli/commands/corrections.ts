// `correct` and `corrections`: values that a person sets right for a record, in place of what its source says.
import { resolve } from 'node:path'
import { writeExport } from '../../app/export-file.ts'
import { outputFile } from '../../app/output-file.ts'
import type { Corrected, ImportedCorrection } from '../../app/people/correcting.ts'
import type { FieldTexts } from '../../app/people/rejected-record.ts'
import type { Correction } from '../../core/change/others/correction.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { SyncError } from '../../core/words/errors.ts'
import { number, plural } from '../../core/words/format.ts'
import {
  type CorrectionRow,
  readCorrectionsCsv,
  writeCorrectionsCsv,
} from '../../sources/corrections-file.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { decided } from '../deciding.ts'
import { configFile } from '../config-file.ts'
import type { DecidingOptions } from '../decided-by.ts'
import { replacedText, shownValue } from '../format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'
import { shellWord } from '../completion/shell-word.ts'

/** `FIELD=VALUE`, each field once. */
function fieldsOf(assignments: readonly string[]): FieldTexts {
  const pairs = assignments.map((text) => {
    const place = text.indexOf('=')
    if (place > 0) return [text.slice(0, place).trim(), text.slice(place + 1)] as const
    throw new SyncError('USAGE', `${JSON.stringify(text)} is no FIELD=VALUE`, {
      hint: 'Write a field of the mapping, an equals sign and the value: phone=+49301234567',
    })
  })
  const twice = pairs.find(([field], index) => pairs.findIndex(([other]) => other === field) < index)
  if (twice !== undefined) throw new SyncError('USAGE', `${twice[0]} is given twice`)
  return Object.fromEntries(pairs)
}

const NEXT: Readonly<Record<Corrected['from'], (pipeline: string) => string>> = {
  reject: (pipeline) => `the next run of ${pipeline} maps the rejected record with it`,
  contact: (pipeline) => `the next run of ${pipeline} sends it`,
  create: (pipeline) => `a run of ${pipeline} sends it once its contact is created`,
  next_file: (pipeline) => `it waits for the next file of ${pipeline} that has the record`,
}

export async function correct(
  io: Io,
  options: DecidingOptions,
  [pipeline = '', record = '', ...assignments]: string[],
): Promise<number> {
  const settings = await commandSettings(io, options)
  const fields = fieldsOf(assignments)
  const done = await decided(
    { io, options, settings },
    { kind: 'correct', args: { pipeline, record, fields } },
  )
  if (options.json === true) {
    printJson(io, done)
    return EXIT.done
  }
  const names = Object.keys(done.fields).join(', ')
  print(io, `${names} of record ${done.key} corrected; ${NEXT[done.from](pipeline)}`)
  if (done.still !== null) print(io, `  it would still not be sent: ${done.still}`)
  return EXIT.done
}

async function correctionsOf(
  io: Io,
  options: CommonOptions & { readonly all?: boolean },
  names: readonly string[],
): Promise<readonly Correction[]> {
  const settings = await commandSettings(io, options)
  warnOfOlderState(io, settings)
  const pipelines = chosenPipelines(settings, names).map(({ name }) => name)
  const state = openStateForReading(settings.state)
  try {
    const all = (await state?.allCorrections(pipelines)) ?? []
    return options.all === true ? all : all.filter(({ ended }) => ended === undefined)
  } finally {
    await state?.close()
  }
}

const columnsOf = ({ raw }: Correction): string => Object.keys(raw ?? {}).join(', ')

/** What the source says, as far as it is known. */
function inSource({ raw, was }: Correction): string {
  if (raw !== undefined) return Object.values(raw).join(', ')
  return was === undefined ? '' : String(was)
}

const listed = (one: Correction) => ({
  id: one.id,
  pipeline: one.pipeline,
  key: one.key,
  field: one.field,
  value: one.value,
  source: inSource(one),
  columns: Object.keys(one.raw ?? {}),
  file: one.file ?? null,
  line: one.line ?? null,
  by: one.by,
  reason: one.note ?? null,
  at: new Date(one.at).toISOString(),
  pending: one.isPending,
  ended_at: one.ended === undefined ? null : new Date(one.ended.at).toISOString(),
  ended: one.ended?.why ?? null,
})

function correctionText(one: Correction): string {
  const { id, key, field, value, file, line, by, note, at, isPending, ended } = one
  const from = file === undefined ? '' : `, ${file}:${line ?? '?'}`
  const day = new Date(at).toISOString().slice(0, 10)
  const why = note === undefined ? '' : `: ${note}`
  const state = ended === undefined ? (isPending ? '; not sent yet' : '') : `; ended: ${ended.why}`
  return `  ${id}  ${key} ${field}: ${shownValue(value)}, the source says ${shownValue(inSource(one))}${from}; by ${by}, ${day}${why}${state}`
}

export async function listCorrections(
  io: Io,
  options: CommonOptions & { readonly all?: boolean },
  names: string[],
): Promise<number> {
  const corrections = await correctionsOf(io, options, names)
  if (options.json === true) {
    printJson(io, { corrections: corrections.map(listed) })
    return EXIT.done
  }
  for (const [pipeline, own] of Map.groupBy(corrections, (one) => one.pipeline)) {
    print(io, `${pipeline}: ${plural(own.length, 'correction')}`)
    for (const one of own) print(io, correctionText(one))
  }
  return EXIT.done
}

export async function dropOne(io: Io, options: DecidingOptions, [written = '']: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  if (!/^[1-9]\d{0,14}$/.test(written))
    throw new SyncError('USAGE', `${JSON.stringify(written)} is no id of a correction`, {
      hint: 'See contact-sync corrections list.',
    })
  const done = await decided(
    { io, options, settings },
    { kind: 'corrections drop', args: { id: Number(written) } },
  )
  if (options.json === true) printJson(io, done)
  else
    for (const { id, pipeline, key, field, waits_in: run } of done.dropped) {
      print(io, `correction ${id} (${field} of ${key}) dropped; the next file of ${pipeline} counts again`)
      if (run !== null)
        print(
          io,
          `  a change of run ${run} that waits has its value, and sends it: contact-sync held drop ${run} --key ${shellWord(key)}`,
        )
    }
  return EXIT.done
}

export async function exportCorrections(
  io: Io,
  options: CommonOptions,
  [file, ...names]: string[],
): Promise<number> {
  if (file === undefined)
    throw new SyncError('USAGE', 'corrections export needs the name of the file to write')
  const path = outputFile(file, {
    cwd: io.cwd,
    settings: await commandSettings(io, options),
    configurations: [configFile(io, options)],
    json: options.json,
  })
  const corrections = await correctionsOf(io, options, names)
  const rows = corrections.map((one) => ({
    ...{ pipeline: one.pipeline, file: one.file ?? '', line: String(one.line ?? ''), key: one.key },
    ...{ field: one.field, column: columnsOf(one), value_in_source: inSource(one), corrected: one.value },
    ...{ reason: one.note ?? '', by: one.by, at: new Date(one.at).toISOString() },
  }))
  const { replaced } = await writeExport(path, (part) => writeCorrectionsCsv(part, rows))
  if (options.json === true) printJson(io, { file: path, corrections: rows.length, replaced })
  else printError(io, `${plural(rows.length, 'correction')} written to ${path}${replacedText(replaced)}`)
  return EXIT.done
}

const importedOf = ({ pipeline, key, field, corrected, reason }: CorrectionRow): ImportedCorrection => ({
  ...{ pipeline, record: `key:${key}`, fields: { [field]: corrected } },
  ...(reason === '' ? {} : { note: reason }),
})

export async function takeCorrections(
  io: Io,
  options: DecidingOptions,
  [file = '']: string[],
): Promise<number> {
  const settings = await commandSettings(io, options)
  const read = await readCorrectionsCsv(resolve(io.cwd, file))
  const rows = read.map(({ values }) => importedOf(values))
  const done = await decided({ io, options, settings }, { kind: 'corrections import', args: { rows } })
  const refused = done.refused.map(({ row, reason }) => ({ row, line: read[row - 1]?.line ?? null, reason }))
  if (options.json === true) printJson(io, { ...done, refused })
  else {
    const same = done.same === 0 ? '' : `, ${number(done.same)} held already`
    print(io, `${plural(done.taken, 'correction')} taken${same}`)
    for (const { line, reason } of refused) print(io, `  line ${line} refused: ${reason}`)
  }
  return done.refused.length === 0 ? EXIT.done : EXIT.partial
}
