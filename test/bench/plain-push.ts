// What the program is held against where it sends: what somebody who knows the interface writes first. csv-parse, got and
// p-queue, four requests at once; no state, no journal, no log, and nothing that helps after a lost answer.
// `plain-push.ts FILE BASE_URL create` sends everybody in bulk calls of 100; `... update` sends a PUT for every row
// whose job title has changed, and takes the id of the contact for the number of its row.
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import got from 'got'
import PQueue from 'p-queue'
import { FIELDS } from './people-file.ts'

const [file = '', base = '', what = 'create'] = process.argv.slice(2)
const client = got.extend({
  prefixUrl: `${base}/public/api/V1`,
  headers: { authorization: 'Bearer sandbox-key' },
  retry: { limit: 0 },
})
const queue = new PQueue({ concurrency: 4 })

async function send(method: 'POST' | 'PUT', path: string, json: unknown): Promise<void> {
  await queue.onSizeLessThan(8)
  void queue.add(() => client(path, { method, json }).json())
}

const isBlank = ([, value]: readonly [string, unknown]): boolean => value === ''

async function createAll(contacts: readonly unknown[]): Promise<void> {
  if (contacts.length === 0) return
  await send('POST', 'contacts', {
    contacts,
    duplicate_check_method: 'email',
    duplicate_merge_method: 'update_add',
  })
}

let batch: unknown[] = []
let row = 0
const parsed = createReadStream(file).pipe(parse({ columns: true }))
for await (const record of parsed as AsyncIterable<Record<string, string>>) {
  row += 1
  if (what === 'update') {
    if (record['job_title'] === 'Einkauf') continue
    await send('PUT', `contact/${row}`, { job_title: record['job_title'] })
    continue
  }
  const fields = FIELDS.map((field) => [field, record[field]?.trim() ?? ''] as const)
  batch.push(Object.fromEntries(fields.filter((field) => !isBlank(field))))
  if (batch.length < 100) continue
  await createAll(batch)
  batch = []
}
await createAll(batch)
await queue.onIdle()
