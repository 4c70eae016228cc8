// The way to the thread that speaks with the server. Whoever asks stands still, so no answer may be missing for ever.
import { describe, expect, it } from 'vitest'
import { type Channel, openChannel } from '../../../src/store/postgres/channel.ts'

const ONE = [{ text: 'SELECT 1', values: [] }]

/** The whole process stands still. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const refusing = (): Channel => openChannel('postgres://ann:secret@127.0.0.1:1/db', 'contact_sync at here')

describe('the way to a server', () => {
  it('says that it cannot be reached, however long after it is asked', () => {
    const channel = refusing()
    standStill(300)
    for (const _ of [1, 2])
      expect(() => channel.ask(ONE)).toThrow(
        /^the state contact_sync at here cannot be reached \(ECONNREFUSED: /,
      )
    channel.close()
  })

  it('answers nothing after it was closed', () => {
    const channel = refusing()
    channel.close()
    channel.close()
    expect(() => channel.ask(ONE)).toThrow(/ECONNRESET: the connection has ended/)
  })

  it('says that it has ended where the thread could not begin', () => {
    const channel = openChannel('postgres://ann:secret@[nowhere/db', 'contact_sync at here')
    expect(() => channel.ask(ONE)).toThrow(/ECONNRESET: the connection has ended/)
    channel.close()
  })
})
