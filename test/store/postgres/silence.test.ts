// A server that falls silent is given up, and one that works on a long statement is not.
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openChannel } from '../../../src/store/postgres/channel.ts'
import { assertAnswering, createSilenceWatch, isOfServer } from '../../../src/store/postgres/silence.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

describe('what is asked of a server', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function watched(looks: readonly boolean[]) {
    const left = [...looks]
    const giveUp = vi.fn()
    const isAtWork = vi.fn(() => Promise.resolve(left.shift() ?? true))
    return { ...createSilenceWatch({ isAtWork, giveUp }), isAtWork, giveUp }
  }

  it('may take as long as the session works on it', async () => {
    const { begin, end, isAtWork, giveUp } = watched([true, false, true, false, true])
    begin()
    await vi.advanceTimersByTimeAsync(60_000)
    end()
    expect(isAtWork.mock.calls.length).toBeGreaterThan(5)
    expect(giveUp).not.toHaveBeenCalled()
  })

  it('is given up after three looks that find the session away or at rest', async () => {
    const { begin, isAtWork, giveUp } = watched([false, false, false])
    begin()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(isAtWork).toHaveBeenCalledTimes(3)
    expect(giveUp).toHaveBeenCalledTimes(1)
  })

  it('is not looked after once it was answered, also during a look', async () => {
    const { begin, end, isAtWork, giveUp } = watched([false, false, false])
    begin()
    end()
    begin()
    await vi.advanceTimersByTimeAsync(5500)
    end()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(isAtWork).toHaveBeenCalledTimes(1)
    expect(giveUp).not.toHaveBeenCalled()
  })

  it('is at work as far as one knows where the server answers with an error', () => {
    expect(['53300', '57P03', '42501'].map(isOfServer)).toEqual([true, true, true])
    expect(['ETIMEDOUT', 'ECONNREFUSED', 'EPIPE', ''].map(isOfServer)).toEqual([false, false, false, false])
  })
})

const parentOf = (pid: number): number =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[1],
  )

describe.skipIf(POSTGRES === undefined)('a server that falls silent', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(() => server.stop())

  it('is said not to answer, by one that waits for it and by one that asks whether it is there', async () => {
    const channel = openChannel(server.url, 'contact_sync at here')
    const ask = (text: string) => channel.ask([{ text, values: [] }])[0]?.rows[0]?.[0]
    const session = Number(ask('SELECT pg_backend_pid()'))
    const all = [parentOf(session), session]
    for (const pid of all) process.kill(pid, 'SIGSTOP')
    try {
      expect(() => ask('SELECT 1')).toThrow(
        'the state contact_sync at here cannot be reached (ETIMEDOUT: the server did not answer)',
      )
      await expect(assertAnswering({ path: '', url: server.url, schema: 'contact_sync' })).rejects.toThrow(
        /cannot be reached \(ETIMEDOUT/,
      )
    } finally {
      for (const pid of all) process.kill(pid, 'SIGCONT')
    }
    channel.close()
    await expect(
      assertAnswering({ path: '', url: server.url, schema: 'contact_sync' }),
    ).resolves.toBeUndefined()
  }, 60_000)
})
