// A Singer tap, as small as one can be: tells what it has (--discover), goes on where it had come to (--state), and writes
// records of the stream people, which lie in a text, a line each. Taps of other systems are used in just the same way.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const text = { type: ['null', 'string'] }
const people = {
  stream: 'people',
  key_properties: ['id'],
  schema: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      changed: { type: 'string', format: 'date-time' },
      email: text,
      name: { type: 'object', properties: { first: text, last: text } },
      city: text,
      phones: { type: 'array', items: { type: 'object', properties: { value: text } } },
    },
  },
}
const visits = {
  stream: 'visits',
  key_properties: ['id'],
  schema: { type: 'object', properties: { id: { type: 'integer' }, page: text } },
}

const { values } = parseArgs({
  options: {
    ...{ config: { type: 'string' }, catalog: { type: 'string' }, state: { type: 'string' } },
    discover: { type: 'boolean' },
  },
})
const read = (file) => JSON.parse(readFileSync(file, 'utf8'))
const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

if (values.discover) {
  const streams = [people, visits].map((one) => ({
    ...one,
    tap_stream_id: one.stream,
    metadata: [{ breadcrumb: [], metadata: { 'table-key-properties': one.key_properties } }],
  }))
  streams[0].replication_key = 'changed'
  process.stdout.write(`${JSON.stringify({ streams }, null, 2)}\n`)
} else {
  const since = values.state === undefined ? '' : (read(values.state).changed ?? '')
  const { file } = read(values.config)
  const lines = readFileSync(join(dirname(values.config), file), 'utf8').split('\n').filter(Boolean)
  process.stderr.write(`INFO asking for people changed since ${since || 'ever'}\n`)
  write({ type: 'SCHEMA', ...people })
  for (const line of lines.sort((a, b) => (a.split(';')[1] < b.split(';')[1] ? -1 : 1))) {
    const [id, changed, email, first, last, city, phone] = line.split(';')
    if (changed < since) continue
    const phones = phone ? [{ value: phone }] : []
    const record = { id: Number(id), changed, email, name: { first, last }, city: city || null, phones }
    write({ type: 'RECORD', stream: 'people', record, time_extracted: new Date().toISOString() })
    write({ type: 'STATE', value: { changed } })
  }
}
