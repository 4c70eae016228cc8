import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { loadSettings } from '../../src/config/load.ts'
import { MAX_BYTES } from '../../src/config/text/read-text.ts'
import { GUARDS } from '../support/pipeline.ts'
import { KINDS } from './fake-kinds.ts'
import { ENV, FOLDER, linesOf, loadFixture, loadText, settingsOf } from './fixtures.ts'

const SERVICE = 'service: { base_url: https://a.example.com, api_key: "${KEY}" }\n'
const pipeline = (text: string) => `${SERVICE}pipelines:\n  shop:\n${text.replace(/^/gm, '    ')}\n`
const SHOP = 'source: { type: csv, folder: in }\nmap: { mail: E-Mail }\n'

describe('settings', () => {
  it('fills in the defaults', async () => {
    const { hash, ...shop } = settingsOf(await loadFixture('minimal.yaml')).pipelines[0]!
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(shop).toEqual({
      name: 'shop',
      schedule: undefined,
      watch: false,
      max_duration: undefined,
      timezone: undefined,
      source: {
        type: 'csv',
        null_values: [],
        folder: `${FOLDER}in`,
        files: '*',
        settle: '2s',
        skip_lines: 0,
        ragged: 'reject',
      },
      mode: 'incremental',
      on_missing: 'keep',
      guards: { ...GUARDS, max_deletes_per: { '30d': { share: 0.2 } } },
      key: undefined,
      map: { mail: { column: 'E-Mail' } },
      custom_fields: {},
      on_duplicate_key: 'reject',
      on_invalid: 'reject',
      blank: 'keep',
      where: undefined,
      duplicate_check_method: 'email',
      duplicate_merge_method: 'update_add',
      update_method: 'update_add',
      terms: { policy: 'add', create_missing: true, assign: [], descriptions: {}, verify: true },
      writes: 'all',
      update_via: 'id',
      hand_edits: 'overwrite',
      recheck: 86_400_000,
      allow_consent_raise: false,
    })
    const { pipelines: _, ...rest } = settingsOf(await loadFixture('minimal.yaml'))
    expect(rest).toEqual({
      account: 'default',
      allow: [],
      file: `${FOLDER}minimal.yaml`,
      service: {
        base_url: 'https://a.b.example.com',
        api_key: ENV.KEY,
        api_key_file: undefined,
        api_version: 'V1',
        timeout: 30_000,
        rate_limit: { requests: 5, per: 1000, concurrency: 4, per_day: undefined },
        retry: { attempts: 6, max_delay: 120_000 },
        bulk: { size: 50, container: 'array' },
        doubt: { quiesce: 120_000, absent_reads: 2 },
        marker_field: undefined,
        custom_field_key: '{field_name}',
      },
      state: { path: FOLDER.replace(/config\/$/, 'state/contact-sync.db') },
      workers: { labels: [] },
      log: {
        level: 'info',
        console_level: undefined,
        format: 'json',
        folder: undefined,
        keep: 30 * 86_400_000,
      },
      audit: {},
      keep: {
        processed: undefined,
        failed: undefined,
        rejects: undefined,
        runs: 365 * 86_400_000,
        sync_log: undefined,
        reads: 365 * 86_400_000,
      },
      server: {
        host: '127.0.0.1',
        port: 8080,
        hosts: [],
        users: [],
        token: undefined,
        metrics_token: undefined,
      },
      max_parallel: 4,
      alerts: [],
      approvals: [],
      consents: {},
      secrets: [ENV.KEY],
      unshown: [],
    })
  })

  it('makes receivers of alerts, with their secrets, and keeps all of these out of logs', async () => {
    const { alerts, secrets } = settingsOf(await loadFixture('alerts.yaml'))
    const [signed, slack, filed, starttls, tls, plain] = alerts
    expect(signed).toMatchObject({
      receiver: {
        kind: 'webhook',
        url: 'https://hooks.example.com/x?y=1',
        format: 'json',
        secret: ENV.TOKEN,
      },
      on: ['failed', 'held'],
      pipelines: ['shop'],
      rejects_above: { share: 0.05 },
      nothing_by: 450,
      nothing_on: ['mon', 'fri'],
      nothing_within: 12 * 3_600_000,
      after: 600_000,
    })
    expect(slack).toMatchObject({
      receiver: { format: 'slack', secret: undefined },
      rejects_above: { count: 0 },
    })
    expect(slack!.nothing_by).toBeUndefined()
    expect(slack!.pipelines).toBeUndefined()
    expect(filed!.receiver).toMatchObject({ secret: 'k3y-in-a-file' })
    expect(starttls!.receiver).toMatchObject({
      port: 587,
      security: 'starttls',
      user: 'ops',
      password: ENV.TOKEN,
    })
    expect(tls!.receiver).toMatchObject({ port: 465, security: 'tls', user: undefined })
    expect(plain!.receiver).toMatchObject({ port: 25, security: 'plain' })
    expect(new Set(alerts.map(({ id }) => id)).size).toBe(alerts.length)
    expect(secrets).toEqual(
      expect.arrayContaining(['https://hooks.example.com/x?y=1', ENV.TOKEN, 'k3y-in-a-file']),
    )
  })

  it('takes every option that is available', async () => {
    const { pipelines, ...rest } = settingsOf(await loadFixture('everything.yaml'))
    expect(rest).toEqual({
      account: 'default',
      allow: [],
      file: `${FOLDER}everything.yaml`,
      service: {
        base_url: 'https://a.b.example.com',
        api_key: ENV.KEY,
        api_key_file: undefined,
        api_version: 'V2',
        timeout: 1500,
        rate_limit: { requests: 8081, per: 120_000, concurrency: 3, per_day: 50_000 },
        retry: { attempts: 2, max_delay: 3_600_000 },
        bulk: { size: 10, container: 'keyed' },
        doubt: { quiesce: 500, absent_reads: 3 },
        marker_field: undefined,
        custom_field_key: '{field_name}',
      },
      state: { path: `${FOLDER}data/state.db` },
      workers: { labels: [] },
      log: {
        level: 'debug',
        console_level: undefined,
        format: 'pretty',
        folder: `${FOLDER}logs`,
        keep: 2 * 86_400_000,
      },
      audit: {
        witness: { to: `${FOLDER}heads.jsonl`, every: 12 * 3_600_000 },
        hand_over: { to: `${FOLDER}handed/log.jsonl`, format: 'syslog' },
      },
      keep: {
        processed: 90 * 86_400_000,
        failed: 30 * 86_400_000,
        rejects: 180 * 86_400_000,
        runs: 60 * 86_400_000,
        sync_log: undefined,
        reads: 365 * 86_400_000,
      },
      server: {
        host: '0.0.0.0',
        port: 8081,
        hosts: [],
        users: [],
        token: ENV.TOKEN,
        metrics_token: ENV.METRICS_TOKEN,
      },
      max_parallel: 2,
      alerts: [],
      approvals: [],
      consents: {},
      secrets: [ENV.KEY, ENV.TOKEN, ENV.METRICS_TOKEN],
      unshown: [],
    })
    const [shop, crm] = pipelines
    expect(crm!.source).toMatchObject({ type: 'json', folder: '/srv/crm', records: 'data' })
    expect(shop).toMatchObject({
      schedule: '*/15 * * * *',
      timezone: 'Europe/Berlin',
      watch: true,
      max_duration: 5_400_000,
      source: { delimiter: ';', skip_lines: 2, null_values: ['n/a'] },
      mode: 'full',
      key: ['customer_no', 'branch'],
      on_duplicate_key: 'last',
      on_invalid: 'truncate',
      blank: 'clear',
      where: 'record["Status"] != "deleted"',
      duplicate_check_method: 'none',
      duplicate_merge_method: 'add',
      update_method: 'update',
    })
    expect(shop!.map).toEqual({
      mail: {
        columns: ['E-Mail', 'Mail'],
        transform: [{ name: 'trim', options: undefined }],
        on_invalid: 'drop',
      },
      mail_status: { value: 3 },
      first_name: {
        column: '${Name}',
        transform: [
          { name: 'trim', options: undefined },
          { name: 'truncate', options: 40 },
        ],
        blank: 'clear',
      },
      title: {
        column: 'Anrede',
        // Keys of a table are the text as written, whatever YAML would make of them.
        lookup: { Herr: 'm', '01': 'f', true: null },
        otherwise: null,
        default: 'm',
      },
      job_title: { template: '{Position}, {Abteilung} {{x}}' },
    })
  })

  it('takes a count from the environment where a share could stand, too', async () => {
    const guards =
      'guards: { max_deletes: "${MOST:-5}", max_rejects: "${R:-5%}", max_deletes_per: { 30d: "${PER:-9}" } }'
    expect(settingsOf(await loadText(pipeline(SHOP + guards))).pipelines[0]!.guards).toMatchObject({
      max_deletes: { count: 5 },
      max_rejects: { share: 0.05 },
      max_deletes_per: { '30d': { count: 9 } },
    })
    const [line] = linesOf(await loadText(pipeline(`${SHOP}guards: { max_deletes: "5" }`)))
    expect(line).toContain('pipelines.shop.guards.max_deletes: is not a share; write one such as 5%')
  })

  it('gives the options of a source as its kind transforms them, paths being absolute by then', async () => {
    const { z } = await import('zod')
    const schema = z
      .object({ folder: z.string().meta({ path: true }).optional(), lines: z.int().default(1) })
      .transform(({ folder, lines }, ctx) => {
        if (lines > 5)
          ctx.addIssue({ code: 'custom', message: 'are too many together; fewer', path: ['lines'] })
        return { where: folder, lineCount: lines }
      })
    const kinds = { own: { schema, example: '', help: '' } }
    const load = (lines: number) => {
      const text = pipeline(`source: { type: own, folder: in, lines: ${lines} }\nmap: { mail: A }`)
      const readFile = () => Promise.resolve(Buffer.from(text))
      return loadSettings({ file: '/etc/sync.yaml', env: ENV, kinds, presetFolder: '/none', readFile })
    }
    expect(settingsOf(await load(2)).pipelines[0]!.source).toEqual({
      type: 'own',
      null_values: [],
      where: '/etc/in',
      lineCount: 2,
    })
    expect(linesOf(await load(6))).toEqual([
      '/etc/sync.yaml:4:45: pipelines.shop.source.lines: are too many together; fewer',
    ])
  })

  it('asks the app about schedules and conditions', async () => {
    const text = pipeline(`${SHOP}schedule: never\nwhere: "1 +"`)
    const loaded = await loadSettings({
      file: '/etc/sync.yaml',
      env: ENV,
      kinds: KINDS,
      presetFolder: '/none',
      readFile: () => Promise.resolve(Buffer.from(text)),
      checkSchedule: (expression) => `is ${expression}`,
      checkCondition: () => 'ends too early; write the rest',
    })
    expect(linesOf(loaded)).toEqual([
      '/etc/sync.yaml:6:15: pipelines.shop.schedule: is never',
      '/etc/sync.yaml:7:12: pipelines.shop.where: ends too early; write the rest',
    ])
  })
})

