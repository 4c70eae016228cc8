// Reads a CSV file as a sample, wherever it lies: how it is written, where its header is, and every row. It changes nothing,
// and needs no mapping: the header is the line with most names that columns of contacts have.
import { lstat, realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { readHeader } from '../../core/proposal/header.ts'
import type { SampleForm } from '../../core/proposal/proposal.ts'
import type { SampleCollector } from '../../core/proposal/samples.ts'
import { isMail } from '../../core/proposal/values.ts'
import { SyncError } from '../../core/words/errors.ts'
import { describeFault } from '../fault.ts'
import { openPacked } from '../gzip.ts'
import { fileVersion, type InputFile, openInputFile } from '../input-file.ts'
import { surveyText } from '../text/text-survey.ts'
import { DELIMITERS } from './dialect.ts'
import { DELIMITER_LINE, lineStarts } from './header-line.ts'
import { likelyQuote } from './likely-quote.ts'
import { csvOptions, type CsvOptions } from './options.ts'
import { type CsvReader, readCsv, textHead } from './reader.ts'
import { firstRow } from './rows.ts'

export interface SampleReading {
  readonly type: SampleForm['type']
  /** Of a workbook, where it is not the only one. */
  readonly sheet?: string
  /** Of JSON, where the records are not the whole. */
  readonly records?: string
  readonly encoding: string
  readonly delimiter: string
  readonly quote: string
  readonly skipLines: number
  /** Rows of another width than the header, if they are rejected, and if most rows may decide about them. */
  readonly ragged: { readonly rejected: number; readonly auto: number }
  readonly endsWithLineBreak: boolean
  /** When it was written, in milliseconds. */
  readonly writtenAt: number
}

/** A line with fewer names that are known is taken for the header only where it is the first. */
const FEWEST_NAMES = 2

export const isKnownName = (name: string): boolean => {
  const { meaning, how } = readHeader(name)
  return meaning !== undefined && how !== 'part'
}

/** How many names of columns the first row of a text has, with the delimiter by which it has most. */
const namesIn = (text: string, quote: string): number =>
  Math.max(
    ...DELIMITERS.map((delimiter) => new Set(firstRow(text, { delimiter, quote }).filter(isKnownName)).size),
  )

/** Lines before the header; 0 where no line but the first has names. */
export function linesBeforeHeader(head: string, quote = '"'): number {
  const starts = lineStarts(head)
  const counts = starts.map((start) => namesIn(head.slice(start), quote))
  const most = Math.max(...counts)
  const line = most < FEWEST_NAMES ? 0 : counts.indexOf(most)
  const isNamed = line > 0 && DELIMITER_LINE.test(head.slice(starts[line - 1]))
  return isNamed ? line - 1 : line
}

/** The file, wherever it lies. Throws INPUT_UNREADABLE. */
export async function openedSample(path: string): Promise<{ file: InputFile; writtenAt: number }> {
  try {
    const real = await realpath(path)
    const stats = await lstat(real, { bigint: true })
    const input = { name: basename(path), version: fileVersion(stats), bytes: Number(stats.size) }
    const file = await openInputFile(Buffer.from(real), input)
    return { file: await openPacked(file), writtenAt: Number(stats.mtimeMs) }
  } catch (error) {
    if (error instanceof SyncError) throw error
    throw new SyncError('INPUT_UNREADABLE', `${path} cannot be read: ${describeFault(error)}`, {
      cause: error,
    })
  }
}

interface Beginning {
  readonly skipLines: number
  readonly quote: string
  readonly writtenAt: number
}

const optionsFor = ({ skipLines, quote }: Beginning, ragged: CsvOptions['ragged']): CsvOptions =>
  csvOptions.parse({ folder: '.', last_line: 'accept', skip_lines: skipLines, quote, ragged })

async function withReader<T>(
  path: string,
  options: CsvOptions,
  use: (reader: CsvReader) => Promise<T>,
): Promise<T> {
  const { file } = await openedSample(path)
  const reader = await readCsv(file, options)
  try {
    return await use(reader)
  } finally {
    await reader.close()
  }
}

async function beginningOf(path: string): Promise<Beginning> {
  const { file, writtenAt } = await openedSample(path)
  try {
    const head = await textHead(file, await surveyText(file, 'auto'))
    const quote = likelyQuote(head)
    return { skipLines: linesBeforeHeader(head, quote), quote, writtenAt }
  } finally {
    await file.close()
  }
}

async function raggedRows(
  reader: CsvReader,
  row: (values: readonly string[], line: number) => void,
): Promise<number> {
  let ragged = 0
  for await (const batch of reader.batches())
    for (const item of batch) {
      if (item.kind === 'record') row(item.values, item.line)
      else ragged += 1
    }
  return ragged
}

const ignore = (): void => undefined

/** Reads a sample to its end, and hands its rows to the collector. Throws a SyncError for what is no CSV file with a header. */
export async function readSample(path: string, collector: SampleCollector): Promise<SampleReading> {
  const beginning = await beginningOf(path)
  const rejected = await withReader(path, optionsFor(beginning, 'reject'), (reader) =>
    raggedRows(reader, ignore),
  )
  return withReader(path, optionsFor(beginning, 'auto'), async (reader) => {
    const { header, encoding, delimiter } = reader
    if (header.some(isMail))
      throw new SyncError(
        'INPUT_COLUMN_MISSING',
        `${basename(path)} begins with values, not with the names of its columns`,
        {
          hint: 'Put a line with the names of the columns in front, or write source.header by hand.',
        },
      )
    collector.begin(basename(path), header)
    const auto = await raggedRows(reader, (values, line) => collector.add(values, line))
    const endsWithLineBreak = reader.endsWithLineBreak?.() !== false
    const ragged = { rejected, auto }
    return { type: 'csv', encoding, delimiter, ...beginning, ragged, endsWithLineBreak }
  })
}
