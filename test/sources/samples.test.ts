// vCards and workbooks as programs wrote them, against what other readers make of them. Runs where SAMPLES_DIR names the folder
// that holds them.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { read, rows } from './read.ts'

const SAMPLES = process.env['SAMPLES_DIR'] ?? ''
const here = SAMPLES !== '' && existsSync(join(SAMPLES, 'vcard'))
const cards = join(SAMPLES, 'vcard', 'rcmcarddav', 'vcardImport')
const expected = here ? globSync('*.json', { cwd: cards }).sort() : []

/** What it says of a card: one text, or texts and addresses under `kind:label`. */
type Expected = Readonly<Record<string, string | readonly (string | Readonly<Record<string, string>>)[]>>

const COLUMNS: Readonly<Record<string, string>> = {
  ...{
    name: 'FN',
    surname: 'N.family',
    firstname: 'N.given',
    middlename: 'N.additional',
    prefix: 'N.prefix',
  },
  ...{ suffix: 'N.suffix', cuid: 'UID', organization: 'ORG', nickname: 'NICKNAME', jobtitle: 'TITLE' },
  ...{ birthday: 'BDAY', notes: 'NOTE' },
}
const LISTS: Readonly<Record<string, string>> = { email: 'EMAIL', phone: 'TEL', website: 'URL' }
const ADDRESS: Readonly<Record<string, string>> = {
  ...{
    street: 'ADR.street',
    locality: 'ADR.city',
    region: 'ADR.state',
    zipcode: 'ADR.code',
    country: 'ADR.country',
  },
}

/** Columns with the value that each should have; of lists the values in order of letters. */
function wanted(card: Expected) {
  const single = Object.entries(COLUMNS).flatMap(([name, column]) => {
    const value = card[name]
    return typeof value === 'string' && name !== 'name' ? [[column, value] as const] : []
  })
  const ofKind = (kind: string) =>
    Object.entries(card).flatMap(([name, value]) =>
      name.split(':')[0] === kind && typeof value !== 'string' ? value : [],
    )
  const lists = Object.entries(LISTS).map(
    ([kind, column]) =>
      [
        column,
        ofKind(kind)
          .map((value) => (typeof value === 'string' ? value : ''))
          .sort(),
      ] as const,
  )
  const [address = {}] = ofKind('address')
  const parts = Object.entries(address).flatMap(([part, value]) => {
    const column = ADDRESS[part]
    return column === undefined ? [] : [[column, value] as const]
  })
  return { single: [...single, ...parts], lists: lists.filter(([, values]) => values.length > 0) }
}

describe.skipIf(!here)('vCards of many programs (SAMPLES_DIR)', () => {
  it.each(expected)('%s', async (file) => {
    const card = JSON.parse(readFileSync(join(cards, file), 'utf8')) as Expected
    const content = readFileSync(join(cards, `${basename(file, '.json')}.vcf`))
    const { single, lists } = wanted(card)
    const numbered = lists.flatMap(([column, values]) => values.map((_, index) => `${column}#${index + 1}`))
    const columns = [...single.map(([column]) => column), ...numbered]
    const { items } = await read('vcard', content, { columns })
    expect(items).toHaveLength(1)
    const values = items[0]?.values ?? []
    expect(Object.fromEntries(columns.slice(0, single.length).map((name, at) => [name, values[at]]))).toEqual(
      Object.fromEntries(single),
    )
    let at = single.length
    for (const [column, all] of lists) {
      expect([column, ...values.slice(at, at + all.length).toSorted()]).toEqual([column, ...all])
      at += all.length
    }
  })

  it.each([
    ['ANDROID', 6],
    ['EVOLUTION', 1],
    ['GMAIL', 1],
    ['IPHONE', 1],
  ])('John_Doe_%s.vcf is read whole', async (program, count) => {
    const content = readFileSync(join(SAMPLES, 'vcard', 'ez-vcard', `John_Doe_${program}.vcf`))
    const { items } = await read('vcard', content, { columns: ['FN', 'EMAIL', 'TEL'] })
    expect(items.map(({ kind }) => kind)).toEqual(Array.from({ length: count }, () => 'record'))
    if (count === 1) expect(items[0]?.values[0]).toContain('John')
  })
})

describe.skipIf(!here)('workbooks (SAMPLES_DIR)', () => {
  it.each([
    [
      'csvkit/test.xlsx',
      [3, 'Chicago Sun-Times', '1948-01-01', '63', 'true', '1.27', '1948-01-01 14:57:13', ''],
    ],
    [
      'csvkit/test_skip_lines.xlsx',
      [6, 'Chicago Sun-Times', '1943-12-31', '63', 'true', '1.27', '1943-12-31 14:57:13', ''],
    ],
    ['roo/simple_spreadsheet.xlsx', [5, '2007-05-07', '10.75', '12.5', '0', '1.75', 'Task 1']],
    ['roo/numbers1.xlsx', [5, '1961-11-21', '', '', '', '']],
    ['roo/formula.xlsx', [3, '3']],
  ])('%s', async (file, second) => {
    const skip = file.includes('skip') ? { skip_lines: 3 } : {}
    const found = await rows('excel', readFileSync(join(SAMPLES, 'xlsx', file)), skip)
    expect(found).toContainEqual(second)
  })
})

if (!here)
  it.skip('the samples are not at hand: set SAMPLES_DIR to read vCards and workbooks of other programs', () =>
    undefined)