describe('base_url', () => {
  it.each([
    ['https://a.example.com/', 'https://a.example.com'],
    ['https://a.example.com/prefix//', 'https://a.example.com/prefix'],
    ['https://A.Example.com:8443', 'https://a.example.com:8443'],
    ['http://localhost:9000', 'http://localhost:9000'],
    ['http://127.0.0.2:9000/', 'http://127.0.0.2:9000'],
    ['http://[::1]:9000', 'http://[::1]:9000'],
  ])('%s is taken', async (url, expected) => {
    const text = `service: { base_url: "${url}", api_key: "\${KEY}" }\npipelines: { shop: { source: { type: csv, folder: in }, map: { mail: A } } }`
    expect(settingsOf(await loadText(text)).service.base_url).toBe(expected)
  })

  it.each([
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'https://169.254.169.254',
    'https://[fe80::1]',
    'https://[::ffff:169.254.169.254]',
    'https://[fd00:ec2::254]',
    'https://metadata.google.internal',
    'https://a.example.com/b/../c',
    'https://a.example.com/b/%2E./c',
    'https://a.example.com/.',
    'http://[::2]',
    'ftp://a.example.com',
    'https://',
    'https://a.example.com#x',
  ])('%s is refused', async (url) => {
    const text = `service: { base_url: "${url}", api_key: "\${KEY}" }\npipelines: { shop: { source: { type: csv, folder: in }, map: { mail: A } } }`
    const lines = linesOf(await loadText(text))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(':1:22: service.base_url: ')
  })
})

