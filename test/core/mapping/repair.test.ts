// Repairs of damaged values: each alone, together, and what they leave alone.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileMapping, recordKeys } from '../../../src/core/mapping/mapping.ts'
import { oddities } from '../../../src/core/mapping/odd-values.ts'
import { compileRepairs, REPAIRS, type Repair } from '../../../src/core/mapping/repair.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const all = compileRepairs(REPAIRS)

describe('a damaged value', () => {
  it.each<[string, string, Repair[]]>([
    ["'+49 171 1", '+49 171 1', ['spreadsheet']],
    ["'0171", '0171', ['spreadsheet']],
    ["'=1+1", '=1+1', ['spreadsheet']],
    ['="01067"', '01067', ['spreadsheet']],
    [' ="01067" ', '01067', ['spreadsheet']],
    ['="say ""hi"""', 'say "hi"', ['spreadsheet']],
    ['=""', '', ['spreadsheet']],
    ['M&uuml;ller', 'Müller', ['html']],
    ['&Auml;rzte &amp; &Ouml;kos', 'Ärzte & Ökos', ['html']],
    ['M&#252;ller &#xF6;', 'Müller ö', ['html']],
    ['O&#39;Neill &quot;Bob&quot;', 'O\'Neill "Bob"', ['html']],
    ['&Scaron;koda &Zdot;&lstrok;', 'Škoda Żł', ['html']],
    ['5 &euro; &ndash; &#8364;', '5 € – €', ['html']],
    ['&#146;', '\u2019', ['html']],
    ['O\u0092Neill', 'O\u2019Neill', ['c1']],
    ['\u0080 5', '€ 5', ['c1']],
    ['&#61;&quot;0123&quot;', '0123', ['html', 'spreadsheet']],
    ["'+49\u0085 &amp;", '+49… &', ['c1', 'html', 'spreadsheet']],
  ])('%j becomes %j', (given, value, by) => {
    expect(all(given)).toEqual({ value, by })
  })

  it.each(["'+1", 'M&uuml;ller', 'O\u0092Neill'])('stays %j without its repair', (given) => {
    const others = REPAIRS.filter((name) => !all(given).by.includes(name))
    expect(compileRepairs(others)(given)).toEqual({ value: given, by: [] })
    expect(compileRepairs()(given)).toEqual({ value: given, by: [] })
  })

  it('stays, and is counted as odd, where it has no one meaning', () => {
    for (const value of ['#NAME?', '4,91711E+11', '&unknown;', '&#0;', '&#xD800;', '\u0081', '="open']) {
      expect(all(value)).toEqual({ value, by: [] })
      expect(oddities(value)).toHaveLength(1)
    }
  })
})

it.each([
  "'t Hooft",
  "'s-Hertogenbosch",
  'AT&T',
  'Smith & Sons; London',
  '= mc2',
  'O\u2019Neill',
  '&amp',
  '',
  ' ',
])('%j is none', (value) => {
  expect(all(value)).toEqual({ value, by: [] })
})

it('an entity is decoded once: what it stands for may have been meant', () => {
  expect(all('&amp;uuml;').value).toBe('&uuml;')
})

it('never throws, leaves what is not odd, and leaves nothing odd that it can repair', () => {
  const piece = fc.constantFrom(
    '&',
    'uuml',
    ';',
    '#',
    'x',
    '252',
    "'",
    '=',
    '"',
    '\u0092',
    'a',
    '0',
    '+',
    ' ',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(text, (value) => {
      const repaired = all(value)
      if (oddities(value).length === 0 && !/^\s*(='?"|=")/.test(value) && !/^\s+'/.test(value))
        expect(repaired).toEqual({ value, by: [] })
      expect(repaired.value).not.toMatch(/[\u0082-\u008c\u0091-\u009c]/)
    }),
  )
})

describe('a mapping with repairs', () => {
  const header = ['no', 'mail', 'first', 'last', 'phone', 'note']
  const row = ['="0007"', 'a@example.com', 'M&uuml;ller', 'O\u0092Neill', "'+49 171", '&uuml;']
  const record = { kind: 'record', values: row, line: 2 } as const

  it('maps the key and the fields of repaired values', () => {
    const mapper = compileMapping(pipelineSettings({ repair: ['spreadsheet', 'html', 'c1'] }), header)
    expect(mapper.map(record)).toMatchObject({
      key: '0007',
      contact: { first_name: 'Müller', family_name: 'O\u2019Neill', phone: '+49 171' },
    })
    expect(mapper.odd(record)).toEqual([
      'repaired: spreadsheet',
      'repaired: html',
      'repaired: c1',
      'repaired: spreadsheet',
    ])
  })

  it('judges conditions and gives terms by repaired values', () => {
    const pipeline = pipelineSettings({
      repair: ['html'],
      where: 'record["note"] == "ü"',
      terms: { ...pipelineSettings().terms, assign: [{ column: 'note' }] },
    })
    expect(compileMapping(pipeline, header).map(record)).toMatchObject({ kind: 'contact', terms: ['ü'] })
  })

  it('gives whoever erases a person the same key', () => {
    expect(recordKeys(pipelineSettings({ repair: ['spreadsheet'] }))(header, row)).toBe('0007')
    expect(recordKeys(pipelineSettings())(header, row)).toBe('="0007"')
  })

  it('counts what is left as odd', () => {
    expect(compileMapping(pipelineSettings({ repair: ['html'] }), header).odd(record)).toEqual([
      'spreadsheet marks',
      'repaired: html',
      'control characters (C1)',
      'spreadsheet marks',
    ])
  })
})
