// What the program is compared with where it sends: the script that a developer who knows the interface writes first. csv-parse, got and
// p-queue, four requests at once; no state, no journal, no log, and nothing that helps after a lost answer.
// `FILE BASE_URL FIELDS create` sends all contacts in bulk calls of 100. `... id` sends a PUT for every row whose job title has
// changed, and takes the id of the contact for the number of its row; `... bulk` sends those rows in bulk calls of 100, by
// their mail. Imports no file of this folder: cost/scripts.ts copies it.
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import got from 'got'
import PQueue from 'p-queue'

const [file = '', base = '', names = '', what = 'create'] = process.argv.slice(2)
const fields = names.split(',')
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

async function sendBulk(contacts: readonly unknown[]): Promise<void> {
  if (contacts.length === 0) return
  await send('POST', 'contacts', {
    contacts,
    duplicate_check_method: 'email',
    duplicate_merge_method: 'update_add',
  })
}

function contactOf(record: Readonly<Record<string, string>>): object {
  if (what === 'bulk') return { mail: record['mail'], job_title: record['job_title'] }
  const values = fields.map((field) => [field, record[field]?.trim() ?? ''] as const)
  return Object.fromEntries(values.filter((value) => !isBlank(value)))
}

let batch: object[] = []
let row = 0
const parsed = createReadStream(file).pipe(parse({ columns: true }))
for await (const record of parsed as AsyncIterable<Record<string, string>>) {
  row += 1
  if (what !== 'create' && record['job_title'] === 'Einkauf') continue
  if (what === 'id') {
    await send('PUT', `contact/${row}`, { job_title: record['job_title'] })
    continue
  }
  batch.push(contactOf(record))
  if (batch.length < 100) continue
  await sendBulk(batch)
  batch = []
}
await sendBulk(batch)
await queue.onIdle()
