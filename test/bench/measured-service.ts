// A service that notes when requests came and were answered, and answers after a time that varies.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServedRequest } from './cost/rate-use.ts'
import { systemClock } from '../../src/system.ts'

export interface MeasuredService {
  readonly address: string
  /** In the order of their arrival. */
  served(): readonly ServedRequest[]
  close(): Promise<void>
}

/** `answerMs`: how long an answer takes at least, and at most. */
export async function startMeasuredService(answerMs: readonly [number, number]): Promise<MeasuredService> {
  const served: { at: number; answered: number | null; isWrite: boolean }[] = []
  const [least, most] = answerMs
  const server = createServer((_, response) => {
    const one = { at: systemClock.monotonic(), answered: null as number | null, isWrite: true }
    served.push(one)
    const takes = least + Math.random() * (most - least)
    void systemClock.sleep(takes).then(() => {
      one.answered = systemClock.monotonic()
      response.end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    served: () => served,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
