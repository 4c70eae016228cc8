// From the paths of sample files to a proposal: reads them, looks which vendor they are of, and has the mapping proposed.
import { SyncError } from '../../core/words/errors.ts'
import { buildProposal, type Proposal } from '../../core/proposal/proposal.ts'
import { createSampleCollector } from '../../core/proposal/samples.ts'
import type { SampleReading } from '../../sources/csv/sample.ts'
import { readSampleFile } from '../../sources/sample-file.ts'
import { knownExport } from './known-export.ts'

/** What all samples have in common; throws USAGE where they have not. */
function common(
  readings: readonly SampleReading[],
  name: 'encoding' | 'delimiter' | 'quote' | 'type',
  files: readonly string[],
): string {
  const values = readings.map((reading) => reading[name])
  const [first = '', ...others] = new Set(values)
  // ASCII is read as UTF-8, and decides nothing about the others.
  const telling =
    name === 'encoding' ? [first, ...others].filter((one) => one !== 'utf-8') : [first, ...others]
  if (
    telling.length > 1 ||
    (name === 'encoding' && telling.length === 1 && others.length > 0 && first !== telling[0])
  )
    return telling.length === 1 ? (telling[0] ?? first) : differing(files, values)
  return telling[0] ?? first
}

function differing(files: readonly string[], values: readonly string[]): never {
  const each = files.map((file, index) => `${file}: ${JSON.stringify(values[index])}`).join(', ')
  throw new SyncError('USAGE', `the samples have different formats (${each})`, {
    hint: 'Give samples of one export only; another export needs another pipeline.',
  })
}

/** Reads every sample whole. Throws a SyncError for a file that cannot be read as what its name says. */
export async function proposeFrom(files: readonly string[]): Promise<Proposal> {
  const collector = createSampleCollector()
  const readings: SampleReading[] = []
  for (const file of files) readings.push(await readSampleFile(file, collector))
  const samples = collector.samples()
  const rejected = readings.reduce((sum, { ragged }) => sum + ragged.rejected, 0)
  const left = readings.reduce((sum, { ragged }) => sum + ragged.auto, 0)
  const type = common(readings, 'type', files) as SampleReading['type']
  const form = {
    ...{ type, sheet: readings[0]?.sheet, records: readings[0]?.records },
    encoding: common(readings, 'encoding', files),
    delimiter: common(readings, 'delimiter', files),
    quote: common(readings, 'quote', files),
    skipLines: readings[0]?.skipLines ?? 0,
    isRagged: left < rejected,
    unended: readings.filter(({ endsWithLineBreak }) => !endsWithLineBreak).length,
  }
  const written = Math.max(...readings.map(({ writtenAt }) => writtenAt))
  const fileDate = new Date(written).toISOString().slice(0, 10)
  // Presets are of exports as CSV.
  const known = type === 'csv' ? await knownExport(samples.files.map(({ header }) => header)) : undefined
  return buildProposal({ samples, form, fileDate, known })
}
