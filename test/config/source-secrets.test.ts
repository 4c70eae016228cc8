// Secrets of a source: where they may stand, and where they must not be seen.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { effectiveSettings } from '../../src/config/effective.ts'
import { type LoadOptions, loadSettings, problemText } from '../../src/config/load.ts'
import { mappingText } from '../../src/core/mapping-store.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  writeFileSync(join(folder, 'token'), 'token-in-a-file\n', { mode: 0o600 })
})
afterEach(() => rmSync(folder, { recursive: true }))

const load = async (
  auth: string,
  env: Record<string, string> = {},
  query = '',
  withoutSecrets?: LoadOptions['withoutSecrets'],
) => {
  const file = join(folder, 'config.yaml')
  writeFileSync(
    file,
    `
service: { base_url: https://service.example, api_key: "\${KEY}" }
state: { path: state.db }
pipelines:
  shop:
    source: { type: http, url: "https://crm.example/people${query}", auth: ${auth} }
    map: { mail: mail }
`,
  )
  return loadSettings({
    ...{ file, env: { KEY: 'key-of-the-service', ...env }, kinds: SOURCE_KINDS },
    presetFolder: join(import.meta.dirname, '../../config/presets'),
    ...(withoutSecrets && { withoutSecrets }),
  })
}
const settingsOf = async (...given: Parameters<typeof load>) => {
  const loaded = await load(...given)
  if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'))
  return loaded
}

it.each([
  ['{ bearer: "${T}" }', { T: 'secret-of-the-crm' }, 'secret-of-the-crm'],
  ['{ bearer_file: token }', {}, 'token-in-a-file'],
  ['{ basic: { user: me, password_file: token } }', {}, 'token-in-a-file'],
  ['{ header: { name: X-Key, value: "${T}" } }', { T: 'secret-of-the-crm' }, 'secret-of-the-crm'],
  [
    '{ oauth2: { token_url: "https://crm.example/t", client_id: me, client_secret_file: token, refresh_token: "${T}" } }',
    { T: 'secret-of-the-crm' },
    'secret-of-the-crm',
  ],
])('%s', async (auth, env, secret) => {
  const { settings, warnings } = await settingsOf(auth, env)
  const [shop] = settings.pipelines
  expect(warnings).toEqual([])
  expect(JSON.stringify(shop?.source['fetch'])).toContain(secret)
  expect(settings.secrets).toContain(secret)
  // What is shown, what is kept in the state, and what decides whether records look as before.
  expect(JSON.stringify(effectiveSettings(settings, SOURCE_KINDS))).not.toContain(secret)
  expect(mappingText(shop!)).not.toContain(secret)
  const other = await settingsOf('{ bearer: "${T}" }', { T: 'another-secret' })
  expect(other.settings.pipelines[0]?.hash).toBe(shop?.hash)
})

it('a key in the address is not shown, and one in plain text is warned of', async () => {
  const { settings } = await settingsOf(
    '{ bearer_file: token }',
    { T: 'key-in-the-address' },
    '?api_key=${T}&page=1',
  )
  const shown = effectiveSettings(settings, SOURCE_KINDS).find(
    ({ path }) => path === 'pipelines.shop.source.url',
  )
  expect(shown?.value).toBe('(set, not shown)')
  const { warnings } = await settingsOf('{ bearer: written-here }')
  expect(warnings.map(problemText).join()).toContain(
    'pipelines.shop.source.auth.bearer: is plain text in this file',
  )
})

it.each([
  ['{ bearer: "${T}", bearer_file: token }', 'must have one of bearer, basic, header and oauth2'],
  ['{ bearer_file: nowhere }', 'nowhere'],
  ['{ bearer: "${T}" }', 'T'],
])('%s is refused', async (auth, said) => {
  const loaded = await load(auth)
  expect(loaded.ok ? [] : loaded.problems.map(problemText).join('\n')).toContain(said)
})

