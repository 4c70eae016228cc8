// A tap that does what it should not: what is said of it, that nothing of it counts as complete, and that nothing of it stays.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Clock } from '../../../src/core/ports.ts'
import { SyncError } from '../../../src/core/words/errors.ts'
import { singerFetcher } from '../../../src/sources/singer/fetcher.ts'
import { singerOptions } from '../../../src/sources/singer/options.ts'
import type { Fetched } from '../../../src/sources/pull/fetcher.ts'
import { systemClock } from '../../../src/system.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tap-'))))
afterEach(() => rmSync(folder, { recursive: true }))

interface End {
  readonly fetched: readonly Fetched[]
  readonly error: SyncError | undefined
  readonly logged: readonly string[]
}

/** Patience is a hundred times shorter. */
const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 100, signal) }

interface Given {
  readonly command?: readonly string[]
  readonly cursor?: unknown
  readonly signal?: AbortSignal
  readonly options?: Record<string, unknown>
  onRecord?(): void
}

async function fetchAll(script: string, given: Given = {}): Promise<End> {
  const { command = ['/bin/sh', '-c', script, 'tap'], cursor, signal = new AbortController().signal } = given
  const options = singerOptions.parse({ command, stream: 'people', ...given.options })
  const [fetched, logged]: [Fetched[], string[]] = [[], []]
  const task = {
    ...{ cursor, signal, clock: hurried, tell: (text: string) => logged.push(`told: ${text}`) },
    log: (text: string) => logged.push(text),
  }
  try {
    for await (const one of singerFetcher(options, { folder, home: folder }).fetch(task)) {
      fetched.push(one)
      given.onRecord?.()
    }
    return { fetched, error: undefined, logged }
  } catch (error) {
    if (error instanceof SyncError) return { fetched, error, logged }
    throw error
  }
}

