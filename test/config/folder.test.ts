// A folder as the configuration: what each file brings, what it may not, and what a broken one leaves alone.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Loaded, loadSettings, problemText } from '../../src/config/load.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'
import { FOLDER } from './fixtures.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pieces-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function load(files: Readonly<Record<string, string>>): Promise<Loaded> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const env = { KEY: 's3cret-of-the-service' }
  return loadSettings({ file: folder, env, kinds: SOURCE_KINDS, presetFolder: `${FOLDER}presets` })
}

/** Accounts with their pipelines, then what is broken. */
async function shown(files: Readonly<Record<string, string>>) {
  const loaded = await load(files)
  const lines = (problems: Parameters<typeof problemText>[0][]) =>
    problems.map((one) => problemText(one).replaceAll(`${folder}/`, ''))
  if (!loaded.ok) return { problems: lines([...loaded.problems]) }
  return {
    accounts: Object.fromEntries(
      loaded.accounts.map(({ account, pipelines }) => [account, pipelines.map(({ name }) => name)]),
    ),
    broken: loaded.broken.flatMap(({ problems }) => lines([...problems])),
  }
}

const service = (host: string): string =>
  `service: { base_url: "https://${host}.example.com", api_key: "\${KEY}" }\n`
const pipelines = (...names: string[]): string =>
  `pipelines:\n${names.map((name) => `  ${name}: { source: { type: csv, folder: in/${name} }, map: { mail: Mail } }\n`).join('')}`
const ROOT = `${service('main')}state: { path: state.db }\n`

describe('a folder of configurations', () => {
  it('takes each file as a piece: of the account at its top, of one that it names, or of the default one', async () => {
    expect(
      await shown({
        'contact-sync.yaml': `${ROOT}accounts: { shared: { ${service('shared').trim()} } }\n${pipelines('own')}`,
        'acme.yaml': service('acme') + pipelines('members'),
        'beta.yaml': pipelines('shop'),
        'gamma.yaml': `accounts: { gamma: { ${service('gamma').trim()} } }\npipelines:\n  g: { account: gamma, source: { type: csv, folder: in/g }, map: { mail: Mail } }\n`,
        'delta.yaml':
          'pipelines:\n  d: { account: shared, source: { type: csv, folder: in/d }, map: { mail: Mail } }\n',
        '.hidden.yaml': 'nothing of the kind',
        'notes.txt': 'nothing of the kind',
      }),
    ).toEqual({
      accounts: { default: ['own', 'shop'], shared: ['d'], acme: ['members'], gamma: ['g'] },
      broken: [],
    })
  })

  it('leaves out what is broken, and says where', async () => {
    expect(
      await shown({
        'contact-sync.yaml': ROOT,
        'acme.yaml': pipelines('members'),
        'bad.yaml': `${service('bad').replace('https', 'ftp')}${pipelines('b')}`,
        'torn.yaml': 'pipelines: { x: [',
        'twice.yaml': pipelines('members'),
        'void.yaml': '# nothing\n',
      }),
    ).toMatchObject({
      accounts: { default: ['members'] },
      broken: [
        'bad.yaml:1:22: service.base_url: is not a web address; it begins with https://',
        expect.stringMatching(/^torn\.yaml:1:\d+: /),
        expect.stringMatching(/^void\.yaml:1:1: is empty/),
        'twice.yaml:2:3: pipelines.members: is also in acme.yaml; give it another name',
      ],
    })
  })

  it('keeps programs, foreign paths and what holds for all to the root file', async () => {
    mkdirSync(join(folder, 'in'))
    symlinkSync('/etc', join(folder, 'in', 'etc'))
    const piece = [
      service('a').replace('api_key: "${KEY}"', 'api_key_file: /run/secrets/other'),
      'state: { path: elsewhere.db }\n',
      'pipelines:\n',
      '  m: { source: { type: module, path: source.mjs }, map: { mail: Mail } }\n',
      '  s: { source: { type: singer, command: [tap], stream: people }, map: { mail: Mail } }\n',
      '  o: { source: { type: csv, folder: ../inbox }, map: { mail: Mail } }\n',
      '  l: { source: { type: csv, folder: in/etc }, map: { mail: Mail } }\n',
      '  q: { source: { type: sql, url: "sqlite:/etc/people.db", query: "select 1" }, map: { mail: Mail } }\n',
    ].join('')
    const { broken = [] } = await shown({ 'contact-sync.yaml': ROOT + pipelines('own'), 'a.yaml': piece })
    const outside =
      'is outside of the folder of this file; say allow: [outside_paths] in contact-sync.yaml, or leave it out'
    expect(broken.filter((line) => !line.includes('there is no such file'))).toEqual([
      `a.yaml:1:61: service.api_key_file: ${outside}`,
      'a.yaml:2:1: state: belongs into the root file; write it in contact-sync.yaml, where it holds for all; other files have service, accounts, blocks, pipelines',
      'a.yaml:4:24: pipelines.m.source.type: runs a program, and may not in this file; say allow: [module] in contact-sync.yaml, or leave it out',
      'a.yaml:5:24: pipelines.s.source.type: runs a program, and may not in this file; say allow: [singer] in contact-sync.yaml, or leave it out',
      `a.yaml:6:37: pipelines.o.source.folder: ${outside}`,
      `a.yaml:7:37: pipelines.l.source.folder: ${outside}`,
      `a.yaml:8:34: pipelines.q.source.url: ${outside}`,
    ])
    const allowed = await shown({
      'contact-sync.yaml': `${ROOT}allow: [outside_paths]\n`,
      'a.yaml': pipelines('o').replace('in/o', '../inbox'),
    })
    expect(allowed).toEqual({ accounts: { default: ['o'] }, broken: [] })
  })

  it('runs nothing where the root file is broken, or nothing is in order', async () => {
    expect(await shown({ 'contact-sync.yaml': `${ROOT}kep: 1\n`, 'a.yaml': pipelines('o') })).toEqual({
      problems: ['contact-sync.yaml:3:1: kep: is not a known key; did you mean keep?'],
    })
    rmSync(join(folder, 'contact-sync.yaml'))
    expect(await shown({ 'a.yaml': 'pipelines: { x: 5 }' })).toMatchObject({
      problems: expect.arrayContaining([expect.stringMatching(/^a\.yaml:1:/)]) as string[],
    })
    rmSync(join(folder, 'a.yaml'))
    expect(await shown({})).toEqual({
      problems: [`${folder}:1:1: holds no configuration; write contact-sync.yaml into it`],
    })
  })

  it('keeps files of one inbox, and blocks, apart', async () => {
    const block = 'blocks: { names: { first_name: Vorname } }\n'
    const using = (name: string) =>
      `pipelines: { ${name}: { use: names, source: { type: csv, folder: in/shared }, map: { mail: Mail } } }\n`
    expect(
      await shown({
        'contact-sync.yaml': ROOT + block,
        'a.yaml': using('a'),
        'b.yaml': `blocks: { names: { family_name: Nachname } }\n${using('b').replace('shared', 'b')}`,
        'c.yaml': using('c'),
      }),
    ).toEqual({
      accounts: { default: ['a', 'b'] },
      broken: [
        'c.yaml:1:60: pipelines.c.source.folder: reads the same files as pipelines.a; give each pipeline a folder of its own, or another pattern in files',
      ],
    })
  })
})
