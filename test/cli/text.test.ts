// What a person reads: spans, progress, summaries, errors.
import { configFile } from '../../src/cli/config-file.ts'
import { printed } from '../../src/cli/guarded.ts'
import { Readable, PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { shownValue } from '../../src/cli/format.ts'
import { ConfigurationError, errorMessage, exitOfUnhandled } from '../../src/cli/messages.ts'
import { outsideModule, withinModule } from '../../src/sources/module/unhandled.ts'
import { createProgress } from '../../src/cli/progress.ts'
import { resultLines } from '../../src/cli/summary.ts'
import { shellWord } from '../../src/cli/completion/shell-word.ts'
import { SyncError } from '../../src/core/words/errors.ts'
import { noCounts } from '../../src/core/outcome/summary.ts'
import { testClock } from '../support/clock.ts'

it('shows values of a plan', () => {
  expect([shownValue(null), shownValue(''), shownValue('a"b'), shownValue(3)]).toEqual([
    '(blank)',
    '(blank)',
    '"a\\"b"',
    '3',
  ])
})

describe('progress', () => {
  const open = (isTerminal: boolean) => {
    const stderr = new PassThrough()
    const clock = testClock()
    const io = {
      stdout: new PassThrough(),
      stderr,
      env: {},
      cwd: '/',
      pid: 1,
      isTerminal,
      stdin: Readable.from([]),
      isInteractive: false,
      signal: new AbortController().signal,
      onHangup: () => undefined,
      outlastReader: () => undefined,
    }
    return { progress: createProgress('shop', io, clock), clock, written: () => String(stderr.read() ?? '') }
  }

  it('moves on a terminal: records, requests, speed, time left', () => {
    const { progress, clock, written } = open(true)
    progress.report({ phase: 'read', read: 1000, bytesRead: 50, bytesTotal: 200 })
    clock.advance(1000)
    progress.report({ phase: 'apply', planned: 400 })
    clock.advance(2000)
    progress.report({ applied: 100, requests: 5 })
    progress.clear()
    const lines = printed(written()).split('\r\u001b[2K')
    expect(lines[1]).toBe('shop: reading 1,000 records, 25 %')
    expect(lines[3]).toBe('shop: sending 100 of 400 changes, 5 requests, 50 records/s, 6 s left')
    expect(lines.at(-1)).toBe('')
  })

  it('is silent anywhere else', () => {
    const { progress, written } = open(false)
    progress.report({ phase: 'read', read: 1000 })
    progress.clear()
    expect(written()).toBe('')
  })
})

it('a summary says what happened, what to look at, and what to type next', () => {
  const result = {
    pipeline: 'shop',
    run_id: 'r',
    status: 'failed',
    ...noCounts(),
    read: 5,
    created: 1,
    rejected: 1,
    failed: 1,
    held: 1,
    in_doubt: 1,
    held_deletes: 0,
    requests: 7,
    retries: 1,
    duration_ms: 1500,
    drift: 0,
    kept_edits: 0,
    error: 'no connection',
    code: 'SERVICE_UNREACHABLE',
    files: [
      { file: 'a.csv', status: 'refused', error: 'a.csv is empty', hint: 'Drop it again.' },
      { file: 'b.csv', status: 'done' },
    ],
  } as const
  expect(resultLines(result)).toEqual([
    'shop: given up: 5 records in 1.5 s, 7 requests, 1 retry',
    '  1 created, 1 rejected, 1 failed, 1 held, 1 in doubt',
    '  SERVICE_UNREACHABLE: no connection',
    '  refused: a.csv is empty',
    '    Drop it again.',
    '  why records were rejected: contact-sync rejects list shop',
    '  failed records are kept and tried again by the next run',
    '  what is held, and why: contact-sync held list shop',
    '  in doubt: whether these were applied is unknown; the next run looks up those with an e-mail address again, the others need a decision: contact-sync doubts list shop',
  ])
})

describe('errors', () => {
  it.each([
    [
      new SyncError('STATE_LOCKED', 'somebody has it'),
      6,
      'STATE_LOCKED: somebody has it\nThe process that holds the state',
    ],
    [new SyncError('USAGE', 'not so', { hint: 'But so.' }), 2, 'USAGE: not so\nBut so.'],
    [
      new ConfigurationError(['a:1:1: x', 'a:2:1: y']),
      2,
      'a:1:1: x\na:2:1: y\n2 problems in the configuration; nothing was done.',
    ],
    [new SyncError('RUN_UNBALANCED', 'does not add up'), 1, 'RUN_UNBALANCED'],
    [new TypeError('oops'), 1, 'This is a bug in contact-sync.'],
  ])('%s ends with %i', (error, exitCode, text) => {
    const message = errorMessage(error)
    expect(message.exitCode).toBe(exitCode)
    const shown = message.lines.join('\n')
    expect(shown).toContain(text)
    expect(/\n\s+at /.test(shown)).toBe(error instanceof TypeError)
  })

  it('an unknown one quotes its message in one line, and the places of its stack alone', () => {
    const message = 'no "a\n    at everybody\nAll checks passed."'
    const [, first, ...places] = errorMessage(new TypeError(message)).lines
    expect(first).toBe(`TypeError: ${message}`)
    expect(places.length).toBeGreaterThan(0)
    for (const line of places) expect(line).toMatch(/^ +at (?!everybody)/)
    expect(errorMessage('thrown').lines).toContain('thrown')
  })
})

describe('an unhandled error', () => {
  it('ends the process without its message, which may quote a record', () => {
    const stderr = new PassThrough()
    class BrokenRule extends TypeError {}
    const error = new BrokenRule('no rule for ann@example.com\n    at home of ann@example.com')
    expect(exitOfUnhandled(error, { stderr })).toBe(1)
    const text = String(stderr.read())
    expect(text).toContain('This is a bug in contact-sync, which ends here')
    expect(text).toMatch(/these lines: BrokenRule\n +at .*text\.test\.ts/)
    expect(text).not.toContain('ann@example.com')
    expect(exitOfUnhandled('ann@example.com', { stderr })).toBe(1)
    expect(String(stderr.read())).toMatch(/these lines: string\n$/)
  })

  it('of a module is told to its call, and ends nothing', () => {
    const stderr = new PassThrough()
    const told: unknown[] = []
    const call = { report: (error: unknown) => told.push(error) }
    expect(withinModule(call, () => exitOfUnhandled('late', { stderr }))).toBeUndefined()
    expect(told).toEqual(['late'])
    expect(stderr.read()).toBeNull()
    // What the module asks of the program is not the module's.
    expect(withinModule(call, () => outsideModule(() => exitOfUnhandled('ours', { stderr })))).toBe(1)
  })
})

describe('the configuration file', () => {
  it.each([
    [{ config: 'a.yaml' }, '/w/a.yaml'],
    [{ config: '' }, '/w/b.yaml'],
    [{}, '/w/b.yaml'],
  ])('%j', (options, file) => {
    expect(configFile({ cwd: '/w', env: { CONTACT_SYNC_CONFIG: 'b.yaml' } }, options)).toBe(file)
    const none = { cwd: '/w', env: { CONTACT_SYNC_CONFIG: '' } }
    expect(configFile(none, { config: '' })).toBe('/w/config/contact-sync.yaml')
  })
})

it.each([
  ['K-1_a', 'K-1_a'],
  ['a@example.com', 'a@example.com'],
  ['', "''"],
  ['Kunde 7', "'Kunde 7'"],
  ['$(reboot)', "'$(reboot)'"],
  ["O'Hara; x", "'O'\\''Hara; x'"],
])('a key %j in a command that is shown is %s', (key, word) => {
  expect(shellWord(key)).toBe(word)
})
