// `status`: what it says of a pipeline, on terminals of any width and anywhere else.
import { printed } from '../../src/cli/guarded.ts'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { PipelineStatus } from '../../src/app/standing.ts'
import { ownerText, pauseText, rateText, standingText } from '../../src/cli/status-text.ts'
import { terminalOf, widthOf, wrap } from '../../src/cli/terminal.ts'
import { SyncError } from '../../src/core/words/errors.ts'
import { noCounts } from '../../src/core/outcome/summary.ts'

const NOW = Date.UTC(2026, 10, 21, 14, 0, 0)
const MINUTE = 60_000

const run = {
  id: 'r1',
  pipeline: 'shop',
  startedAt: NOW - 3 * MINUTE,
  endedAt: NOW - 2 * MINUTE,
  status: 'ok',
  counts: { ...noCounts(), held_deletes: 0, read: 3, created: 2, unchanged: 1 },
  error: undefined,
  code: undefined,
  drift: 0,
  refused: 0,
} as const

const standing: PipelineStatus = {
  pipeline: 'shop',
  lastRun: run,
  isRunning: false,
  nextRun: NOW + 12 * MINUTE,
  watches: false,
  lastSuccess: NOW - 2 * MINUTE,
  waiting: { files: 0, bytes: 0, unsettled: 0, refused: 0, error: undefined },
  toSend: { changes: 0, requests: 0, seconds: 0 },
  linked: 1203,
  rejects: 0,
  held: 0,
  released: 0,
  editsToRelease: 0,
  failedFiles: { files: 0, oldest: undefined, error: undefined },
  inDoubt: 0,
  onItsWay: 0,
  paused: undefined,
  drift: undefined,
  toBeTriedAgain: 0,
}

function screen(columns: number, env: Record<string, string> = { NO_COLOR: '1' }) {
  return terminalOf({ stdout: Object.assign(new PassThrough(), { isTTY: true, columns }), env })
}
const plain = terminalOf({ stdout: new PassThrough(), env: {} })
const lines = (changes: Partial<PipelineStatus>): readonly string[] =>
  standingText({ ...standing, ...changes }, NOW, plain)

describe('a pipeline', () => {
  it('where all is well', () => {
    expect(lines({})).toEqual([
      'shop: last run 2026-11-21 13:57:00 UTC (3 min ago): ok; next run 2026-11-21 14:12:00 UTC (in 12 min)',
      '  3 records read: 2 created, 1 unchanged',
      '  1,203 contacts linked, nothing open',
    ])
  })

  it('that never ran, and has no schedule', () => {
    expect(lines({ lastRun: undefined, nextRun: undefined, linked: 0 })).toEqual([
      'shop: never ran; runs only when asked',
      '  0 contacts linked, nothing open',
    ])
  })

  it('that watches its folder: when it runs', () => {
    const [watching = ''] = lines({ nextRun: undefined, watches: true })
    expect(watching).toMatch(/: ok; runs when a file lands$/)
    expect(lines({ watches: true })[0]).toMatch(/\(in 12 min\), or when a file lands$/)
  })

  it('that is paused: no next run', () => {
    const paused = { pipeline: 'shop', since: NOW - MINUTE, by: 'anna', reason: undefined }
    for (const watches of [true, false])
      expect(lines({ watches, paused })[0]).toBe('shop: last run 2026-11-21 13:57:00 UTC (3 min ago): ok')
  })

  it('whose contacts are compared by the daemon', () => {
    const counts = { checked: 1200, differing: 4, gone: 1, kept: 0, unanswered: 0, by_field: { phone: 4 } }
    const drift = { pipeline: 'shop', startedAt: NOW - 9 * MINUTE, endedAt: NOW - MINUTE, after: '', counts }
    expect(lines({ drift })).toContain(
      '  drift: 4 of 1,200 contacts differ (0.3%), compared until 2026-11-21 13:59:00 UTC',
    )
  })

  it('that was paused when it ran: what is true now', () => {
    const lastRun = { ...run, status: 'held', error: 'paused since yesterday', code: 'PAUSED' } as const
    const since = { pipeline: 'shop', since: NOW - MINUTE, by: 'anna', reason: undefined }
    const now = lines({ lastRun, paused: since })
    expect(now.filter((line) => line.includes('paused'))).toEqual([
      '  ! paused since 2026-11-21 13:59:00 UTC by anna; it sends nothing. To let it run again: contact-sync resume shop',
    ])
    const resumed = lines({ lastRun }).filter((line) => /paused|resume/.test(line))
    expect(resumed).toEqual(['  the pipeline was paused then, and is no longer: the next run continues'])
  })

  it('in the midst of a run: what is still to send, and for how long', () => {
    const going = { ...run, endedAt: undefined, status: undefined, counts: undefined }
    expect(
      lines({
        lastRun: going,
        isRunning: true,
        toSend: { changes: 900, requests: 300, seconds: 60 },
        toBeTriedAgain: 902,
      }),
    ).toEqual([
      expect.stringMatching(/^shop: running since 2026-11-21 13:57:00 UTC/),
      '  still to send: 900 changes, 300 requests, at least 1 min under the rate limit',
      '  1,203 contacts linked',
      '  ! 2 tried again by the next run',
    ])
    expect(lines({ lastRun: going })[0]).toContain('cut off')
  })

  it('that was given up: why, and what to do', () => {
    const failed = { ...run, status: 'failed', error: 'no connection', code: 'SERVICE_UNREACHABLE' } as const
    expect(lines({ lastRun: failed })).toEqual([
      expect.stringContaining('failed'),
      '  3 records read: 2 created, 1 unchanged',
      '  SERVICE_UNREACHABLE: no connection',
      '  Check service.base_url and the network; the next run continues where this one stopped.',
      '  1,203 contacts linked, nothing open',
    ])
  })

  it('with edits that wait for a release', () => {
    expect(lines({ editsToRelease: 2 }).slice(2)).toEqual([
      '  1,203 contacts linked',
      '  ! 2 edits at the service to be released: contact-sync edits list shop',
    ])
  })

  it('with released changes: what is left is held, and what is released goes by itself', () => {
    expect(lines({ held: 7, released: 3 }).slice(3)).toEqual([
      '  ! 4 held: contact-sync held list shop',
      '  ! 3 released, sent by the next run',
    ])
    expect(lines({ held: 3, released: 3 }).slice(3)).toEqual(['  ! 3 released, sent by the next run'])
  })

  it('with files that failed', () => {
    const error = new SyncError('ARCHIVE_FAILED', '/inbox/failed cannot be read')
    expect(lines({ failedFiles: { files: 2, oldest: NOW - 3 * MINUTE, error: undefined } }).at(-1)).toMatch(
      /^ {2}! 2 files in failed\/, the oldest since 2026-11-21 13:57:00 UTC \(3 min ago\)/,
    )
    expect(lines({ failedFiles: { files: 0, oldest: undefined, error } }).at(-1)).toContain(
      '! /inbox/failed cannot be read. ',
    )
  })

  it('with something to do: files that wait, and a command for each open end', () => {
    const waiting = { files: 2, bytes: 1_300_000, unsettled: 1, refused: 1, error: undefined }
    expect(lines({ waiting, rejects: 1, held: 7, inDoubt: 2 }).slice(2)).toEqual([
      '  inbox: 2 files (1.3 MB), 1 still growing, 1 that would be rejected (contact-sync check)',
      '  1,203 contacts linked',
      '  ! 1 reject: contact-sync rejects list shop',
      '  ! 7 held: contact-sync held list shop',
      '  ! 2 in doubt: contact-sync doubts list shop',
    ])
    const error = new SyncError('INPUT_FOLDER_MISSING', 'the folder /inbox does not exist')
    expect(lines({ waiting: { ...waiting, error } })[2]).toContain(
      'inbox: the folder /inbox does not exist. Create',
    )
  })
})

