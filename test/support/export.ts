// A vendor's export through its preset, as a run reads and maps it, without a service: what becomes of each row.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSettings } from '../../src/config/load.ts'
import { compileMapping, optionalColumns, wantedColumns } from '../../src/core/mapping/mapping.ts'
import type { SourceItem } from '../../src/core/mapping/record.ts'
import type { InputReader } from '../../src/core/ports.ts'
import { NO_CUSTOM_FIELDS } from '../../src/core/mapping/custom-fields.ts'
import { loadRuleKit } from '../../src/core/mapping/values/rule-kit.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { ordersWithin } from '../../src/sync/plan/date-orders.ts'
import { stillClock } from '../contracts/source.ts'

export const PRESETS = fileURLToPath(new URL('../../config/presets', import.meta.url))

/** What a row gave: a contact with the fields that were dropped, or why there is none. */
export interface Given {
  readonly contact?: Readonly<Record<string, unknown>>
  readonly key?: string | undefined
  readonly dropped?: readonly string[]
  readonly terms?: readonly string[] | undefined
  readonly skipped?: true
  readonly rejected?: string
}

/** A pipeline of which nothing is written but the preset. */
export async function pipelineOf(preset: string): Promise<PipelineSettings> {
  const text = `service: { base_url: https://a.example.com, api_key: "\${CONTACT_SYNC_API_KEY}" }
pipelines: { it: { source: { preset: ${preset}, folder: in } } }`
  const file = '/etc/sync.yaml'
  const loaded = await loadSettings({
    file,
    env: { CONTACT_SYNC_API_KEY: 'a1b2c3d4' },
    kinds: SOURCE_KINDS,
    presetFolder: PRESETS,
    readFile: (path) => (path === file ? Promise.resolve(Buffer.from(text)) : readFile(path)),
  })
  const [pipeline] = loaded.ok ? loaded.settings.pipelines : []
  if (pipeline === undefined) throw new Error(JSON.stringify(loaded))
  return pipeline
}

interface MappedExport {
  readonly header: readonly string[]
  readonly rows: readonly Given[]
}

/** The header of an export, and what becomes of its rows. A file that is refused throws. */
export const mapExport = async (preset: string, file: string): Promise<MappedExport> =>
  mapFile(await pipelineOf(preset), file)

/** The same by any pipeline, wherever its folder is. */
export async function mapFile(configured: PipelineSettings, file: string): Promise<MappedExport> {
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  try {
    copyFileSync(file, join(folder, 'a.csv'))
    const pipeline = { ...configured, source: { ...configured.source, folder, settle: 0 } }
    const source = createSource(pipeline.source, { clock: stillClock(0) })
    const [input] = (await source.list({ wait: false })).ready
    if (input === undefined) throw new Error(`${file} is not taken`)
    const orders = await ordersWithin(input, {}, { source, pipeline, customFields: NO_CUSTOM_FIELDS })
    const kit = await loadRuleKit(pipeline, { writtenAt: Date.UTC(2026, 0, 1), orders })
    const reader = await source.open(input, {
      columns: wantedColumns(pipeline),
      optional: optionalColumns(pipeline),
    })
    try {
      const mapper = compileMapping(pipeline, reader.header, NO_CUSTOM_FIELDS, kit)
      const items = await itemsOf(reader)
      const rows = items.map((item): Given =>
        item.kind === 'record' ? given(mapper.map(item)) : { rejected: item.message },
      )
      return { header: reader.header, rows }
    } finally {
      await reader.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function itemsOf(reader: InputReader): Promise<readonly SourceItem[]> {
  const items: SourceItem[] = []
  for await (const batch of reader.batches()) items.push(...batch)
  return items
}

function given(mapped: ReturnType<ReturnType<typeof compileMapping>['map']>): Given {
  if (mapped.kind === 'skipped') return { skipped: true }
  if (mapped.kind === 'rejected') return { rejected: mapped.reason }
  const { contact, key, mended, terms } = mapped
  return { contact, key, dropped: mended, terms }
}
