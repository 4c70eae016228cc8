// The service contract, held to the client with the sandbox behind it, and to the service in memory that
// stands in for both in tests of the run.
import { startSandbox } from '../../src/sandbox/server.ts'
import { createService } from '../../src/service/service.ts'
import { systemClock } from '../../src/system.ts'
import { describeServiceContract } from '../contracts/service.ts'
import { memoryService } from '../support/memory-service.ts'
import { serviceSettings } from '../support/pipeline.ts'

const apiKey = 'key-1'

for (const container of ['array', 'keyed'] as const)
  describeServiceContract(`client and sandbox, ${container} container`, async () => {
    const sandbox = await startSandbox({ port: 0, apiKey, clock: systemClock })
    const settings = serviceSettings({
      base_url: sandbox.url,
      api_key: apiKey,
      bulk: { size: 50, container },
      rate_limit: { requests: 1_000, per: 1_000, concurrency: 4, per_day: undefined },
    })
    const service = createService(settings, { clock: systemClock, random: () => 0 })
    return {
      session: service.session({ signal: new AbortController().signal }),
      async close() {
        await service.close()
        await sandbox.close()
      },
    }
  })

describeServiceContract('memory', () => {
  const service = memoryService()
  service.customFields.push({
    id: 1,
    name: 'nickname',
    label: 'Nickname',
    description: '',
    type: 'text_textfield',
    required: false,
    multiple: undefined,
  })
  return Promise.resolve({ session: service.session(), close: () => Promise.resolve() })
})
