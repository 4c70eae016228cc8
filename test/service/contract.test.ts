// The service contract, held to the client with the stand-in behind it.
import { describeServiceContract } from '../contracts/service.ts'
import { createService } from '../../src/service/service.ts'
import { systemClock, systemRandom } from '../../src/system.ts'
import { startStandIn } from './stand-in.ts'

for (const container of ['array', 'keyed'] as const) {
  describeServiceContract(`stand-in, ${container} container`, async () => {
    const standIn = await startStandIn('key-1')
    const service = createService(
      {
        baseUrl: standIn.baseUrl,
        apiKey: 'key-1',
        apiVersion: 'V1',
        timeoutMs: 5_000,
        rateLimit: { requests: 100, perMs: 100, concurrency: 4, perDay: undefined },
        retry: { attempts: 2, maxDelayMs: 10 },
        bulk: { size: 50, container },
        doubt: { quiesceMs: 1, absentReads: 1 },
      },
      { clock: systemClock, random: systemRandom },
    )
    return {
      session: service.session({ signal: new AbortController().signal }),
      async close() {
        await service.close()
        standIn.close()
      },
    }
  })
}
