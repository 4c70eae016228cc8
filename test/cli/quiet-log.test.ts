// What a command says while it waits for the service, and what it leaves to the log.
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { planLog } from '../../src/cli/commands/quiet-log.ts'
import { printed } from '../../src/cli/guarded.ts'
import type { Io } from '../../src/cli/io.ts'
import type { Settings } from '../../src/core/settings.ts'
import type { Log } from '../../src/log/log.ts'

const SETTINGS = { log: { level: 'info', format: 'pretty', keep: 0 }, secrets: [] } as unknown as Settings

interface Said {
  readonly log: Log
  said(): string
}

function opened(isTerminal: boolean): Said {
  const stderr = new PassThrough()
  let text = ''
  stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const io = { stderr, isTerminal } as unknown as Io
  return { log: planLog(io, SETTINGS), said: () => text }
}

it('tells of a long wait once, however many calls are told of it', async () => {
  const { log, said } = opened(false)
  const ofRun = log.with({ pipeline: 'shop' })
  ofRun.debug('requests paused', { wait_ms: 60_000 })
  ofRun.debug('requests paused', { wait_ms: 59_000 })
  log.info('requests paused: the service had asked for it before', { wait_ms: 60_000 })
  await log.close()
  expect(said()).toBe('the service has asked to wait: nothing is sent for 1 min, then this continues\n')
})

it('tells of it again where it has become longer', async () => {
  const { log, said } = opened(false)
  log.debug('service throttling: requests slowed', { wait_ms: 60_000, answer: '429' })
  log.debug('service throttling: requests slowed', { wait_ms: 600_000, answer: '429' })
  await log.close()
  expect(said().match(/nothing is sent for (1 min|10 min)/g)).toHaveLength(2)
})

it('says why a request is sent again, and when', async () => {
  const { log, said } = opened(false)
  const retry = { method: 'GET', path: '/terms', attempt: 3, answer: 'GET /terms: 503' } as const
  log.debug('request retry scheduled', { ...retry, wait_ms: 4_000 })
  expect(said()).toBe('')
  log.debug('request retry scheduled', { ...retry, wait_ms: 30_000 })
  await log.close()
  expect(said()).toBe('GET /terms: 503; it is sent again in 30 s\n')
})

it('takes the line that moves away first, on a terminal', async () => {
  const { log, said } = opened(true)
  log.debug('requests paused', { wait_ms: 60_000 })
  await log.close()
  expect(printed(said())).toMatch(/^\r\u001b\[2Kthe service has asked to wait/)
})
