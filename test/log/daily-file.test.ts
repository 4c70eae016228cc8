// The log file a day: what it does when a day changes, when it may not write, and when its folder is removed.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLog, type Log } from '../../src/log/log.ts'

const DAY = 86_400_000
let folder: string
let stderr: PassThrough

const open = (at = join(folder, 'logs')): Log =>
  createLog(
    { level: 'info', console_level: 'error', format: 'json', folder: at, keep: 3 * DAY },
    { secrets: [], stream: stderr },
  )
const files = (): string[] => readdirSync(join(folder, 'logs')).sort()
const file = (day: string): string => join(folder, 'logs', `contact-sync-${day}.log`)
const messages = (day: string): unknown[] =>
  readFileSync(file(day), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { message: unknown }).message)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daily-'))
  stderr = new PassThrough()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 9, 24, 23, 59, 59) })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

it('begins a new file with the new day (UTC), also over a change of clocks, and goes on in it after a restart', async () => {
  const log = open()
  log.info('run started')
  vi.setSystemTime(Date.UTC(2026, 9, 25, 0, 0, 0))
  log.info('run started')
  await log.close()
  const next = open()
  next.info('daemon stopping')
  await next.close()
  expect(files()).toEqual(['contact-sync-2026-10-24.log', 'contact-sync-2026-10-25.log'])
  expect(messages('2026-10-25')).toEqual(['run started', 'daemon stopping'])
})

it('keeps the days of log.keep and removes older ones, those of earlier processes too, and nothing else', async () => {
  mkdirSync(join(folder, 'logs'))
  writeFileSync(file('2026-01-01'), 'old\n')
  writeFileSync(join(folder, 'logs', 'contact-sync-2026-01-01.log.mine'), '')
  writeFileSync(join(folder, 'logs', 'notes.txt'), '')
  const log = open()
  for (let day = 0; day < 10; day += 1) {
    log.info('run started')
    vi.setSystemTime(Date.now() + DAY)
  }
  await log.close()
  expect(files()).toEqual(
    [
      ...['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02'].map((day) => `contact-sync-${day}.log`),
      'contact-sync-2026-01-01.log.mine',
      'notes.txt',
    ].sort(),
  )
})

it('removes nothing because the clock is suddenly years ahead', async () => {
  const log = open()
  log.info('run started')
  vi.setSystemTime(Date.now() + 1000 * DAY)
  log.info('run started')
  vi.setSystemTime(Date.now() - 999 * DAY)
  log.info('run started')
  await log.close()
  expect(files()).toEqual(['2026-10-24', '2026-10-25', '2029-07-20'].map((day) => `contact-sync-${day}.log`))
})

it('is for its owner and its group alone', async () => {
  const log = open()
  log.info('run started')
  await log.close()
  expect((statSync(file('2026-10-24')).mode & 0o137).toString(8)).toBe('0')
  expect((statSync(join(folder, 'logs')).mode & 0o007).toString(8)).toBe('0')
})

it('makes its folder anew when somebody removed it', async () => {
  const log = open()
  log.info('run started')
  rmSync(join(folder, 'logs'), { recursive: true })
  log.info('daemon stopping')
  await log.close()
  expect(messages('2026-10-24')).toEqual(['daemon stopping'])
})

it('goes on without it while the disk is full, says so once on standard error, and how much it lacks afterwards', async () => {
  mkdirSync(join(folder, 'logs'))
  symlinkSync('/dev/full', file('2026-10-24'))
  const log = open()
  log.info('run started')
  log.info('run started')
  rmSync(file('2026-10-24'))
  log.info('daemon stopping')
  await Promise.resolve()
  await log.close()
  const said = String(stderr.read()).trim().split('\n')
  expect(said).toHaveLength(1)
  expect(JSON.parse(said[0] ?? '')).toMatchObject({
    level: 'error',
    message: 'log file not writable: logging to standard error only',
    code: 'ENOSPC',
  })
  expect(messages('2026-10-24')).toEqual(['daemon stopping', 'log file writable again'])
  expect(readFileSync(file('2026-10-24'), 'utf8')).toContain('"lines_lost":2')
})

it('never throws, wherever its folder is said to be', async () => {
  writeFileSync(join(folder, 'file'), '')
  const log = open(join(folder, 'file', 'logs'))
  log.info('run started')
  await log.close()
  expect(String(stderr.read())).toContain('"code":"ENOTDIR"')
})