describe('on a terminal', () => {
  const text = (columns: number): readonly string[] =>
    standingText(
      { ...standing, rejects: 1, toSend: { changes: 900, requests: 300, seconds: 60 } },
      NOW,
      screen(columns),
    )

  it.each([120, 80, 60, 40, 30])('of %i columns no line is longer, and no command is broken', (columns) => {
    for (const line of text(columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    expect(text(columns).join('\n').replaceAll(/\n +/g, ' ')).toContain('contact-sync rejects list shop')
  })

  it('there are colours, few of them, unless NO_COLOR or a dumb terminal says no', () => {
    const coloured = printed(standingText(standing, NOW, screen(80, {})).join('\n'))
    expect(coloured).toContain('\u001b[32mok\u001b[0m')
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect(standingText(standing, NOW, screen(80, env)).join()).not.toContain('\u001b')
    expect(standingText(standing, NOW, screen(80, { NO_COLOR: '' })).join()).toContain('\u001b')
    expect(standingText(standing, NOW, plain).join()).not.toContain('\u001b')
  })

  it('a word that is too long stays whole', () => {
    expect(wrap('  a bbbbbbbbbbbbbbbb c', 10, 4)).toEqual(['  a', '    bbbbbbbbbbbbbbbb', '    c'])
    expect(wrap('one', 10)).toEqual(['one'])
  })
})

describe('for all pipelines', () => {
  const rate = {
    requests: 500,
    perMs: 1000,
    allowed: 500,
    used: 12,
    slowedUntil: undefined,
    pausedUntil: undefined,
    perDay: undefined,
    usedOfDay: undefined,
  }
  const common = { pause: undefined, rate, erasedSeen: [], handOver: undefined }

  it('the rate in force, as configured or as the service asked', () => {
    expect(rateText(common, NOW, plain)).toEqual(['Rate: 500 requests in 1 s; 12 used now.'])
    const slowed = { ...rate, allowed: 250, slowedUntil: NOW + MINUTE, perDay: 10_000, usedOfDay: 9_000 }
    expect(rateText({ ...common, rate: slowed }, NOW, plain)).toEqual([
      'Rate: 250 of 500 requests in 1 s, because the service asked for fewer (all again in 1 min); 12 used now; 9,000 of 10,000 requests in 24 hours used.',
    ])
    const paused = { ...rate, pausedUntil: NOW + 14 * MINUTE }
    expect(rateText({ ...common, rate: paused }, NOW, plain)).toEqual([
      'Rate: 500 requests in 1 s; nothing is sent for 14 min, because the service asked to wait; 12 used now.',
    ])
  })

  it('a pause: since when, why, and what ends it', () => {
    const pause = {
      since: NOW - MINUTE,
      code: 'SERVICE_KEY_REFUSED',
      reason: 'the service said 401',
    } as const
    const [text = '', ...more] = pauseText({ ...common, pause }, NOW, plain)
    expect(text).toContain(
      '! Paused since 2026-11-21 13:59:00 UTC (1 min ago): no run starts: SERVICE_KEY_REFUSED',
    )
    expect(more).toEqual([])
    expect(pauseText(common, NOW, plain)).toEqual([])
  })
})

it('owners', () => {
  expect(ownerText({ pid: 12, since: NOW - 60 * MINUTE }, NOW)).toBe(
    'Process 12 has held the state since 2026-11-21 13:00:00 UTC (1 h ago).',
  )
  expect(ownerText(undefined, NOW)).toContain('No contact-sync process')
})
