// What a start loads. A shell asks at every key, and scripts ask for the version: each file more is a millisecond more,
// and a careless import brings hundreds.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pipelineNames } from '../../src/config/pipeline-names.ts'
import { MAIN, SOURCE_MAIN } from '../support/cli.ts'

/** Prints the files behind a line of its own, when the process ends. */
const COUNT = `
import { registerHooks } from 'node:module'
const seen = []
registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) })
process.on('exit', () => process.stdout.write('LOADED' + JSON.stringify(seen.filter((url) => url.startsWith('file:')))))
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loads-'))
  writeFileSync(join(folder, 'count.mjs'), COUNT)
  writeFileSync(
    join(folder, 'sync.yaml'),
    'service: {}\npipelines:\n  shop: {}\n  "crm": # old\n    map: {}\n',
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

function started(...args: string[]): { said: string; files: readonly string[] } {
  const preload = join(folder, 'count.mjs')
  const stdout = String(
    execFileSync(process.execPath, ['--import', preload, SOURCE_MAIN, ...args], {
      cwd: folder,
      env: { ...process.env, KEY: 'k' },
    }),
  )
  const [said = '', files = '[]'] = stdout.split('LOADED')
  return { said, files: JSON.parse(files) as string[] }
}

describe('a start loads few files', () => {
  it.each([
    [['--version'], 8, /^\d+\.\d+\.\d+\n$/],
    [['completion', 'pipelines', '--config', 'sync.yaml'], 12, /^shop\ncrm\n$/],
    [['--help'], 25, /^NAME/],
    [['run', '--help'], 25, /^NAME/],
    [['completion', 'bash'], 22, /complete -F/],
  ] as const)('%s: at most %i', (args, most, expected) => {
    const { said, files } = started(...args)
    expect(said).toMatch(expected)
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most)
    expect(files.length).toBeGreaterThan(2)
    expect(files.filter((file) => file.includes('/node_modules/'))).toEqual([])
  })
})

it('the libraries of the mapping are loaded where a mapping names their rules, and with the schema alone none', () => {
  const { said, files } = started('schema')
  expect(said).toContain('two_digit_years_until')
  expect(files.filter((file) => /luxon|libphonenumber|iso-countries\/langs/.test(file))).toEqual([])
})

it('a run without changes loads no client, no server and no names of countries', () => {
  mkdirSync(join(folder, 'inbox'))
  writeFileSync(
    join(folder, 'run.yaml'),
    `service: { base_url: "http://127.0.0.1:1", api_key: "\${KEY}" }
state: { path: state.db }
pipelines:
  shop: { source: { type: csv, folder: inbox }, key: no, map: { mail: mail, ba_country: country } }
`,
  )
  const { said, files } = started('run', '--config', 'run.yaml')
  expect(said).toContain('shop')
  const needless =
    /node_modules\/(got|hono|nodemailer|prom-client|chokidar|@opentelemetry|i18n-iso-countries\/langs)\/|\/(sandbox|console|traces|alerts)\//
  expect(files.filter((file) => needless.test(file) && !file.includes('core/alerts/'))).toEqual([])
})

it('status loads nothing that reads files, maps records, or sends', () => {
  mkdirSync(join(folder, 'here/crm'), { recursive: true })
  writeFileSync(
    join(folder, 'status.yaml'),
    `service: { base_url: "http://127.0.0.1:1", api_key: "\${KEY}" }
state: { path: status.db }
pipelines:
  shop: { source: { type: csv, folder: here }, key: no, map: { mail: mail, ba_country: country } }
  crm: { source: { type: json, folder: here/crm }, key: no, map: { mail: mail } }
`,
  )
  started('run', '--config', 'status.yaml')
  const { said, files } = started('status', '--config', 'status.yaml')
  expect(said).toContain('shop')
  expect(said).toContain('crm')
  const needless =
    /node_modules\/(got|p-queue|hono|nodemailer|prom-client|chokidar|winston|ssh2|csv-parse|csv-stringify|@streamparser|chardet|saxes|yauzl|pg|mysql2|luxon|libphonenumber-js|@opentelemetry|i18n-iso-countries\/langs)\/|\/src\/(sandbox|console|traces|metrics|alerts|sync)\//
  expect(files.filter((file) => needless.test(file))).toEqual([])
})

describe('the names of pipelines', () => {
  const named = (text: string): Promise<readonly string[]> => {
    writeFileSync(join(folder, 'any.yaml'), text)
    return pipelineNames(join(folder, 'any.yaml'))
  }
  it.each([
    [
      'a block',
      'a: 1\npipelines:\n  # one\n  shop:\n    map: { mail: M }\n\n  crm: {}\nlog: {}\n',
      ['shop', 'crm'],
    ],
    [
      'a deeper block',
      'pipelines:\n      shop:\n        where: |\n         shop: x\n      crm: *a\n',
      ['shop', 'crm'],
    ],
    ['Windows line ends', 'pipelines:\r\n  shop: {}\r\n', ['shop']],
    ['a mapping in braces', 'pipelines: { shop: {}, crm: {} }\n', ['shop', 'crm']],
    ['a name in quotes', "pipelines:\n  'shop': {}\n", ['shop']],
    ['a name that is none', 'pipelines:\n  $(reboot): {}\n  shop: {}\n', ['shop']],
    ['an anchor', 'pipelines: &all\n  shop: {}\n', ['shop']],
    ['two documents', '---\npipelines:\n  shop: {}\n', ['shop']],
    ['nothing', 'log: {}\n', []],
    ['an empty block', 'pipelines:\nlog: {}\n', []],
  ])('are found in %s', async (_, text, expected) => {
    expect(await named(text)).toEqual(expected)
  })
})

it('every chunk of the built program loads, whatever it is that needs it', () => {
  const chunks = globSync('*.mjs', { cwd: dirname(MAIN) })
  expect(chunks.length).toBeGreaterThan(50)
  const code = `for (const chunk of ${JSON.stringify(chunks)}) await import('./' + chunk)`
  const options = { cwd: dirname(MAIN), stdio: 'pipe' } as const
  expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', code], options)).not.toThrow()
})
