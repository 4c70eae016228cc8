// The daemon when its state fails: it waits out a full disk, and ends by itself when the disk is broken.
import { expect, it } from 'vitest'
import { startDaemon } from '../../src/app/daemon.ts'
import { type ErrorCode, SyncError } from '../../src/core/errors.ts'
import type { Settings } from '../../src/core/settings.ts'
import type { Log } from '../../src/log/log.ts'
import { testClock } from '../support/clock.ts'
import { pipelineSettings, serviceSettings } from '../support/pipeline.ts'

const SETTINGS: Settings = {
  service: serviceSettings(),
  state: { path: 'unused' },
  file: '/nowhere/contact-sync.yaml',
  log: { level: 'info', consoleLevel: undefined, format: 'json', folder: undefined, keepMs: 1 },
  keep: { processedMs: undefined, failedMs: undefined, rejectsMs: undefined, runsMs: 86_400_000 },
  server: { host: '127.0.0.1', port: 0, hosts: [], token: undefined },
  pipelines: [pipelineSettings({ schedule: '* * * * * *' })],
  secrets: [],
}

const quiet: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  with: () => quiet,
  mask: () => undefined,
  close: () => Promise.resolve(),
}

/** A daemon whose runs end as told, one after the other. */
async function daemonWith(outcomes: (ErrorCode | 'ok')[]) {
  const ending = new AbortController()
  const ran: (() => void)[] = []
  const runs: string[] = []
  const daemon = await startDaemon(
    SETTINGS,
    {
      run() {
        const outcome = outcomes.shift() ?? 'ok'
        runs.push(outcome)
        // What the schedule makes of it comes after this turn.
        setImmediate(() => ran.shift()?.())
        if (outcome === 'ok') return Promise.resolve()
        return Promise.reject(new SyncError(outcome, 'the state has a problem'))
      },
    },
    { clock: testClock(), log: quiet, signal: ending.signal },
  )
  return {
    daemon,
    runs,
    nextRun: async () => new Promise<void>((done) => ran.push(done)),
    end: () => ending.abort(),
    ready: async () => (await fetch(`http://127.0.0.1:${daemon.port}/readyz`)).json(),
  }
}

it('says that the disk is full, tries again when it is due, and is ready again once that went well', async () => {
  const { daemon, runs, nextRun, ready, end } = await daemonWith(['STATE_FULL', 'ok'])
  const ended = daemon.ended()
  await nextRun()
  expect(await ready()).toEqual({ status: 'not ready', reasons: ['pipeline shop is overdue (STATE_FULL)'] })
  await nextRun()
  expect(await ready()).toEqual({ status: 'ready', reasons: [] })
  end()
  await ended
  expect(runs).toEqual(['STATE_FULL', 'ok'])
})

it.each(['STATE_IO', 'STATE_UNUSABLE'] as const)(
  'ends by itself after %s, so that a new process checks the state',
  async (code) => {
    const { daemon, runs } = await daemonWith([code])
    await expect(daemon.ended()).rejects.toMatchObject({ code })
    expect(runs).toEqual([code])
  },
)
