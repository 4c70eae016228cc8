// What the program is compared with where it only reads: a plain streaming parse of a CSV file into objects.
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

let rows = 0
const parsed = createReadStream(process.argv[2] ?? '').pipe(parse({ columns: true }))
for await (const record of parsed as AsyncIterable<Record<string, string>>) rows += 'no' in record ? 1 : 0
process.stdout.write(`${rows}\n`)
