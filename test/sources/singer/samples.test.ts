// What taps and the tests of other targets wrote, read stream by stream. Runs where SAMPLES_DIR names the folder that holds it.
import { createReadStream, existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../../../src/sources/singer/lines.ts'
import { createStreamReader } from '../../../src/sources/singer/stream-reader.ts'

const SAMPLES = join(process.env['SAMPLES_DIR'] ?? '', 'singer')
const here = process.env['SAMPLES_DIR'] !== undefined && existsSync(SAMPLES)

/** Streams with how many records they have, or what is said of a file that is refused; the rest is taken whole. */
const REFUSED: Readonly<Record<string, string>> = {
  'record_before_schema.singer': 'line 1 is not a Singer message: a RECORD of the stream before its SCHEMA',
}

const streamsIn = (file: string): string[] => [
  ...new Set([...readFileSync(file, 'utf8').matchAll(/"stream": ?"([^"]*)"/g)].map(([, name = '']) => name)),
]

async function read(file: string, stream: string) {
  const reader = createStreamReader(stream)
  const records: unknown[] = []
  const states: unknown[] = []
  for await (const lines of linesOf(createReadStream(file) as AsyncIterable<Buffer>))
    for (const line of lines) {
      const { json, state } = reader.take(line)
      if (json !== undefined) records.push(JSON.parse(json))
      if (state !== undefined) states.push(JSON.parse(state))
    }
  reader.assertNamed()
  return { records, states }
}

/** What the file itself says, by the plainest of readings. */
function written(file: string, stream: string) {
  const messages = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as { type: string; stream?: string; record?: object; value?: unknown })
  return {
    records: messages.flatMap((one) => (one.type === 'RECORD' && one.stream === stream ? [one.record] : [])),
    states: messages.flatMap((one) => (one.type === 'STATE' ? [one.value] : [])),
  }
}

describe.runIf(here)('recorded messages', () => {
  it.each(globSync('*/*.{singer,jsonl}', { cwd: SAMPLES }).sort())('%s', async (name) => {
    const file = join(SAMPLES, name)
    const refused = REFUSED[basename(name)]
    for (const stream of streamsIn(file)) {
      if (refused === undefined) expect(await read(file, stream)).toMatchObject(written(file, stream))
      else await expect(read(file, stream)).rejects.toThrow(refused)
    }
  })
})
