// What was read reaches no terminal as a command: keys, names, terms, reasons and names of files are shown with everything
// visible that a terminal would obey; what the program itself says to a terminal still works.
import { mkdir } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { configurationSchema } from '../../src/app/config-schema.ts'
import { schema } from '../../src/cli/commands/schema.ts'
import { control, guarded, printed } from '../../src/cli/guarded.ts'
import { type Io, print, printError } from '../../src/cli/io.ts'
import { harmless, oneLine } from '../../src/core/words/harmless.ts'
import { MAIN, openWorkshop, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describe('harmless', () => {
  it.each([
    ['\u001b[31m', '\\u001b[31m'],
    ['a\rb\u0007\b\u007f', 'a\\u000db\\u0007\\u0008\\u007f'],
    ['\u009b31m\u0085', '\\u009b31m\\u0085'],
    ['\u202e\u2066\u200f\u061c', '\\u202e\\u2066\\u200f\\u061c'],
    ['\u200b\u2060\ufeff\u00ad', '\\u200b\\u2060\\ufeff\\u00ad'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['\ud800', '\\ud800'],
    ['Zoë Łódź 東京 ☎ a\tb\nc', 'Zoë Łódź 東京 ☎ a\tb\nc'],
  ])('%j', (text, shown) => expect(harmless(text)).toBe(shown))

  it('keeps a document of JSON the same document', () => {
    const value = { 'k\u202e': 'a\u001b\u009b\u2028\u{e0041}\u007f"\\' }
    const text = harmless(JSON.stringify(value))
    expect(text).toMatch(/^[ -~]*$/)
    expect(JSON.parse(text)).toEqual(value)
  })

  it('shows line breaks where a line is a record', () => {
    expect(oneLine('K1\n+ create K2')).toBe('K1\\u000a+ create K2')
  })
})

describe('printed', () => {
  it('lets through what we say to the terminal, and nothing that looks like it', () => {
    expect(printed(`${control('\u001b[31m')}\u001b[2J${control('\u001b[0m')}`)).toBe(
      '\u001b[31m\\u001b[2J\u001b[0m',
    )
    expect(printed('\ufdd0\u001b[2J\ufdd1')).not.toContain('\u001b')
  })

  it('holds for whatever is written to a stream, in texts and in bytes', () => {
    const stream = new PassThrough()
    const outer = guarded(stream)
    outer.write('a\u202e')
    outer.write(Buffer.from('b\u001b'))
    expect(String(stream.read())).toBe('a\\u202eb\\u001b')
  })
})

describe('what a command prints', () => {
  it('is as many lines as it hands over, whatever their values hold; colours of ours stay', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const io = { stdout: guarded(stdout), stderr: guarded(stderr) } as unknown as Io
    print(io, 'K1\nAll checks passed.\tso')
    print(io, ['a\r\nb', `${control('\u001b[31m')}red${control('\u001b[0m')}\u2028`])
    printError(io, ['x\n', ''])
    expect(String(stdout.read())).toBe(
      'K1\\u000aAll checks passed.\tso\na\\u000d\\u000ab\n\u001b[31mred\u001b[0m\\u2028\n',
    )
    expect(String(stderr.read())).toBe('x\\u000a\n\n')
  })

  it('is a document of JSON where it is one over several lines', async () => {
    const stdout = new PassThrough()
    await schema({ stdout: guarded(stdout) } as unknown as Io)
    expect(JSON.parse(String(stdout.read()))).toEqual(await configurationSchema())
  })
})

const EVIL = '\u001b]0;owned\u0007\u001b[2J\u202e\u009b1m'
/** In a name of a term the service refuses control characters. */
const TURNED = '\u2066\u200f\u2060'
/** What a value would like to be: a line of its own. */
const LINE = '\n  - delete EVERYBODY'
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069]/

