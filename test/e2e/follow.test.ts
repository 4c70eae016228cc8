// The operational log beside a real run: one file is followed from its taking to its putting away.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openWorkshop, peopleCsv } from '../support/cli.ts'

it('each file of a run is followed by pipeline, run and number, and by its sum once it was read', async () => {
  const shop = await openWorkshop()
  try {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(`${yaml}log: { folder: log, format: json }\n`)
    const good = peopleCsv(3)
    await shop.drop('shop', 'a.csv', good)
    await shop.drop('shop', 'b.csv', 'no,mail\n')
    await shop.cli('run')
    const names = await readdir(shop.path('log'))
    const text = (await Promise.all(names.map((name) => readFile(shop.path('log', name), 'utf8')))).join('')
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const run = lines.find(({ message }) => message === 'run started')?.['run_id']
    expect(run).toEqual(expect.any(String))
    const file_sha256 = createHash('sha256').update(good).digest('hex').slice(0, 12)
    const of = { pipeline: 'shop', run_id: run, level: 'info' }
    expect(lines.filter((line) => line['file_number'] === 1)).toMatchObject([
      { ...of, message: 'file processing started', files: 2 },
      { ...of, message: 'file read and planned', file_sha256, read: 3, changes: 3 },
      { ...of, message: 'file archived', file_sha256, folder: 'processed' },
    ])
    expect(lines.filter((line) => line['file_number'] === 2 && line['level'] === 'info')).toMatchObject([
      { ...of, message: 'file processing started' },
      { ...of, message: 'file archived', folder: 'failed', code: 'INPUT_COLUMN_MISSING' },
    ])
  } finally {
    await shop.close()
  }
})
