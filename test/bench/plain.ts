// What the program is held against: a plain streaming parse of a CSV file, and nothing else.
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

let rows = 0
for await (const row of createReadStream(process.argv[2] ?? '').pipe(parse()) as AsyncIterable<string[]>)
  rows += row.length > 0 ? 1 : 0
process.stdout.write(`${rows}\n`)
