// The thread that speaks with a server wakes the one that asked; a wake that comes late belongs to an answer before.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openChannel, SIGNAL } from '../../../src/store/postgres/channel.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

describe.skipIf(POSTGRES === undefined)('an answer of a server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(() => server.stop())

  it('is that to its own question, when a wake of the one before comes late', () => {
    const channel = openChannel(server.url, 'there')
    const asked = (value: number): unknown =>
      channel.ask([{ text: `SELECT ${value}`, values: [] }])[0]?.rows[0]?.[0]
    expect(asked(1)).toBe(1)
    const late = vi.spyOn(Atomics, 'wait').mockImplementationOnce(() => 'ok')
    expect([asked(2), asked(3), asked(4)]).toEqual([2, 3, 4])
    expect(late).toHaveBeenCalled()
    late.mockRestore()
    channel.close()
  })

  it('is never that to another question: where it is not there, nothing more is asked', () => {
    const channel = openChannel(server.url, 'there')
    const ask = (text: string) => (): unknown => channel.ask([{ text, values: [] }])
    ask('SELECT 1')()
    const early = vi.spyOn(Atomics, 'wait').mockImplementationOnce((signal) => {
      Atomics.store(signal as unknown as Int32Array, SIGNAL.answered, 1)
      return 'ok'
    })
    expect(ask('SELECT pg_sleep(0.3)')).toThrow('the connection has ended')
    expect(early).toHaveBeenCalledTimes(1)
    expect(ask('SELECT 3')).toThrow('the connection has ended')
    early.mockRestore()
    channel.close()
  })
})
