// What a profile of the service changes: defaults, never what is written; and what is said where the two disagree.
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import { problemText } from '../../src/config/text/problem.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'

const FILE = '/config/contact-sync.yaml'
const configuration = (service = '', pipeline = ''): string => `
service: { base_url: "https://x.example", api_key: "\${KEY}", profile: profile.yaml${service} }
pipelines:
  shop:
    source: { type: csv, folder: /tmp }
    key: no
    map: { mail: mail, first_name: first${pipeline} }
`

async function loaded(profile: string | undefined, text = configuration()) {
  const files = new Map([[FILE, text]])
  if (profile !== undefined) files.set('/config/profile.yaml', profile)
  const result = await loadSettings({
    file: FILE,
    env: { KEY: 'k' },
    kinds: SOURCE_KINDS,
    presetFolder: '/presets',
    async readFile(path: string) {
      const found = files.get(path)
      if (found === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' })
      return Promise.resolve(Buffer.from(found))
    },
  })
  return result.ok
    ? { settings: result.settings, said: result.warnings.map(problemText) }
    : { settings: undefined, said: result.problems.map(problemText) }
}

const PROFILE =
  'bulk_container: keyed\nbulk_max: 20\ncustom_field_key: "custom_{field_id}"\nmerge: { update: other }\n'

it('takes the place of defaults', async () => {
  const { settings, said } = await loaded(PROFILE)
  expect(said).toEqual([])
  expect(settings?.service).toMatchObject({
    bulk: { container: 'keyed', size: 20 },
    custom_field_key: 'custom_{field_id}',
  })
})

it('says nothing of what is unknown, and raises no limit', async () => {
  const { settings } = await loaded('bulk_container: unknown\nbulk_max: 500\ncustom_field_key: unknown\n')
  expect(settings?.service).toMatchObject({
    bulk: { container: 'array', size: 50 },
    custom_field_key: '{field_name}',
  })
})

it('stands behind what is written, and the two are told apart', async () => {
  const { settings, said } = await loaded(PROFILE, configuration(', bulk: { container: array, size: 30 }'))
  expect(settings?.service.bulk).toEqual({ container: 'array', size: 30 })
  expect(said).toEqual([
    expect.stringContaining('service.bulk.container: is "array", and service.profile has "keyed"'),
    expect.stringContaining('service.bulk.size: is 30, and service.profile has 20'),
  ])
})

it.each([
  ['empty_clears: false\nnull_clears: true\n', 'null_value'],
  ['empty_clears: true\nnull_clears: false\n', 'empty_text'],
  ['empty_clears: true\nnull_clears: true\n', undefined],
  ['empty_clears: false\nnull_clears: false\n', undefined],
  ['empty_clears: unknown\nnull_clears: true\n', undefined],
])('%j: fields are emptied by %s', async (profile, form) => {
  const { settings, said } = await loaded(profile)
  expect([settings?.service.clear_by, said]).toEqual([form, []])
})

it('a written form stands before that of the profile', async () => {
  const { settings, said } = await loaded(
    'empty_clears: false\nnull_clears: true\n',
    configuration(', clear_by: empty_text'),
  )
  expect(settings?.service.clear_by).toBe('empty_text')
  expect(said).toEqual([
    expect.stringContaining('service.clear_by: is "empty_text", and service.profile has "null_value"'),
  ])
})

describe('what the service cannot do is said before the first record', () => {
  it.each([
    ['mail_status_permission: false', ', mail_status: { column: S }', 'cannot be set with this key'],
    ['auto: none', ' }\n    duplicate_check_method: auto\n    tests: [', 'the service searches nothing then'],
    [
      'empty_clears: false\nnull_clears: false',
      ' }\n    blank: clear\n    tests: [',
      'the service empties no field',
    ],
    ['merge: { update_add: other }', '', 'is update_add, which the service does not follow'],
    [
      'merge: { update: other }',
      ' }\n    duplicate_merge_method: update\n    tests: [',
      'shop.duplicate_merge_method: is update, which the service does not follow',
    ],
    [
      'merge: { add: other }',
      ' }\n    duplicate_check_method: email\n    update_via: bulk\n    update_method: add\n    tests: [',
      'shop.update_method: is add, which the service does not follow',
    ],
    [
      'merge: { add: other, update_add: other }',
      ' }\n    hand_edits: keep\n    tests: [',
      'shop.hand_edits: needs the merge method add, which the service does not follow',
    ],
    [
      'merge: { add: other }',
      ', phone: { column: Tel, hand_edits: ask }',
      'shop.hand_edits: needs the merge method add',
    ],
    [
      'term_names: folded',
      ' }\n    terms: { assign: [{ name: Café }, { name: cafe }, { name: CAFÉ }] }\n    tests: [',
      'names "cafe" and "Café" may be one term at the service',
    ],
  ])('%s', async (profile, pipeline, text) => {
    const yaml = configuration('', pipeline).replace('tests: [ }', 'tests: []')
    expect((await loaded(`${profile}\n`, yaml)).said).toEqual([expect.stringContaining(text)])
  })
})

it('says nothing of a method that no request carries, and of names that differ in case alone', async () => {
  const profile = 'merge: { update_add: other, update: other, add: other }\nterm_names: folded\n'
  const pipeline =
    ' }\n    duplicate_check_method: none\n    terms: { assign: [{ name: Café }, { name: CAFÉ }] }\n    tests: ['
  expect(
    (await loaded(profile, configuration('', pipeline).replace('tests: [ }', 'tests: []'))).said,
  ).toEqual([])
})

it.each([
  ['a key that it cannot have', 'bulk_mox: 3\n', 'profile.yaml:1:1: bulk_mox'],
  ['a value that it cannot have', 'page_cap: 5\nauto: perhaps\n', 'profile.yaml:2:7: auto'],
  ['what is no YAML', 'a: [\n', 'profile.yaml:'],
  ['no file', undefined, 'service.profile: names /config/profile.yaml, which'],
])('is refused with %s, with its place', async (_, profile, text) => {
  const { settings, said } = await loaded(profile)
  expect(settings).toBeUndefined()
  expect(said.join('\n')).toContain(text)
})