describe('secrets', () => {
  it('takes the key from a file, without its one trailing newline', async () => {
    const settings = settingsOf(await loadFixture('key-from-file.yaml'))
    expect(settings.service.api_key).toBe('k3y-in-a-file')
    expect(settings.secrets).toEqual(['k3y-in-a-file'])
  })

  it.each([
    [0o600, 0],
    [0o640, 0],
    [0o644, 1],
  ])('warns of a key in a file that everybody may read (mode %o)', async (mode, warnings) => {
    const folder = await mkdtemp(join(tmpdir(), 'secret-'))
    const file = join(folder, 'key')
    await writeFile(file, 'k3y-in-a-file')
    await chmod(file, mode)
    const text = `service: { base_url: "https://a.example.com", api_key_file: "${file}" }\npipelines: { shop: { source: { type: csv, folder: in }, map: { mail: A } } }`
    await writeFile(join(folder, 'sync.yaml'), text)
    const loaded = await loadSettings({
      file: join(folder, 'sync.yaml'),
      env: {},
      kinds: KINDS,
      presetFolder: folder,
    })
    await rm(folder, { recursive: true })
    expect(settingsOf(loaded).service.api_key).toBe('k3y-in-a-file')
    expect(linesOf(loaded)).toHaveLength(warnings)
    if (warnings > 0)
      expect(linesOf(loaded)[0]).toContain('is readable by every user of this machine; chmod 600')
  })

  it('refuses to send them where the environment undoes the encryption', async () => {
    const text = (url: string) =>
      `service: { base_url: "${url}", api_key: "\${KEY}" }\npipelines: { shop: { source: { type: csv, folder: in }, map: { mail: A } } }`
    const unchecked = { ...ENV, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_OPTIONS: '--insecure-http-parser' }
    const lines = linesOf(await loadText(text('https://a.example.com'), unchecked))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain(':1:22: service.base_url: is https, but the environment disables the check')
    expect(linesOf(await loadText(text('http://127.0.0.1:1'), unchecked))).toEqual([])
  })

  it('warns of secrets in plain text', async () => {
    const loaded = await loadFixture('key-in-plain-text.yaml')
    expect(loaded.ok).toBe(true)
    expect(linesOf(loaded)).toEqual([
      'key-in-plain-text.yaml:3:12: service.api_key: is plain text in this file; take it from the environment: ${CONTACT_SYNC_API_KEY}',
      'key-in-plain-text.yaml:4:18: server.token: is plain text in this file; take it from the environment: ${CONTACT_SYNC_TOKEN}',
    ])
  })

  it.each(['changeme', 'CHANGE_ME', '<your key>', 'your-api-key', 'xxxx', 'TODO', 'undefined', ' ', 'ä'])(
    'refuses %j as a key, without repeating it',
    async (key) => {
      const lines = linesOf(await loadText(pipeline(SHOP), { KEY: key }))
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(/service\.api_key: .*environment variable KEY/)
      if (key.trim() !== '') expect(lines[0]).not.toContain(key)
    },
  )

  it('never quotes the environment where a choice is wrong', async () => {
    const lines = linesOf(await loadText(pipeline(`${SHOP}mode: \${KEY}`)))
    expect(lines).toEqual([
      '/etc/sync/sync.yaml:6:11: pipelines.shop.mode: is not one of the possible values; possible: incremental, full',
    ])
  })
})

