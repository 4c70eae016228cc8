// People whom the source calls unsubscribed, and a key that may not say so: by the real command line against the sandbox.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { KEY, openWorkshop, type Workshop } from '../support/cli.ts'

let shop: Workshop
let permitted: Sandbox | undefined
beforeEach(async () => {
  shop = await openWorkshop({ mailStatusPermission: false }, { sandboxDb: 'sandbox.db' })
})
afterEach(async () => {
  await permitted?.close()
  permitted = undefined
  await shop.close()
})

/** The same service at the same address, with a key that may set mail_status. */
async function givePermission(): Promise<void> {
  const port = Number(new URL(shop.sandbox.url).port)
  await shop.sandbox.close()
  permitted = await startSandbox({
    port,
    apiKey: KEY,
    habits: { mailStatusPermission: true },
    clock: systemClock,
    db: shop.path('sandbox.db'),
  })
}

const MAILS = Array.from({ length: 5 }, (_, index) => `left${index}@example.com`)
const statuses = async (): Promise<unknown[]> =>
  (await Promise.all(MAILS.map((mail) => shop.contacts(mail, 'mail_status')))).map((found) =>
    found.map(({ mail_status: status }) => status),
  )

it('an unsubscribed export makes nobody while the key may not set mail_status, and everybody once it may', async () => {
  const { readFile } = await import('node:fs/promises')
  const config = await readFile(shop.path('config.yaml'), 'utf8')
  const mapped = 'map: { mail: EMAIL, mail_status: { column: STATUS, lookup: { unsubscribed: "2" } } }'
  await shop.configure(config.replace('key: no', 'key: EMAIL').replace(/map: .*/, mapped))
  await shop.drop(
    'shop',
    'unsubscribed.csv',
    ['EMAIL,STATUS', ...MAILS.map((mail) => `${mail},unsubscribed`), ''].join('\n'),
  )
  const first = await shop.cli('run', '--json')
  expect(JSON.parse(first.stdout)).toMatchObject({ pipelines: [{ read: 5, created: 0, failed: 5 }] })
  expect(first.code).toBe(3)
  expect(await statuses()).toEqual([[], [], [], [], []])
  const log = (await shop.cli('audit', 'export', shop.path('log.jsonl'))).code
  expect(log).toBe(0)
  const done = (await readFile(shop.path('log.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { outcome: string; fields: Record<string, unknown> })
    .filter(({ outcome, fields }) => outcome === 'done' && 'mail_status' in fields)
  expect(done).toEqual([])
  await givePermission()
  const second = await shop.cli('run', '--json')
  expect(JSON.parse(second.stdout)).toMatchObject({ pipelines: [{ created: 5, failed: 0 }] })
  expect(await statuses()).toEqual([[2], [2], [2], [2], [2]])
})