describe('of a folder on another machine', () => {
  const written = (source: string): Promise<Awaited<ReturnType<typeof loadSettings>>> => {
    const file = join(folder, 'config.yaml')
    writeFileSync(
      file,
      `
service: { base_url: https://service.example, api_key: "\${KEY}" }
state: { path: data/state.db }
pipelines:
  shop:
    source: { type: csv, ${source} }
    map: { mail: mail }
`,
    )
    return loadSettings({
      ...{ file, env: { KEY: 'key-of-the-service', T: 'secret-of-a-server' }, kinds: SOURCE_KINDS },
      presetFolder: join(import.meta.dirname, '../../config/presets'),
    })
  }
  const ADDRESS = 'folder: "sftp://ann@files.example/in"'

  it.each([
    ['password_file: token', 'token-in-a-file'],
    ['password: "${T}"', 'secret-of-a-server'],
    ['key_file: token, passphrase: "${T}"', 'secret-of-a-server'],
    ['key_file: token', 'token-in-a-file'],
  ])('%s', async (login, secret) => {
    const loaded = await written(`${ADDRESS}, remote: { known_hosts: known, ${login} }`)
    if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'))
    const [shop] = loaded.settings.pipelines
    expect(loaded.warnings).toEqual([])
    expect(shop?.source).toMatchObject({
      folder: 'sftp://ann@files.example/in',
      remote: { known_hosts: join(folder, 'known'), spool: join(folder, 'data/spool/shop'), timeout: 30_000 },
    })
    expect(JSON.stringify(shop?.source['remote'])).toContain(secret)
    expect(loaded.settings.secrets).toContain(secret)
    expect(JSON.stringify(effectiveSettings(loaded.settings, SOURCE_KINDS))).not.toContain(secret)
    expect(mappingText(shop!)).not.toContain(secret)
    const elsewhere = await written('folder: inbox')
    if (!elsewhere.ok) throw new Error('refused')
    expect(shop?.hash).toBe(elsewhere.settings.pipelines[0]?.hash)
  })

  it.each([
    [ADDRESS, /does not say by which key the server is known/],
    [`${ADDRESS}, remote: { known_hosts: known }`, /does not say how to log in/],
    [`${ADDRESS}, remote: { key_file: token }`, /does not say by which key the server is known/],
    [
      `${ADDRESS}, remote: { known_hosts: known, password_file: token, passphrase: "\${T}" }`,
      /has a passphrase and no key/,
    ],
    ['folder: "s3://exports/in"', /does not say by which key the bucket is read/],
    [
      'folder: "s3://exports/in", remote: { endpoint: "http://store.example", access_key_id: A, secret_access_key_file: token }',
      /must begin with https/,
    ],
    ['folder: inbox, remote: { known_hosts: known }', /goes with a folder on another machine only/],
    ['folder: "sftp://ann:secret-of-a-server@files.example/in"', /holds a password/],
    ['folder: "ftp://ann@files.example/in"', /must be a path, sftp/],
  ])('refuses %s', async (source, why) => {
    const loaded = await written(source)
    const problems = loaded.ok ? [] : loaded.problems.map(problemText)
    expect(problems.join('\n')).toMatch(why)
    expect(problems.join('\n')).not.toContain('secret-of-a-server')
  })
})

describe('of a source whose options are free', () => {
  const ENV = { KEY: 'key-of-the-service', T: 'secret-of-the-crm', S: 'abc' }
  const shownOf = async (source: string) => {
    const file = join(folder, 'config.yaml')
    writeFileSync(
      file,
      `
service: { base_url: https://service.example, api_key: "\${KEY}" }
state: { path: state.db }
pipelines:
  shop:
    source: ${source}
    map: { mail: mail }
    key: id
    on_duplicate_key: last
`,
    )
    const loaded = await loadSettings({
      ...{ file, env: ENV, kinds: SOURCE_KINDS },
      presetFolder: join(import.meta.dirname, '../../config/presets'),
    })
    if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'))
    const rows = effectiveSettings(loaded.settings, SOURCE_KINDS).map(
      ({ path, value }) => [path.replace('pipelines.shop.', ''), value] as const,
    )
    return { settings: loaded.settings, shown: Object.fromEntries(rows) }
  }

  it('what comes from the environment is not shown, whatever its name', async () => {
    const { settings, shown } = await shownOf(
      '{ type: module, path: m.mjs, options: { at: "u:${T}@db", short: "${S}", hosts: [a, "${S}"], headers: { A: "${T}" }, list: customers, preset: "${NONE:-all}" } }',
    )
    expect(shown).toMatchObject({
      'source.options.at': '(set, not shown)',
      'source.options.short': '(set, not shown)',
      'source.options.hosts': '(set, not shown)',
      'source.options.list': 'customers',
      'source.options.preset': 'all',
      on_duplicate_key: 'last',
    })
    expect(JSON.stringify(shown)).not.toContain(ENV.T)
    // For the log, where a short one would mask ordinary words.
    expect(settings.secrets).toContain(ENV.T)
    expect(settings.secrets).not.toContain(ENV.S)
  })

  it.each([
    ...['pass', 'pwd', 'apikey', 'credentials', 'dsn', 'key', 'client_secret', 'Authorization'],
    ...['auth', 'bearer', 'tokens', 'apikey1', 'X-Session', 'X-Signature', 'jwt', 'private_pem'],
  ])('nor is what has the name %s', async (name) => {
    const { shown } = await shownOf(`{ type: module, path: m.mjs, options: { ${name}: written, list: a } }`)
    expect(shown).toMatchObject({
      [`source.options.${name}`]: '(set, not shown)',
      'source.options.list': 'a',
    })
  })

  it('nor a text that holds one, and neither is in the log', async () => {
    const { settings, shown } = await shownOf(
      '{ type: module, path: m.mjs, options: { at: "postgres://me:written-here@db/x", odbc: "Server=x;Password=written-too;", servers: [ { user: me, login: { tokens: [first-written] }, short: "${S}" } ], primary_key: customer_no, author: Jane } }',
    )
    expect(JSON.stringify(shown)).not.toMatch(/written|abc/)
    expect(shown).toMatchObject({ 'source.options.author': 'Jane' })
    expect(settings.secrets).toEqual(expect.arrayContaining(['written-here', 'written-too', 'first-written']))
    // It may be a column, and messages name columns.
    expect(settings.secrets).not.toContain('customer_no')
  })

  it.each([
    '[tap, "--password=written"]',
    '[tap, --token, written]',
    `[tap, --config, '{"api_key": "written", "auth": "x"}']`,
  ])('nor the command %s', async (command) => {
    const { shown } = await shownOf(`{ type: singer, command: ${command}, stream: people }`)
    expect(shown['source.command']).toBe('(set, not shown)')
  })

  it.each(['https://0123456789abcdef0123@crm.example/x', 'https://crm.example/x?code=written1&page=1'])(
    'nor the address %s',
    async (url) => {
      const { shown } = await shownOf(`{ type: http, url: "${url}" }`)
      expect(shown['source.url']).toBe('(set, not shown)')
    },
  )

  it('nor a command or a header with it', async () => {
    const tap = await shownOf('{ type: singer, command: [tap, --password, "${S}"], stream: people }')
    expect(tap.shown['source.command']).toBe('(set, not shown)')
    const plain = await shownOf('{ type: singer, command: [tap, --all], stream: people }')
    expect(plain.shown['source.command']).toBe('tap, --all')
    const web = await shownOf(
      '{ type: http, url: "https://crm.example", headers: { X-Who: "${S}", X-Api-Key: written, Accept: a/b } }',
    )
    expect(web.shown).toMatchObject({
      'source.headers.X-Who': '(set, not shown)',
      'source.headers.X-Api-Key': '(set, not shown)',
      'source.headers.Accept': 'a/b',
    })
  })
})