describe('presets', () => {
  it('stand alone', async () => {
    const [crm] = settingsOf(await loadFixture('preset-alone.yaml')).pipelines
    expect(crm).toMatchObject({ key: ['Id'], blank: 'clear', source: { type: 'csv', delimiter: ';' } })
    expect(Object.keys(crm!.map).sort()).toEqual(['company', 'family_name', 'first_name', 'mail'])
  })

  it("give way to the pipeline's own keys, field by field", async () => {
    const [crm] = settingsOf(await loadFixture('preset-merged.yaml')).pipelines
    expect(crm!.key).toEqual(['Number'])
    expect(crm!.source).toMatchObject({ type: 'csv', delimiter: ';', null_values: ['n/a'] })
    expect(crm!.map).toEqual({
      mail: { column: 'Mail' },
      family_name: { column: 'Nachname' },
      company: { value: 'ACME' },
      fax: { column: 'Fax' },
    })
  })
})

describe('the hash of a pipeline', () => {
  const hashOf = async (text: string) => settingsOf(await loadText(pipeline(text))).pipelines[0]!.hash

  it.each([
    ['schedule: "5 * * * *"'],
    ['timezone: Europe/Berlin'],
    ['mode: full'],
    ['duplicate_check_method: none'],
    ['update_method: update_add'],
    ['blank: keep'],
  ])('does not depend on %s', async (extra) => {
    expect(await hashOf(`${SHOP}${extra}`)).toBe(await hashOf(SHOP))
  })

  it.each([
    ['key: Id'],
    ['blank: clear'],
    ['where: "true"'],
    ['on_invalid: drop'],
    ['skip_without: mail'],
    ['on_duplicate_key: last'],
    ['duplicate_merge_method: add'],
    ['update_method: add'],
  ])('depends on %s', async (extra) => {
    expect(await hashOf(`${SHOP}${extra}`)).not.toBe(await hashOf(SHOP))
  })

  it('depends on how the source is read, and not on where it is', async () => {
    const base = await hashOf(SHOP)
    const other = (options: string) => hashOf(SHOP.replace('folder: in', options))
    expect(await other('folder: elsewhere, files: "*.txt", settle: 9s')).toBe(base)
    expect(await other('folder: in, delimiter: ";"')).not.toBe(base)
    expect(await other('folder: in, null_values: [x]')).not.toBe(base)
  })

  it('depends on the mapping, and not on the order or form in which it is written', async () => {
    const one = SHOP.replace('mail: E-Mail', 'mail: E-Mail, fax: Fax')
    const two = SHOP.replace('mail: E-Mail', 'fax: { column: Fax }, mail: { column: E-Mail }')
    expect(await hashOf(one)).toBe(await hashOf(two))
    expect(await hashOf(one)).not.toBe(await hashOf(SHOP))
  })
})

