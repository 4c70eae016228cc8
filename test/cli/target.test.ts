// `target`: what comes through a pipe, what becomes of it at the service, and which STATEs are given out.
import { readdirSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'key-of-the-target'
let place: Place
let sandbox: Sandbox
beforeEach(async () => {
  place = await openPlace({ KEY })
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  await configure()
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const configure = (more = '', url = sandbox.url): Promise<void> =>
  place.write(
    'config.yaml',
    `service:
  base_url: ${url}
  api_key: "\${KEY}"
  rate_limit: { requests: 500, per: 1s }
  retry: { attempts: 1 }
state: { path: state/sync.db }
pipelines:
  crm:
    source: { type: singer, stream: people }
    key: id
    map: { mail: email, first_name: name }
${more}`,
  )

/** Types the command, with this on standard input. */
async function fed(input: string | Buffer, ...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const code = await runCommandLine(['target', ...args, '--config', place.path('config.yaml')], {
    ...{ stdin: Readable.from([Buffer.from(input)]), stdout, stderr, env: { KEY }, cwd: place.folder },
    ...{ pid: process.pid, isTerminal: false, isInteractive: false },
    signal: new AbortController().signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  })
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

const lines = (...messages: readonly (object | string)[]): string =>
  messages.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('')
const schema = {
  type: 'SCHEMA',
  stream: 'people',
  schema: { properties: { id: {}, email: {}, name: {} } },
  key_properties: ['id'],
}
const record = (id: number, name = `Name${id}`, more: object = {}) => ({
  ...{ type: 'RECORD', stream: 'people', record: { id, email: `p${id}@tap.example`, name }, ...more },
})
const state = (value: unknown) => ({ type: 'STATE', value })
const activated = (version: number) => ({ type: 'ACTIVATE_VERSION', stream: 'people', version })

async function names(...ids: readonly number[]): Promise<readonly unknown[]> {
  return Promise.all(
    ids.map(async (id) => {
      const url = `${sandbox.url}/public/api/V1/contact/p${id}@tap.example?fields=first_name`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } })
      return answer.ok ? ((await answer.json()) as { first_name: string }[])[0]?.first_name : undefined
    }),
  )
}

describe('target', () => {
  it('pushes what comes, and gives out the value of each STATE in order, and nothing else', async () => {
    const { code, stdout, stderr } = await fed(
      lines(
        schema,
        state({ begun: true }),
        { type: 'SCHEMA', stream: 'visits', schema: {} },
        record(1),
        { type: 'RECORD', stream: 'visits', record: { id: 1 } },
        '{"type":"STATE","value":{"at":12345678901234567890,"of":"\u0085é"}}',
        record(2),
        state(null),
      ),
    )
    expect(code, stderr).toBe(0)
    expect(stdout).toBe('{"begun":true}\n{"at":12345678901234567890,"of":"\\u0085é"}\nnull\n')
    expect(stderr).toMatch(/crm: done: 2 records/)
    expect(await names(1, 2)).toEqual(['Name1', 'Name2'])
    // Told again, nothing is sent, and the STATE is given out all the same.
    const again = await fed(lines(schema, record(1), record(2), state(2)), 'crm', '--json')
    expect(again.stdout).toBe('2\n')
    expect(JSON.parse(again.stderr)).toMatchObject({ status: 'ok', unchanged: 2, requests: 0 })
  })

  it.each([
    ['a line that is no message', 'Traceback (most recent call last):\n', 'it is not valid JSON'],
    ['half a line at the end', '{"type": "RECORD", "stre', 'it is not valid JSON'],
    ['a line that is no UTF-8', Buffer.from('"\xff"\n', 'latin1'), 'it is not UTF-8'],
  ])('ends at %s, with its number and 3; what came before it is done', async (_, rest, why) => {
    const before = lines(schema, record(1), state(1), record(2))
    const { code, stdout, stderr } = await fed(Buffer.concat([Buffer.from(before), Buffer.from(rest)]))
    expect([code, stdout]).toEqual([3, '1\n'])
    expect(stderr).toContain(`line 5 is not a Singer message: ${why}`)
    expect(await names(1, 2)).toEqual(['Name1', 'Name2'])
  })

  it('ends at the very first line, too', async () => {
    const { code, stdout, stderr } = await fed('usage: tap-x\n')
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain('SOURCE_ANSWER: line 1 is not a Singer message')
  })

  it('ends with 3 at such a line where changes are held, too', async () => {
    const twice = { ...record(2), record: { id: 2, email: 'p1@tap.example', name: 'Other' } }
    expect(await fed(lines(schema, record(1), twice, state(1)))).toMatchObject({ code: 4, stdout: '1\n' })
    expect(await fed(lines(schema, record(1), twice, state(2), 'Traceback'))).toMatchObject({
      code: 3,
      stdout: '2\n',
    })
  })

  it('takes a last line without a line break, and a pipe without anything', async () => {
    expect((await fed(lines(schema, record(1), state(1)).trimEnd())).stdout).toBe('1\n')
    expect(await fed('')).toMatchObject({ code: 0, stdout: '' })
  })

  it('counts a rejected record as one with an outcome', async () => {
    const { code, stdout } = await fed(
      lines(schema, record(1), { ...record(2), record: { id: 2, email: 'none' } }, state(2)),
    )
    expect([code, stdout]).toEqual([3, '2\n'])
    const { stdout: rejects } = await place.cli('rejects', 'list')
    expect(rejects).toMatch(/fetch-\d{8}-\d{6}-people\.jsonl.*2/s)
  })

  it('gives out no STATE while records have no outcome; the next one takes them first', async () => {
    await configure('', 'http://127.0.0.1:1')
    const { code, stdout, stderr } = await fed(lines(schema, record(1), state(1), record(2), state(2)))
    expect([code, stdout]).toEqual([5, ''])
    expect(stderr).toContain('records have no outcome yet')
    await configure()
    const next = await fed(lines(schema, record(2, 'Newer'), record(3), state(3)))
    expect([next.code, next.stdout]).toEqual([0, '3\n'])
    expect(await names(1, 2, 3)).toEqual(['Name1', 'Newer', 'Name3'])
    expect(readdirSync(place.path('state', 'spool', 'crm'))).toEqual(['.target.lock', 'processed'])
  })

  it('gives out no STATE where the stream may be misspelt', async () => {
    const persons = JSON.parse(
      JSON.stringify([schema, record(1)]).replaceAll('people', 'persons'),
    ) as object[]
    const { code, stdout, stderr } = await fed(lines(...persons, state(1)))
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain('the stream "people" was not named; streams: persons')
  })

  describe('under mode: full', () => {
    const full = `    mode: full
    on_missing: delete
    guards: { max_deletes: 100%, max_deletes_per: off }
`
    beforeEach(() => configure(full))

    it('takes a stream that ends with ACTIVATE_VERSION for everything', async () => {
      const all = [1, 2, 3].map((id) => record(id, `Name${id}`, { version: 1 }))
      await fed(lines(schema, activated(1), ...all, state(1), activated(1), state(2)))
      const { code, stdout } = await fed(
        lines(schema, record(1, 'Name1', { version: 2 }), state(3), activated(2), state(4)),
      )
      expect([code, stdout]).toEqual([0, '3\n4\n'])
      expect(await names(1, 2, 3)).toEqual(['Name1', undefined, undefined])
    })

    it.each([
      ['never activates', [record(1)]],
      ['is cut off after it was activated', [activated(2), record(1, 'Name1', { version: 2 })]],
      ['activates another version', [record(1, 'Name1', { version: 2 }), activated(3)]],
    ])('concludes nothing from a stream that %s', async (_, messages) => {
      await fed(lines(schema, record(1), record(2), activated(1), state(1)))
      const { code, stdout, stderr } = await fed(lines(schema, ...messages, state(2)))
      expect([code, stdout]).toEqual([0, '2\n'])
      expect(stderr).toContain('the stream did not end with ACTIVATE_VERSION')
      expect(await names(1, 2)).toEqual(['Name1', 'Name2'])
    })

    it('holds a stream that is activated without records', async () => {
      await fed(lines(schema, record(1), activated(1), state(1)))
      const { code, stdout } = await fed(lines(schema, activated(2), state(2)))
      expect([code, stdout]).toEqual([4, '2\n'])
      expect(await names(1)).toEqual(['Name1'])
    })
  })

  it('run of such a pipeline takes what waits, and asks nobody', async () => {
    expect(await place.json('run')).toMatchObject({ status: 'ok', pipelines: [{ read: 0, files: [] }] })
  })

  it('wants a pipeline that is fed so', async () => {
    await configure(`  tap: { source: { type: singer, stream: people, command: [tap-x] }, map: { mail: email } }
  csv: { source: { type: csv, folder: in }, map: { mail: email } }
  two: { source: { type: singer, stream: people }, map: { mail: email } }
`)
    const refused = async (...args: string[]) => {
      const { code, stderr } = await fed('', ...args)
      return `${code} ${stderr}`
    }
    expect(await refused()).toContain('2 USAGE: target needs the name of a pipeline')
    expect(await refused('tap')).toContain('2 USAGE: the source of tap has a command')
    expect(await refused('csv')).toContain('2 USAGE: the source of csv is csv, not singer')
  })
})
