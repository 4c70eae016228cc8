// A pipeline that reads real files of bytes by its configuration, in one process: what a run does with a file, and what a
// plan says of it.
import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSettings, problemText } from '../../src/config/load.ts'
import type { PipelineResult } from '../../src/sync/run.ts'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { systemClock } from '../../src/system.ts'
import { testLine } from '../support/line.ts'
import { COLUMNS, type Row } from './members.ts'

/** As `init` proposes it from samples, and narrower where it is known that every file holds all of the club. */
const CONFIGURATION = `
service: { base_url: "https://service.example", api_key: "\${KEY}" }
state: { path: state.db }
pipelines:
  club:
    source: { type: csv, folder: inbox, settle: 0s }
    mode: full
    key: Nr
    on_invalid: drop
    map:
      mail: { column: E-Mail, on_invalid: reject }
      title: { column: Anrede, lookup: { Frau: f, Herr: m }, optional: true }
      first_name: { column: Vorname, optional: true }
      family_name: { column: Nachname, optional: true }
      phone: { column: Telefon, phone: DE, optional: true }
      ba_street: { column: Straße, optional: true }
      ba_postal_code: { column: PLZ, optional: true }
      ba_city: { column: Ort, optional: true }
      ba_country: { column: Land, country: true, optional: true }
      date_of_birth: { column: Geburtstag, date: dd.MM.yyyy, optional: true }
      company: { column: Firma, optional: true }
      job_title: { column: Beitrag, number: { decimal: "," }, optional: true }
    terms: { policy: managed, assign: [{ column: Gruppen, split: "," }, { column: Status }] }
    expect:
      columns: exact
      records: { least: 100, change: 15% }
      blank: { Nr: 0%, E-Mail: 5%, Telefon: 25%, Firma: 90%, Vorname: 5%, Nachname: 5%, Ort: 5%, Geburtstag: 5% }
      values:
        Anrede: [Frau, Herr]
        Land: [Deutschland, Österreich, Schweiz]
        Status: [aktiv, passiv, ruhend]
        Vorname: { change: 5% }
        Nachname: { change: 5% }
        E-Mail: { change: 5% }
        Telefon: { change: 5% }
        Straße: { change: 5% }
        PLZ: { change: 5% }
        Ort: { change: 5% }
        Geburtstag: { change: 5% }
        Firma: { change: 5% }
        Beitrag: { change: 5% }
`

async function pipelineIn(folder: string) {
  const loaded = await loadSettings({
    file: join(folder, 'config.yaml'),
    env: { KEY: 'key' },
    kinds: SOURCE_KINDS,
    presetFolder: folder,
    readFile: () => Promise.resolve(Buffer.from(CONFIGURATION)),
  })
  if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'))
  return loaded.settings.pipelines[0]!
}

const cell = (value: string): string => (/[;"\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

export const lines = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(';')}\r\n`).join('')

/** The export of a day, as its exporter writes it. */
export const csv = (rows: readonly Row[]): string =>
  lines([COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))])

export interface World {
  run(text: string): Promise<PipelineResult>
  /** What a run would do with the file, which is then taken away. */
  plan(text: string | Buffer): Promise<{ status: string; reason: string; changes: number }>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'expect-'))
  const pipeline = await pipelineIn(folder)
  const inbox = join(folder, 'inbox')
  await mkdir(inbox)
  const line = testLine({ pipeline, source: createSource(pipeline.source, { clock: systemClock }) })
  let number = 0
  const drop = async (text: string | Buffer): Promise<string> => {
    const file = join(inbox, `${String((number += 1)).padStart(5, '0')}.csv`)
    await writeFile(file, text)
    return file
  }
  return {
    async run(text) {
      await drop(text)
      return line.run()
    },
    async plan(text) {
      const file = await drop(text)
      const { changes, totals } = await line.preview()
      await unlink(file)
      const [input] = totals.files
      return { status: input?.status ?? '', reason: input?.error ?? '', changes: changes.length }
    },
    close: () => rm(folder, { recursive: true }),
  }
}