describe('hostile files', () => {
  it.each([
    ['deeply nested', '['.repeat(200_000)],
    ['deeply nested and closed', 'a: ' + '['.repeat(20_000) + ']'.repeat(20_000)],
    ['a prototype', `${SERVICE}pipelines: { __proto__: { source: 1 } }`],
    ['keys that are no text', '? [a, b]\n: 1\n? { c: d }\n: 2\n'],
    ['an unknown alias', 'service: *nobody'],
    ['nothing but a bracket', ']'],
    ['control characters', 'service: "\\0\\x07"'],
    ['names of object methods', `${SERVICE}toString: 1\nconstructor: 2\nhasOwnProperty: 3`],
  ])('%s: problems with places', async (_, text) => {
    const loaded = await loadText(text)
    expect(loaded.ok).toBe(false)
    expect(linesOf(loaded).length).toBeGreaterThan(0)
    for (const line of linesOf(loaded)) expect(line).toMatch(/^\/etc\/sync\/sync\.yaml:\d+:\d+: ./)
  })

  it('refuses more than 1 MB', async () => {
    expect(linesOf(await loadText('#'.repeat(MAX_BYTES + 1)))).toEqual([
      '/etc/sync/sync.yaml:1:1: is larger than 1 MB; a configuration never is, so check its name',
    ])
  })

  it('reads a file with a byte order mark and Windows line ends', async () => {
    const text = `\ufeff${pipeline(SHOP).replaceAll('\n', '\r\n')}`
    expect((await loadText(text)).ok).toBe(true)
  })
})

const KEYS = [
  ...['service', 'pipelines', 'shop', 'source', 'map', 'type', 'mail', 'title', 'transform', 'key', 'terms'],
  ...['base_url', 'api_key', 'lookup', 'guards', 'preset', 'replace', 'alerts', 'folder', 'rate_limit'],
]
const leaf = fc.oneof(
  fc.string(),
  fc.constantFrom('csv', 'trim', '${KEY}', '5%', '30s', 'tiny', 'E-Mail'),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
const { garbage } = fc.letrec<{ garbage: unknown }>((tie) => ({
  garbage: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaf,
    fc.array(tie('garbage'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string()), tie('garbage'), { maxKeys: 6 }),
  ),
}))

describe('garbage', () => {
  const objects = fc.dictionary(fc.constantFrom(...KEYS), garbage, { maxKeys: 6 })
  const places = (lines: string[]) => {
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(line).toMatch(/^(\/etc\/sync\/sync|presets\/\w+)\.yaml:[1-9]\d*:[1-9]\d*: \S/)
  }

  it('of any shape never throws, and always gives problems with places', async () => {
    await fc.assert(
      fc.asyncProperty(objects, async (value) => {
        const loaded = await loadText(stringify(value))
        expect(loaded.ok).toBe(false)
        places(linesOf(loaded))
        expect(linesOf(loaded).join('\n')).not.toContain(ENV.KEY)
      }),
      { numRuns: 300 },
    )
  })

  it('inside a pipeline does neither', async () => {
    await fc.assert(
      fc.asyncProperty(objects, objects, async (map, source) => {
        const service = { base_url: 'https://a.example.com', api_key: '${KEY}' }
        const shop = { source: { type: 'csv', folder: 'in', ...source }, map: { mail: 'A', ...map } }
        const loaded = await loadText(stringify({ service, pipelines: { shop } }))
        if (!loaded.ok) places(linesOf(loaded))
        else expect(loaded.settings.pipelines).toHaveLength(1)
      }),
      { numRuns: 300 },
    )
  })

  it('as text never throws', async () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('{}[]:,-*&!|>\'"#%@ \n\tab$')) })
    await fc.assert(
      fc.asyncProperty(text, async (yaml) => {
        places(linesOf(await loadText(yaml)))
      }),
      { numRuns: 500 },
    )
  })
})
