// "Sending" is on the disk before its request leaves: seen from the kernel's side, for every create, update, change of
// terms and delete. Shown to fail for a program that does not wait for the disk, and for one that sends first.
import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, expect, it } from 'vitest'
import { type Mutant, mutant } from '../processes/mutant.ts'
import { judged, linkedKeys } from '../processes/durable-order.ts'
import { happenings, NO_STRACE, straceWorks, traced } from '../processes/strace.ts'
import { MAIN, openWorkshop, type Workshop } from '../support/cli.ts'

const TRACE = 'trace.txt'

let shop: Workshop | undefined
let changed: Mutant | undefined
afterEach(async () => {
  await shop?.close()
  await changed?.remove()
  shop = undefined
  changed = undefined
})

const CONFIGURATION = `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  bulk: { size: 2 }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    mode: full
    on_missing: delete
    guards: { max_deletes: 100%, max_deletes_per: off }
    key: no
    map: { mail: mail, phone: phone }
    terms: { policy: managed, assign: [{ column: tag }] }
`

const csv = (...rows: readonly string[]): string => ['no,mail,phone,tag', ...rows, ''].join('\n')
const FIRST = csv(
  'K0,person0@example.com,1,a',
  'K1,person1@example.com,1,a',
  'K2,person2@example.com,1,a',
  'K3,person3@example.com,1,a',
)
const SECOND = csv('K0,person0@example.com,2,b', 'K1,person1@example.com,1,b', 'K2,person2@example.com,2,a')

async function order(main: string) {
  shop = await openWorkshop({}, { program: [...traced(TRACE), process.execPath, main] })
  const found = { late: [] as string[], requests: 0 }
  await shop.configure(CONFIGURATION)
  for (const text of [FIRST, SECOND]) {
    await writeFile(shop.path('inbox', 'shop', 'a.csv'), text)
    const known = text === FIRST ? new Map<string, string>() : linkedKeys(shop)
    expect(await shop.cli('run')).toMatchObject({ code: 0, stderr: '' })
    const events = happenings(await readFile(shop.path(TRACE), 'utf8'))
    const { late, requests } = judged(events, new Map([...linkedKeys(shop), ...known]))
    found.late.push(...late)
    found.requests += requests
  }
  return found
}

if (!straceWorks) console.warn(`durable-order.test.ts: ${NO_STRACE}`)

it.skipIf(!straceWorks)('every change is on the disk as "sending" before its request leaves', async () => {
  // 4 creates in two calls, 4 terms; then 2 updates, 2 contacts with one term more and one less, 1 delete.
  expect(await order(MAIN)).toEqual({ late: [], requests: 15 })
})

it.skipIf(!straceWorks)('a program that does not wait for the disk is caught', async () => {
  changed = await mutant([
    { file: 'store/file/database.ts', from: 'synchronous = FULL', to: 'synchronous = NORMAL' },
    {
      file: 'store/file/database.ts',
      from: "('synchronous', { simple: true }) !== 2",
      to: "('synchronous') === 2",
    },
  ])
  const { late, requests } = await order(changed.main)
  expect(requests).toBe(15)
  expect(late.length).toBeGreaterThan(10)
})

it.skipIf(!straceWorks)('a program that sends creates before it writes is caught', async () => {
  const call = 'const result = await context.session.createContacts(contacts, createOptions(context, all))'
  changed = await mutant([
    { file: 'sync/send/send.ts', from: '  await context.state.markSending(operations)\n', to: '' },
    { file: 'sync/send/send.ts', from: call, to: `${call}\n  await context.state.markSending(operations)` },
  ])
  const { late } = await order(changed.main)
  expect(late).toHaveLength(4)
})
