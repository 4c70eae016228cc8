// The configuration in force, as pages and reports show it: in the words of the file, and without a secret.
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { configJsonSchema, type JsonSchema } from '../../src/config/schema/describe.ts'
import { effectiveSettings } from '../../src/config/effective.ts'
import { loadSettings } from '../../src/config/load.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'
import { KINDS } from './fake-kinds.ts'
import { ENV, linesOf, loadFixture, loadText, settingsOf } from './fixtures.ts'

const PRESETS = fileURLToPath(new URL('../../config/presets', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../../config/contact-sync.example.yaml', import.meta.url))

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

/** Every schema that may stand for this one: references followed, unions taken apart. */
function forms(schema: unknown, whole: JsonSchema): JsonSchema[] {
  if (!isSchema(schema)) return []
  const { $ref: target, anyOf, oneOf, allOf } = schema
  const name = typeof target === 'string' ? target.replace('#/$defs/', '') : ''
  const definitions = isSchema(whole['$defs']) ? whole['$defs'] : {}
  const lists = [anyOf, oneOf, allOf].filter((list) => Array.isArray(list)) as unknown[][]
  const inner = [definitions[name], ...lists.flat()]
  return [schema, ...inner.flatMap((one) => forms(one, whole))]
}

/** Whether the file may have something under this path. */
function isPath(steps: readonly string[], schema: unknown, whole: JsonSchema): boolean {
  const [step, ...rest] = steps
  if (step === undefined) return true
  return forms(schema, whole).some(({ properties, additionalProperties, items }) => {
    const named = isSchema(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined
    const item = /^\d+$/.test(step) ? items : undefined
    return [named, additionalProperties, item].some((next) => isSchema(next) && isPath(rest, next, whole))
  })
}

/** A list may be written out as one text where its items are plain; the path ends there. */
const beyond = (paths: readonly string[], schema: JsonSchema): string[] =>
  paths.filter((path) => !isPath(path.split('.'), schema, schema))

it('has only paths that the file may have', async () => {
  const everything = effectiveSettings(settingsOf(await loadFixture('everything.yaml')), KINDS).map(
    ({ path }) => path,
  )
  expect(beyond(everything, configJsonSchema(KINDS))).toEqual([])
  const env = {
    CONTACT_SYNC_API_KEY: 'k'.repeat(20),
    SYSTEM_ID: 's',
    SERVER_ID: 'x',
    CONTACT_SYNC_TOKEN: 't'.repeat(20),
  }
  const loaded = await loadSettings({ file: EXAMPLE, env, kinds: SOURCE_KINDS, presetFolder: PRESETS })
  if (!loaded.ok) throw new Error(linesOf(loaded).join('\n'))
  const example = effectiveSettings(loaded.settings, SOURCE_KINDS)
  expect(
    beyond(
      example.map(({ path }) => path),
      configJsonSchema(SOURCE_KINDS),
    ),
  ).toEqual([])
  expect(example.length).toBeGreaterThan(50)
  expect(
    beyond(['service.rate_limits', 'pipelines.shop.map.mail.colum'], configJsonSchema(SOURCE_KINDS)),
  ).toHaveLength(2)
})

it('shows values as they would be written, defaults included', async () => {
  const shown = new Map(
    effectiveSettings(settingsOf(await loadFixture('minimal.yaml')), KINDS).map(({ path, value }) => [
      path,
      value,
    ]),
  )
  expect(
    Object.fromEntries([...shown].filter(([path]) => /timeout|rate_limit|guards|bulk|doubt/.test(path))),
  ).toMatchObject({
    'service.timeout': '30s',
    'service.rate_limit.requests': '5',
    'service.rate_limit.per': '1s',
    'service.doubt.quiesce': '2m',
    'service.bulk.container': 'array',
    'pipelines.shop.guards.max_deletes': '5%',
    'pipelines.shop.guards.max_deletes_per.30d': '20%',
    'pipelines.shop.guards.max_changes': '100%',
    'pipelines.shop.guards.deletes_apart': '0ms',
  })
  expect(shown.get('pipelines.shop.map.mail.column')).toBe('E-Mail')
})

const withGuards = (guards: string) =>
  loadText(`service: { base_url: "https://x.example.com", api_key: "\${KEY}" }
pipelines:
  shop:
    source: { type: csv, folder: in }
    map: { mail: E-Mail }
    guards: ${guards}
`)

it('reads and shows limits of deletes: a share with a count, and several periods', async () => {
  const shown = async (guards: string) =>
    effectiveSettings(settingsOf(await withGuards(guards)), KINDS)
      .filter(({ path }) => path.includes('max_deletes'))
      .map(({ path, value }) => `${path.replace('pipelines.shop.guards.', '')} ${value}`)
  expect(
    await shown('{ max_deletes: { share: 5%, count: 500 }, max_deletes_per: { 7d: 10%, 30d: 900 } }'),
  ).toEqual([
    'max_deletes.share 5%',
    'max_deletes.count 500',
    'max_deletes_per.7d 10%',
    'max_deletes_per.30d 900',
  ])
  expect(await shown('{ max_deletes_per: off }')).toEqual(['max_deletes 5%', 'max_deletes_per off'])
})

it.each([
  ['{ max_deletes: { share: 5% } }', 'pipelines.shop.guards.max_deletes.count: is missing'],
  ['{ max_deletes_per: { 1m: 5% } }', 'period'],
  ['{ max_deletes_per: { often: 5% } }', 'period'],
  ['{ max_deletes_per: 5% }', 'off'],
])('refuses %s', async (guards, expected) => {
  expect(linesOf(await withGuards(guards)).join()).toContain(expected)
})

it('shows receivers as they would be written, and not where they are', async () => {
  const found = effectiveSettings(settingsOf(await loadFixture('alerts.yaml')), KINDS)
  const shown = Object.fromEntries(found.map(({ path, value }) => [path, value]))
  expect(beyond(Object.keys(shown), configJsonSchema(KINDS))).toEqual([])
  expect(shown).toMatchObject({
    'alerts.1.webhook': '(set, not shown)',
    'alerts.1.secret': '(set, not shown)',
    'alerts.1.on': 'failed, held',
    'alerts.1.rejects_above': '5%',
    'alerts.1.nothing_by': '07:30',
    'alerts.1.nothing_within': '12h',
    'alerts.1.after': '10m',
    'alerts.2.rejects_above': '0',
    'alerts.4.mail.smtp': '(set, not shown)',
    'alerts.4.mail.password': '(set, not shown)',
  })
})

it('has no secret, wherever one has got to', async () => {
  const settings = settingsOf(await loadFixture('everything.yaml'))
  const spoilt = { ...settings, service: { ...settings.service, api_version: `V1-${ENV.KEY}` } }
  const shown = effectiveSettings(spoilt, KINDS)
  const text = JSON.stringify(shown)
  for (const secret of settings.secrets) expect(text).not.toContain(secret)
  expect(settings.secrets.length).toBeGreaterThan(1)
  const hidden = shown.filter(({ value }) => value === '(set, not shown)').map(({ path }) => path)
  expect(hidden).toEqual(
    expect.arrayContaining([
      'service.api_key',
      'service.api_version',
      'server.token',
      'server.metrics_token',
    ]),
  )
})

it('has no records of tests, which may be of people', async () => {
  const settings = settingsOf(await loadFixture('text-rules-right.yaml'))
  expect(settings.pipelines[0]?.tests).toHaveLength(1)
  expect(JSON.stringify(effectiveSettings(settings, KINDS))).not.toContain('Berger')
})
