// What a worker answers to decisions that come by the rows of a server, when the state fails meanwhile.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Fleet } from '../../../src/core/fleet.ts'
import { SyncError } from '../../../src/core/words/errors.ts'
import { openDesk } from '../../../src/app/decisions/desk-server.ts'
import type { Owner } from '../../../src/app/decisions/owner.ts'
import type { Log } from '../../../src/log/log.ts'

const unhandled = vi.fn()
afterEach(() => process.off('unhandledRejection', unhandled))

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the desk of a worker', () => {
  it('does not end the process where the state refuses each call', async () => {
    process.on('unhandledRejection', unhandled)
    const answer = vi.fn<Fleet['answer']>(() => {
      throw new SyncError('STATE_IO', 'the state cannot be reached')
    })
    const fleet = {
      asked: () => Promise.resolve([{ id: 1, request: 'no request' }]),
      answer,
      crowd: () => 1,
    } as unknown as Fleet
    const refused = Promise.withResolvers<undefined>()
    const log = { warn: () => refused.resolve(undefined) } as unknown as Log
    const desk = await openDesk({ state: { fleet } } as unknown as Owner, log)
    await refused.promise
    await desk.close()
    await nextTurn()
    expect(answer).toHaveBeenCalled()
    expect(unhandled).not.toHaveBeenCalled()
  })
})
