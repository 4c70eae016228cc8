// Archiving a file without the records of people who were erased: the copy is whole before it has its name, and what came
// into the file's place meanwhile stays.
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Naming, Sought } from '../../src/core/erasing.ts'
import type { Source } from '../../src/core/ports.ts'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { systemClock } from '../../src/system.ts'

const HERS = 'ann@example.org,1\n'
const FILE = `mail,n\n${HERS}bob@example.org,2\n`

describe('archive with leaveOut', () => {
  let folder: string
  let source: Source
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leave-out-'))
    const options = SOURCE_KINDS['csv']?.schema.parse({ folder, settle: '0s' })
    source = createSource({ type: 'csv', null_values: [], ...options, folder }, { clock: systemClock })
    writeFileSync(join(folder, 'a.csv'), FILE)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const archived = (): string[] =>
    readdirSync(folder).includes('processed') ? readdirSync(join(folder, 'processed')) : []
  const sought = (onRecord: () => void): Sought => ({
    columns: ['mail'],
    ofLine: () => undefined,
    ofRecord: (_header, values): Naming => {
      onRecord()
      return values.includes('ann@example.org') ? 'surely' : undefined
    },
  })
  async function archive(onRecord: () => void): Promise<boolean> {
    const [input] = (await source.list({ wait: false })).ready
    return source.archive(input!, { folder: 'processed', runId: 'r1', leaveOut: sought(onRecord) })
  }

  it('writes the others, on their lines, and removes the file', async () => {
    expect(await archive(() => expect(archived()).toEqual([]))).toBe(true)
    expect(archived()).toEqual(['a.r1.csv'])
    expect(readFileSync(join(folder, 'processed/a.r1.csv'), 'utf8')).toBe('mail,n\n\nbob@example.org,2\n')
    expect(readdirSync(folder)).toEqual(['processed'])
  })

  it('leaves them out of a file whose permissions have changed since it was read', async () => {
    const [input] = (await source.list({ wait: false })).ready
    const sha256 = createHash('sha256').update(FILE).digest('hex')
    chmodSync(join(folder, 'a.csv'), 0o600)
    const to = { folder: 'processed', runId: 'r1', sha256, leaveOut: sought(() => undefined) } as const
    expect(await source.archive(input!, to)).toBe(true)
    expect(readFileSync(join(folder, 'processed/a.r1.csv'), 'utf8')).toBe('mail,n\n\nbob@example.org,2\n')
  })

  it('archives nothing where another version came meanwhile, and leaves that where it is', async () => {
    writeFileSync(join(folder, '.b'), `${FILE}carl@example.org,3\n`)
    let isFirst = true
    const moved = await archive(() => {
      if (isFirst) renameSync(join(folder, '.b'), join(folder, 'a.csv'))
      isFirst = false
    })
    expect(moved).toBe(false)
    expect(archived()).toEqual([])
    expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toContain('carl')
  })
})
