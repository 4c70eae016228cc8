// Reads a piece of text or bytes through a source of a kind, as a run would.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InputReader } from '../../src/core/ports.ts'
import type { SourceItem } from '../../src/core/mapping/record.ts'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { readAll, stillClock } from '../contracts/source.ts'

export interface ReadOptions {
  readonly name?: string
  readonly columns?: string[]
  readonly optional?: string[]
  readonly lastEndedWithLineBreak?: boolean
  readonly [option: string]: unknown
}

export interface Reading {
  readonly header: readonly string[]
  readonly items: readonly SourceItem[]
  readonly twiceEncoded: InputReader['twiceEncoded']
  readonly contradicted: InputReader['contradicted']
  readonly oddities: ReturnType<NonNullable<InputReader['oddities']>> | undefined
}

/** Header and items of one file. Options are those of the configuration. */
export async function read(
  type: string,
  content: string | Buffer,
  options: ReadOptions = {},
): Promise<Reading> {
  const { name = `file.${type}`, columns = [], optional = [], lastEndedWithLineBreak, ...own } = options
  const folder = mkdtempSync(join(tmpdir(), 'read-'))
  try {
    writeFileSync(join(folder, name), content)
    const checked = SOURCE_KINDS[type]!.schema.parse({ folder, files: '*', settle: '0s', ...own })
    const source = createSource({ type, null_values: [], ...checked }, { clock: stillClock(0) })
    const { ready } = await source.list({ wait: false })
    return await readAll(source, ready[0]!, columns, { optional, lastEndedWithLineBreak })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The values of the items, each row with its line before it. */
export async function rows(type: string, content: string | Buffer, options: ReadOptions = {}) {
  const { items } = await read(type, content, options)
  return items.map((item) => [item.line, ...item.values])
}