describe('every list by which people decide', () => {
  let shop: Workshop
  beforeAll(async () => {
    shop = await openWorkshop()
    const yaml = `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    guards: { max_changes: 1 }
    map: { mail: mail, first_name: first, family_name: last }
    terms: { assign: [{ column: tags, split: ";" }] }
  damaged:
    source: { type: csv, folder: inbox/damaged, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last }
`
    await shop.configure(yaml.replace('    guards: { max_changes: 1 }\n', ''))
    const row = (no: string, mail: string): string => `"${no}${EVIL}${LINE}",${mail},A,B,T${TURNED}\n`
    const header = 'no,mail,first,last,tags\n'
    await shop.drop('shop', 'a.csv', header + row('K1', 'k1@example.com') + row('K2', `no mail${EVIL}`))
    await shop.cli('run')
    await shop.drop(
      'shop',
      `b${EVIL}${LINE}.csv`,
      header + row('K3', 'k3@example.com') + row('K4', 'k4@example.com'),
    )
    await shop.configure(yaml)
    expect((await shop.cli('run', '--json')).stdout).toContain('"held":2')
    await shop.drop(
      'shop',
      `c${EVIL}${LINE}.csv`,
      header + row('K5', 'k5@example.com') + row('K6', 'k6@example.com'),
    )
    await mkdir(shop.path('inbox', 'damaged'))
    await shop.drop('damaged', `d${EVIL}${LINE}.csv`, `no,"ma${LINE}",first,last\n`)
    await shop.cli('run', 'damaged')
    await shop.drop('damaged', `e${EVIL}${LINE}.csv`, `no,"ma${LINE}",first,last\n`)
  })
  afterAll(() => shop.close())

  it.each([
    ['plan'],
    ['plan', '--json'],
    ['rejects', 'list'],
    ['rejects', 'list', '--json'],
    ['held', 'list'],
    ['doubts', 'list'],
    ['terms'],
    ['terms', '--json'],
    ['audit', 'list'],
    ['audit', 'list', '--json'],
    ['audit', 'show', 'k1@example.com'],
    ['audit', 'show', `no${EVIL}`],
    ['status'],
    ['check'],
    ['run', `no${EVIL}${LINE}`],
    ['run', 'damaged'],
    ['plan', 'damaged'],
    ['-c', `no${EVIL}${LINE}.yaml`, 'status'],
  ])('%j', async (...args) => {
    const { stdout, stderr, code } = await shop.cli(...args)
    expect(code).not.toBe(1)
    expect(stdout + stderr).not.toMatch(OBEYED)
    expect(stdout + stderr).not.toMatch(/^\s*- delete EVERYBODY/m)
    if (args.includes('--json')) expect(() => JSON.parse(stdout) as unknown).not.toThrow()
  })

  // A terminal by which nothing comes that we did not say to it: colours, and clearing our own line.
  const OURS = /\u001b\[(?:0|1|2|31|32|33)m|\r\u001b\[2K|\r(?=\n)/g
  const onTerminal: [string, ...string[]] = [
    'sh',
    '-c',
    `TERM=xterm exec script -qec "'${process.execPath}' --disable-warning=ExperimentalWarning '${MAIN}' $*" /dev/null`,
    'sh',
  ]
  it
    .skipIf(process.platform !== 'linux')
    .each([
      ['plan'],
      ['rejects', 'list'],
      ['held', 'list'],
      ['terms'],
      ['audit', 'list'],
      ['audit', 'show', 'k1@example.com'],
      ['status'],
      ['check'],
    ])('%j on a terminal', async (...args) => {
    const { stdout, code } = await shop.startBy(onTerminal, ...args).ended
    expect(code).not.toBe(1)
    expect(stdout).toMatch(/\r\n/)
    const shown = stdout.replaceAll(OURS, '')
    expect(shown).not.toMatch(OBEYED)
    expect(shown).not.toMatch(/^\s*- delete EVERYBODY/m)
  })

  it('shows them all the same', async () => {
    expect((await shop.cli('rejects', 'list')).stdout).toContain('K2\\u001b]0;owned\\u0007')
    const held = await shop.cli('held', 'list')
    expect(held.stdout + held.stderr).toContain('create K3\\u001b]0;')
    expect((await shop.cli('audit', 'list')).stdout).toContain('\\u000a  - delete EVERYBODY')
  })
})
