// What is proposed in place of a value: only what may have been meant.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nearest, nearName, suggestion } from '../../../src/core/words/nearest.ts'

it.each([[' '], [''], [':'], ['  ']])('proposes no other sign in place of %j', (value) => {
  expect(nearName(value, ['auto', ',', ';', '\t', '|'])).toBeUndefined()
})

it('proposes nothing that shares no letter with it', () => {
  expect(nearName('::', ['auto', ',', ';'])).toBeUndefined()
  expect(suggestion('timout', ['timeout', 'retry'])).toBe('did you mean timeout?')
})

it.each([
  ['uppercase', ['trim', 'lower', 'upper', 'title_case'], 'upper'],
  ['lowercase', ['trim', 'lower', 'upper', 'title_case'], 'lower'],
  ['separator', ['delimiter', 'skip_footer', 'encoding'], 'delimiter'],
  ['path', ['files', 'folder', 'remote'], 'folder'],
  ['format', ['column', 'date', 'default'], 'date'],
])('knows what other programs call %s', (name, known, meant) => {
  expect(nearName(name, known)).toBe(meant)
})

const SERVICE = [
  'base_url',
  'api_key',
  'api_key_file',
  'api_version',
  'timeout',
  'rate_limit',
  'retry',
  'bulk',
  'doubt',
  'marker_field',
  'custom_field_key',
  'profile',
]
const PIPELINE = [
  'schedule',
  'source',
  'mode',
  'on_missing',
  'on_duplicate_key',
  'on_invalid',
  'blank',
  'where',
]

it.each([
  ['api_vers', SERVICE, 'api_version'],
  ['api_ke', SERVICE, 'api_key'],
  ['api_kex', SERVICE, 'api_key'],
  ['apikey_file', SERVICE, 'api_key_file'],
  ['custom_field', SERVICE, 'custom_field_key'],
  ['marker', SERVICE, 'marker_field'],
  ['time', SERVICE, 'timeout'],
  ['on_mis', PIPELINE, 'on_missing'],
  ['on_dupl_key', PIPELINE, 'on_duplicate_key'],
  ['sched', PIPELINE, 'schedule'],
  ['mod', PIPELINE, 'mode'],
  ['modes', ['mail', 'mode', 'modeless'], 'mode'],
  ['phon', ['phone_type', 'phone', 'phone2'], 'phone'],
  ['mailstatus', ['mail', 'mail_status'], 'mail_status'],
  ['E-Mail Adr', ['E-Mail', 'E-Mail Adresse', 'Email'], 'E-Mail Adresse'],
  ['Lnad', ['Land', 'Anland', 'Lnd2x'], 'Land'],
])('in place of %s of %j it proposes %s', (name, known, meant) => {
  expect(nearest(name, known)).toBe(meant)
})

const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z_]{3,14}$/), { minLength: 1, maxLength: 12 })

it('proposes for the greater part of a name one that begins with it, in any order of the names', () => {
  fc.assert(
    fc.property(names, fc.nat(), fc.double({ min: 0.6, max: 1, noNaN: true }), (known, index, share) => {
      const whole = known[index % known.length] ?? ''
      const name = whole.slice(0, Math.ceil(whole.length * share))
      expect(nearest(name, known)?.startsWith(name)).toBe(true)
      expect(nearest(name, known.toReversed())?.length).toBe(nearest(name, known)?.length)
    }),
  )
})

it('proposes only known names, and always the known one itself', () => {
  fc.assert(
    fc.property(names, fc.string(), fc.nat(), (known, name, index) => {
      const found = nearest(name, known)
      if (found !== undefined) expect(known).toContain(found)
      const same = known[index % known.length] ?? ''
      expect(nearest(same, known)).toBe(same)
    }),
  )
})