it.each([
  ['{ bearer: "${T}" }', {}],
  ['{ bearer: "${T}" }', { T: '' }],
  ['{ basic: { user: me, password: "${T}" } }', {}],
  ['{ header: { name: X-Key, value: "${T}" } }', {}],
  ['{ oauth2: { token_url: "https://crm.example/t", client_id: me, client_secret: "${T}" } }', {}],
  ['{ bearer_file: "${T}" }', {}],
  ['{ bearer_file: missing }', {}],
  ['{ bearer: abc }, headers: { X-Tenant: "${T}" }', {}],
])('%s may be missing where no secret is used, %j', async (auth, env) => {
  const at = (loaded: Awaited<ReturnType<typeof load>>) =>
    loaded.ok ? 'loaded' : [...new Set(loaded.problems.map(({ path }) => path))]
  expect(at(await load(auth, env, '', 'all'))).toBe('loaded')
  // It still fetches.
  expect(at(await load(auth, env, '', 'all_but_sources'))).toHaveLength(1)
  expect(at(await load(auth, env))).toHaveLength(1)
})

it('a key, tokens and receivers that are not set count for neither', async () => {
  const file = join(folder, 'config.yaml')
  const text = `
service: { base_url: https://service.example, api_key: "\${NONE}" }
server: { token: "\${NONE}", metrics_token: "\${NONE}", users: [ { name: anna, token: "\${NONE}", role: viewer } ] }
alerts:
  - { webhook: "\${NONE}", secret: "\${NONE}" }
  - mail: { smtp: smtps://mail.example, user: me, password: "\${NONE}", from: a@b.example, to: [c@d.example] }
pipelines:
  "08":
    source: { type: csv, folder: "sftp://me@h.example/in", remote: { known_hosts: k, password: "\${NONE}" } }
    map: { mail: mail }
`
  writeFileSync(file, text)
  const presetFolder = join(import.meta.dirname, '../../config/presets')
  const options = { file, env: {}, kinds: SOURCE_KINDS, presetFolder }
  expect(await loadSettings({ ...options, withoutSecrets: 'all' })).toMatchObject({ ok: true })
  const offline = await loadSettings({ ...options, withoutSecrets: 'all_but_sources' })
  expect(offline.ok ? [] : offline.problems.map(({ path }) => path)).toEqual([
    'pipelines.08.source.remote.password',
  ])
  const wrong = text.replace('webhook: "${NONE}"', 'webhook: "htp://x"')
  writeFileSync(file, wrong)
  const found = await loadSettings({ ...options, withoutSecrets: 'all' })
  expect(found.ok ? [] : found.problems.map(({ path }) => path)).toEqual(['alerts[0].webhook'])
})