/** Lines that `cat` gives out again. */
const saying = (...messages: readonly (object | string)[]): string => {
  const lines = messages.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const file = join(folder, `said-${readdirSync(folder).length}.jsonl`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return `cat ${file}`
}
const schema = { type: 'SCHEMA', stream: 'people', schema: { properties: { no: {}, mail: {} } } }
const record = (no: number, more: object = {}) => ({
  type: 'RECORD',
  stream: 'people',
  record: { no },
  ...more,
})
const state = (value: unknown) => ({ type: 'STATE', value })

describe('a tap', () => {
  it('gives records of its stream alone, with every property of the schema, and its states in between', async () => {
    const { fetched, error } = await fetchAll(
      saying(
        schema,
        { type: 'SCHEMA', stream: 'visits', schema: { properties: {} } },
        '{"type":"RECORD","stream":"people","record":{"no":12345678901234567890,"mail":"a@b.example","tags":["x",{"y":1.50}]}}',
        { type: 'RECORD', stream: 'visits', record: { no: 1 } },
        '',
        state({ at: 1 }),
        record(2),
      ),
    )
    expect(error).toBeUndefined()
    expect(fetched).toEqual([
      { json: '{"no":12345678901234567890,"mail":"a@b.example","tags":["x",{"y":1.50}]}' },
      { cursor: '{"at":1}' },
      { json: '{"mail":null,"no":2}' },
    ])
  })

  it('is given its state in a file of its own that is gone afterwards', async () => {
    const script = `echo "$1" >&2; stat -c %a "$2" >&2; cat "$2" >&2; ${saying(schema)}`
    const { logged } = await fetchAll(script, { cursor: '{"at":12345678901234567890}' })
    expect(logged).toEqual(['--state', '600', '{"at":12345678901234567890}'])
    expect(readdirSync(folder).filter((name) => name.startsWith('.tap'))).toEqual([])
    const first = await fetchAll(`echo "$#" >&2; ${saying(schema)}`)
    expect(first.logged).toEqual(['0'])
  })

  it('is given its catalog with the one stream selected, and what was deselected left so', async () => {
    const field = (name: string, more: object = {}) => ({
      breadcrumb: ['properties', name],
      metadata: { ...more },
    })
    const streams = ['people', 'visits'].map((stream) => ({
      ...{ stream, tap_stream_id: `crm-${stream}`, schema: { properties: {} } },
      metadata: [
        { breadcrumb: [], metadata: { selected: stream === 'visits' } },
        field('a'),
        field('b', { selected: false }),
      ],
    }))
    writeFileSync(join(folder, 'catalog.json'), JSON.stringify({ streams }))
    const catalog = join(folder, 'catalog.json')
    const catalog_option = '--properties'
    const script = `echo "$1" >&2; cp "$2" given.json; ${saying(schema)}`
    const { logged } = await fetchAll(script, { options: { catalog, catalog_option } })
    expect(logged).toEqual(['--properties'])
    const given = JSON.parse(readFileSync(join(folder, 'given.json'), 'utf8')) as {
      streams: { selected: boolean; metadata: { metadata: object }[] }[]
    }
    expect(
      given.streams.map((one) => [one.selected, ...one.metadata.map(({ metadata }) => metadata)]),
    ).toEqual([
      [true, { selected: true }, { selected: true }, { selected: false }],
      [false, { selected: false }, { selected: false }, { selected: false }],
    ])
  })

  it('speaks into the log without secrets and addresses, and not without end', async () => {
    writeFileSync(
      join(folder, 'tap.json'),
      JSON.stringify({ auth: { client_secret: 'hidden-secret-1' }, api_key: 'hidden-key-2' }),
    )
    const script = `
      echo 'INFO anna@mail.example has hidden-secret-1 and hidden-key-2' >&2
      i=0; while [ $i -lt 600 ]; do echo "line $i" >&2; i=$((i+1)); done; ${saying(schema)}`
    const { logged } = await fetchAll('', {
      command: ['/bin/sh', '-c', script, 'tap', '--config', 'tap.json'],
    })
    expect(logged[0]).toBe('INFO [address] has [secret] and [secret]')
    expect(logged).toHaveLength(501)
    expect(logged.at(-1)).toBe('and more, not logged')
  })

  it('does not see the variables of contact-sync', async () => {
    process.env['CONTACT_SYNC_API_KEY'] = 'ours'
    const { logged } = await fetchAll(
      `echo "<$CONTACT_SYNC_API_KEY> \${PATH:+path}" >&2; ${saying(schema)}`,
    ).finally(() => delete process.env['CONTACT_SYNC_API_KEY'])
    expect(logged).toEqual(['<> path'])
  })

  it('of several versions says nothing about what is missing', async () => {
    const { fetched, logged } = await fetchAll(
      saying(schema, record(1, { version: 1 }), record(2, { version: 2 }), {
        type: 'ACTIVATE_VERSION',
        stream: 'people',
        version: 2,
      }),
    )
    expect(fetched.at(-1)).toEqual({ isPart: true })
    expect(logged).toEqual([expect.stringMatching(/^told: the stream came in several versions/)])
    const one = await fetchAll(
      saying(schema, record(1, { version: 1 }), { type: 'ACTIVATE_VERSION', stream: 'people', version: 1 }),
    )
    expect(one.fetched).toHaveLength(1)
  })

  it.each([
    [
      'dies',
      (said: string) => `${said}; echo 'CRITICAL no more' >&2; exit 3`,
      'tap sh: it ended with exit code 3: CRITICAL no more',
    ],
    ['is killed', (said: string) => `${said}; kill -9 $$`, 'tap sh: it ended by SIGKILL'],
    [
      'hangs',
      (said: string) => `${said}; sleep 60`,
      'tap sh: it wrote nothing in the time of source.timeout',
    ],
    [
      'goes on without its output',
      (said: string) => `${said}; exec 1>&-; sleep 60`,
      'tap sh: it wrote nothing in the time of source.timeout',
    ],
    [
      'leaves its output to another',
      (said: string) => `${said}; sleep 60 & exit 0`,
      'tap sh: it wrote nothing in the time of source.timeout',
    ],
    [
      'writes rubbish',
      (said: string) => `${said}; echo Traceback; exit 0`,
      'line 4 is not a Singer message: it is not valid JSON',
    ],
    [
      'writes half a line',
      (said: string) => `${said}; printf '{"type": "REC'`,
      'line 4 is not a Singer message: it is not valid JSON',
    ],
    [
      'writes what is not UTF-8',
      (said: string) => `${said}; printf '"\\377"\\n'`,
      'line 4 is not a Singer message: it is not UTF-8',
    ],
    [
      'writes a list',
      (said: string) => `${said}; echo '[]'`,
      'line 4 is not a Singer message: it is not a JSON object',
    ],
    [
      'writes another type',
      (said: string) => `${said}; echo '{"type":"RESET"}'`,
      'line 4 is not a Singer message: its type is none of RECORD, SCHEMA, STATE, ACTIVATE_VERSION, BATCH',
    ],
    [
      'writes a record without a stream',
      (said: string) => `${said}; echo '{"type":"RECORD","record":{}}'`,
      'line 4 is not a Singer message: a RECORD without stream',
    ],
    [
      'writes a record that is none',
      (said: string) => `${said}; echo '{"type":"RECORD","stream":"people","record":[]}'`,
      'line 4 is not a Singer message: a RECORD whose record is not an object',
    ],
    [
      'writes a state without a value',
      (said: string) => `${said}; echo '{"type":"STATE"}'`,
      'line 4 is not a Singer message: a STATE without value',
    ],
    [
      'writes batches',
      (said: string) => `${said}; echo '{"type":"BATCH","stream":"people","manifest":[]}'`,
      'line 4 is a BATCH, which is not supported',
    ],
  ])('that %s is not complete; what came before it is kept', async (_, script, message) => {
    const { fetched, error } = await fetchAll(script(saying(schema, record(1), state(1))), {
      options: { timeout: '20s' },
    })
    expect(fetched).toEqual([{ json: '{"mail":null,"no":1}' }, { cursor: '1' }])
    expect(error?.message).toBe(message)
    expect(error?.code).toMatch(/^SOURCE_(FAILED|ANSWER)$/)
  })

  it.each([
    [
      'names other streams alone',
      (folder: string) => [folder, saying({ ...schema, stream: 'persons' })],
      'the stream "people" was not named; streams: persons',
    ],
    [
      'names no stream at all',
      (folder: string) => [folder, saying(state(1))],
      'the stream "people" was not named; streams: none',
    ],
    [
      'writes a record before the schema',
      (folder: string) => [folder, saying(record(1))],
      'line 1 is not a Singer message: a RECORD of the stream before its SCHEMA',
    ],
  ])('that %s is refused', async (_, script, message) => {
    const { fetched, error } = await fetchAll(script(folder)[1]!)
    expect(fetched.filter(({ json }) => json !== undefined)).toEqual([])
    expect(error?.message).toBe(message)
  })

  it('that has nothing new of the stream since its state is no fault', async () => {
    const { error } = await fetchAll(saying({ ...schema, stream: 'visits' }), { cursor: '1' })
    expect(error).toBeUndefined()
  })

  it('that cannot be started is named', async () => {
    const { error } = await fetchAll('', { command: ['./no-such-tap', '--config', 'none.json'] })
    expect(error?.message).toBe('tap no-such-tap: it cannot be started: it does not exist (ENOENT)')
  })

  it('a catalog that lacks the stream, or is not there, is refused before the tap is started', async () => {
    const catalog = join(folder, 'catalog.json')
    expect((await fetchAll('echo started >&2', { options: { catalog } })).error?.message).toMatch(
      /catalog\.json cannot be read/,
    )
    writeFileSync(catalog, '{"streams":[{"stream":"persons"}]}')
    const { error, logged } = await fetchAll('echo started >&2', { options: { catalog } })
    expect(error?.message).toBe(
      'the catalog of the tap cannot be used: it has no stream "people"; streams: persons',
    )
    expect(logged).toEqual([])
  })

  it('is ended with the run, with what it started, even where it does not listen', async () => {
    const ending = new AbortController()
    const pids = join(folder, 'pids')
    const script = `trap '' TERM; sleep 60 & echo "$$ $!" > ${pids}; ${saying(schema, record(1))}; while :; do sleep 1; done`
    const { error } = await fetchAll(script, { signal: ending.signal, onRecord: () => ending.abort() })
    expect(error?.message).toBe('tap sh: the run was ended')
    const isAlive = (pid: string): boolean => {
      try {
        return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
      } catch {
        return false
      }
    }
    // Each process of the group ends by itself, the shell not always as the last one.
    await vi.waitFor(() => {
      expect(readFileSync(pids, 'utf8').trim().split(' ').filter(isAlive)).toEqual([])
    }, 5000)
  })

  it('without a command nothing is fetched, and nothing is said about what is missing', async () => {
    const options = singerOptions.parse({ stream: 'people' })
    const fetched: Fetched[] = []
    const task = { cursor: undefined, signal: new AbortController().signal, clock: hurried, tell: () => 0 }
    for await (const one of singerFetcher(options, { folder, home: folder }).fetch(task)) fetched.push(one)
    expect(fetched).toEqual([{ isPart: true }])
  })
})
