// Headers and values together: which field a column is for, how sure that is, and what is left out.
import { describe, expect, it } from 'vitest'
import { buildProposal, type Proposal } from '../../../src/core/proposal/proposal.ts'
import { answered, initQuestions } from '../../../src/core/proposal/questions.ts'
import { createSampleCollector } from '../../../src/core/proposal/samples.ts'

const FORM = {
  type: 'csv' as const,
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  skipLines: 0,
  isRagged: false,
  unended: 0,
}

type Columns = Readonly<Record<string, readonly string[]>>

/** A proposal for files that are given by column. */
function proposalFor(...files: readonly Columns[]): Proposal {
  const collector = createSampleCollector()
  for (const [index, file] of files.entries()) {
    const header = Object.keys(file)
    collector.begin(`${index}.csv`, header)
    const rows = Math.max(...Object.values(file).map(({ length }) => length))
    for (let row = 0; row < rows; row += 1)
      collector.add(
        header.map((name) => file[name]?.[row] ?? ''),
        row + 2,
      )
  }
  return buildProposal({ samples: collector.samples(), form: FORM, fileDate: '2026-11-22', known: undefined })
}

/** What is taken without a question, by field. */
const taken = ({ entries }: Proposal): Record<string, unknown> =>
  Object.fromEntries(
    entries.flatMap(({ field, confidence, rule, column }) =>
      field !== null && confidence >= 0.9 ? [[field, rule ?? column]] : [],
    ),
  )

const MAILS = ['nea@a.example', 'bo@b.example', 'cy@c.example', 'di@d.example']

describe('values count more than headers', () => {
  it('"Email consent" holds yes and no, and is no mail', () => {
    const { entries } = proposalFor({ 'Email consent': ['yes', 'no', 'yes'], 'E-Mail': MAILS })
    expect(entries).toMatchObject([
      { column: 'Email consent', field: null },
      { column: 'E-Mail', field: 'mail' },
    ])
  })

  it('a column "Name" with mails is a mail', () => {
    expect(taken(proposalFor({ Name: MAILS }))).toEqual({ mail: { column: 'Name' } })
  })

  it.each(['Street Number', 'Straße Nr', 'Nr. Straße'])('"%s" with house numbers is no street', (name) => {
    const numbers = {
      'E-Mail': MAILS,
      Ort: ['Köln', 'Bonn', 'Ulm', 'Hof'],
      [name]: ['12', '7a', '3-5', '3/2'],
    }
    expect(taken(proposalFor(numbers))).not.toHaveProperty('ba_street')
    expect(proposalFor(numbers).entries.find(({ column }) => column === name)?.why).toContain('house numbers')
    const streets = { ...numbers, [name]: ['Ring 12', 'Q7', 'Am Markt 3-5', '5th Avenue 1'] }
    expect(taken(proposalFor(streets))).toHaveProperty('ba_street')
  })

  it.each(['Nachname, Vorname', 'Last Name, First Name', 'Cognome e nome', 'Vorname Nachname'])(
    'a column "%s" has both parts of the name',
    (name) => {
      const names = ['Müller, Anna', 'Schmidt, Bernd', 'Huber, Max', 'Kowalski, Ewa']
      expect(taken(proposalFor({ 'E-Mail': MAILS, [name]: names }))).toMatchObject({
        first_name: { column: name, name: 'first' },
        family_name: { column: name, name: 'family' },
      })
    },
  )

  it('values that are to be repaired are judged as they are afterwards', () => {
    const proposal = proposalFor({
      'E-Mail': MAILS,
      PLZ: ['="01067"', '="10115"', "'50667", '="80331"'],
      Telefon: ['="+49 30 1234567"', '="+49 30 1234568"', "'+49 30 1234569", '="+49 30 1234570"'],
      Land: ['D&auml;nemark', '&Ouml;sterreich', 'T&uuml;rkei', 'Rum&auml;nien'],
    })
    expect(proposal.samples.repairs.toSorted()).toEqual(['html', 'spreadsheet'])
    expect(taken(proposal)).toMatchObject({
      phone: { column: 'Telefon' },
      ba_postal_code: { column: 'PLZ' },
      ba_country: { column: 'Land', country: true },
    })
    expect(proposal.samples.columns.map(({ values }) => values[0])).toEqual([
      'nea@a.example',
      '01067',
      '+49 30 1234567',
      'Dänemark',
    ])
  })

  it.each([
    ['Email', ['yes', 'no', 'yes', 'no'], 'yes and no'],
    ['Phone', ['yes', 'no', 'yes', 'no'], 'yes and no'],
    ['Company', ['a@a.example', 'https://b.example', 'ja', 'nein'], ''],
    ['Birthday', ['blue', 'red', 'green', 'pink'], ''],
    ['Country', ['blue', 'red', 'green', 'pink'], ''],
    ['City', ['1', '2', '3', '44'], 'numbers'],
    ['First Name', ['2024-01-01', '2024-02-03', '2024-03-04', '2024-05-06'], 'dates'],
    ['Postal Code', ['Berlin', 'Bonn', 'Köln', 'Ulm'], ''],
  ])('%s with %s is not taken', (name, values, why) => {
    const [entry] = proposalFor({ [name]: values, Mail: MAILS }).entries
    if (name !== 'Company') expect(entry?.confidence).toBeLessThan(0.4)
    if (name !== 'Company') expect(entry?.field).toBeNull()
    expect(entry?.why).toContain(why)
  })

  it('an unknown header with countries, or numbers with their code, is found by its values', () => {
    const found = proposalFor({
      X: ['Österreich', 'Germany', 'Suisse'],
      Y: ['+49 30 1234567', '+43 1 5333433', '+33 1 44 55 66 77'],
      Mail: MAILS.slice(0, 3),
    })
    expect(taken(found)).toMatchObject({ ba_country: { column: 'X', country: true }, phone: { column: 'Y' } })
  })

  it('mails of others, and permissions, are never taken', () => {
    const found = proposalFor({ 'Contact owner': MAILS, Status: ['active', 'active', 'gone'], Mail: MAILS })
    expect(Object.keys(taken(found))).toEqual(['mail'])
  })

  it('a column without a value is a guess that waits for an answer', () => {
    const found = proposalFor({ Mail: MAILS, Fax: [], Notes: [] })
    expect(found.entries).toMatchObject([{}, { field: 'fax', confidence: 0.8 }, { field: null }])
  })
})

describe('names', () => {
  it.each<[string, Columns, Record<string, unknown>]>([
    [
      'the family name beside a first name',
      { Name: ['Muster', 'Meier'], Vorname: ['Max', 'Eva'] },
      { first_name: { column: 'Vorname' }, family_name: { column: 'Name' } },
    ],
    [
      'the first name beside a family name',
      { Nombre: ['Ana', 'Luis'], Apellidos: ['García', 'Pérez'] },
      { first_name: { column: 'Nombre' }, family_name: { column: 'Apellidos' } },
    ],
    [
      'nothing beside both',
      { Name: ['Eva Meier', 'Max Muster'], Vorname: ['Eva', 'Max'], Nachname: ['Meier', 'Muster'] },
      { first_name: { column: 'Vorname' }, family_name: { column: 'Nachname' } },
    ],
    [
      'the full name alone',
      { Name: ['Dr. Anna von der Heide', 'Max Muster', 'Meier, Eva'] },
      {
        first_name: { column: 'Name', name: 'first' },
        family_name: { column: 'Name', name: 'family' },
        title2: { column: 'Name', name: 'title2' },
      },
    ],
    [
      'a full name that holds the first name',
      { Name: ['Eva Meier', 'Max Muster'], Vorname: ['Eva', 'Max'] },
      { first_name: { column: 'Vorname' }, family_name: { column: 'Name', name: 'family' } },
    ],
  ])('"Name" is %s', (_, columns, expected) => {
    expect(taken(proposalFor(columns))).toEqual(expected)
  })

  it('companies in it make it a question', () => {
    const names = ['Hydra Supplies', 'Aurora Shelves', 'Roger Martins']
    const found = proposalFor({ Name: names, 'Is a company': ['1', '1', '0'], Mail: MAILS.slice(0, 3) })
    expect(Object.keys(taken(found))).toEqual(['mail'])
    expect(initQuestions(found).map(({ column }) => column)).toContain('Name')
  })

  it('titles: a salutation in two fields, a position where no value is a salutation', () => {
    const found = proposalFor({
      Anrede: ['Herr Dr.', 'Frau', 'Herr'],
      Title: ['Buyer', 'Clerk', 'Head of sales'],
      Mail: MAILS.slice(0, 3),
    })
    expect(taken(found)).toMatchObject({
      title: { lookup: { 'Herr Dr.': 'm', Frau: 'f', Herr: 'm' } },
      title2: { lookup: { 'Herr Dr.': 'dr', Frau: null, Herr: null } },
      job_title: { column: 'Title' },
    })
    expect(taken(proposalFor({ Title: ['Mr.', 'Ms.', 'Dr.'], Mail: MAILS.slice(0, 3) }))).toMatchObject({
      title: { column: 'Title' },
    })
  })
})

describe('dates', () => {
  it.each<[string, readonly string[], unknown]>([
    ['the day first, proved', ['31.12.1980', '01.02.1990'], { date: 'd.M.yyyy' }],
    ['the month first, proved', ['12/31/1980', '01/02/1990'], { date: 'M/d/yyyy' }],
    ['month names', ['3. Mai 1980', '4. März 1990'], { date: 'd. MMMM yyyy' }],
    ['ISO', ['1980-12-31', '1990-02-01'], {}],
    ['two forms', ['31.12.1980', '1990/02/01'], { date: ['d.M.yyyy', 'yyyy/M/d'] }],
    ['nothing beside a date', ['31.12.1980', '0000-00-00'], { date: 'd.M.yyyy' }],
  ])('%s', (_, values, rule) => {
    expect(taken(proposalFor({ Geburtstag: values, Mail: MAILS }))['date_of_birth']).toEqual({
      column: 'Geburtstag',
      ...(rule as object),
    })
  })

  it.each([
    ['an order that nothing proves', ['01/02/1980', '03/04/1990']],
    ['one that some prove one way and some the other', ['31/12/1980', '12/31/1990']],
    ['a century that is open', ['31.12.20', '30.11.15']],
  ])('%s is not taken', (_, values) => {
    expect(taken(proposalFor({ Birthday: values, Mail: MAILS }))).not.toHaveProperty('date_of_birth')
  })

  it('an open order is asked, with the rule of each answer', () => {
    const found = proposalFor({ Birthday: ['01/02/1980', '03/04/1990'], Mail: MAILS })
    const [question] = initQuestions(found)
    expect(question).toMatchObject({
      column: 'Birthday',
      values: ['01/02/1980', '03/04/1990'],
      standard: 'none',
    })
    expect(question?.answers.map(({ answer }) => answer)).toEqual(['day', 'month', 'none'])
    if (question === undefined) return
    expect(taken(answered(found, question, 'month'))).toMatchObject({ date_of_birth: { date: 'M/d/yyyy' } })
    expect(taken(answered(found, question, 'none'))).not.toHaveProperty('date_of_birth')
  })
})

describe('numbers and addresses', () => {
  const phones = ['030 1234567', '040 7654321', '089 1234567', '0221 123456']
  it('are read by the country that all records have', () => {
    const found = proposalFor({ Tel: phones, Land: ['DE', 'Deutschland', 'DE', 'D'], Mail: MAILS })
    expect(taken(found)).toMatchObject({
      phone: { column: 'Tel', phone: 'DE' },
      phone_type: { phone_type_of: 'phone' },
    })
  })

  it('stay as they are where nothing shows the country; an answer names it', () => {
    const found = proposalFor({ Tel: phones, Mail: MAILS })
    expect(taken(found)).toMatchObject({ phone: { column: 'Tel' } })
    const question = initQuestions(found).find(({ column }) => column === 'Tel')
    expect(question?.standard).toBe('none')
    if (question === undefined) return
    expect(taken(answered(found, question, 'none'))['phone']).toEqual({ column: 'Tel' })
    expect(taken(answered(found, question, 'DE'))['phone']).toEqual({ column: 'Tel', phone: 'DE' })
  })

  it('an address is never mixed from two', () => {
    const found = proposalFor({
      'Straße privat': ['A 1', 'B 2'],
      'Ort privat': ['Bonn', 'Ulm'],
      'Straße geschäftlich': ['C 3', ''],
      'Ort geschäftlich': ['', ''],
      'E-Mail': MAILS.slice(0, 2),
    })
    const columns = found.entries.filter(
      ({ field, confidence }) => field?.startsWith('ba_') === true && confidence >= 0.9,
    )
    expect(new Set(columns.map(({ column }) => column.split(' ')[1])).size).toBeLessThanOrEqual(1)
  })

  it('a second line of a street belongs to its own address', () => {
    const found = proposalFor({
      'Home Street': ['A 1', 'B 2'],
      'Home Street 2': ['left', 'right'],
      'Home City': ['Bonn', 'Ulm'],
      'Other Street': ['C 3', ''],
      'Other City': ['Wien', ''],
      Mail: MAILS.slice(0, 2),
    })
    expect(found.entries.map(({ column, field }) => [column, field])).toEqual([
      ['Home Street', 'ba_street'],
      ['Home Street 2', 'ba_street2'],
      ['Home City', 'ba_city'],
      ['Other Street', null],
      ['Other City', null],
      ['Mail', 'mail'],
    ])
  })

  it('one address out of two is one question, and one answer holds for all of it', () => {
    const found = proposalFor({
      'Work Street': ['A 1', 'B 2'],
      'Work City': ['Bonn', 'Ulm'],
      'Home Street': ['C 3', 'D 4'],
      'Home City': ['Wien', 'Graz'],
      Mail: MAILS.slice(0, 2),
    })
    expect(Object.keys(taken(found))).toEqual(['mail'])
    const [question, ...others] = initQuestions(found)
    expect(others).toEqual([])
    expect(question?.question).toContain('Is it the address ("Work Street", "Work City")?')
    if (question === undefined) return
    expect(taken(answered(found, question, 'y'))).toMatchObject({
      ba_street: { column: 'Work Street' },
      ba_city: { column: 'Work City' },
    })
    expect(Object.keys(taken(answered(found, question, 'n')))).toEqual(['mail'])
  })

  it.each(['E-Mail Ansprechpartner', 'E-Mail Zentrale'])(
    'the mail of a header that says whose it is, "%s", never goes before the plain one',
    (header) => {
      const theirs = ['boss@a.example', 'boss@a.example', 'boss@a.example', 'boss@a.example']
      const both = { [header]: theirs, 'E-Mail': MAILS }
      expect(taken(proposalFor(both))).toMatchObject({ mail: { column: 'E-Mail' } })
      const gaps = { [header]: theirs, 'E-Mail': ['', '', 'a@a.example', 'b@a.example'] }
      expect(taken(proposalFor(gaps))).toMatchObject({ mail: { column: 'E-Mail' } })
    },
  )

  it.each(['E-Mail Betreuer', 'Betreuer E-Mail', 'E-Mail Vertrieb', 'E-mail conseiller'])(
    'the mail of somebody else, "%s", is left out',
    (header) => {
      expect(taken(proposalFor({ [header]: MAILS.toReversed(), 'E-Mail': MAILS }))).toEqual({
        mail: { column: 'E-Mail' },
      })
    },
  )

  it.each(['Angelegt von', 'Benutzername', 'FN'])(
    'addresses under another header, "%s", go behind those that the header calls so, and are asked about',
    (header) => {
      const theirs = ['boss@a.example', 'boss@b.example', 'boss@a.example', 'boss@b.example']
      for (const own of ['E-Mail', 'E-Mail geschäftlich', 'E-Mail 2']) {
        const found = proposalFor({ [header]: theirs, [own]: MAILS })
        expect(taken(found)).toEqual({ mail: { column: own } })
        expect(initQuestions(found)).toMatchObject([{ column: header, standard: 'n' }])
        const gaps = proposalFor({ [header]: theirs, [own]: ['', '', 'a@a.example', 'b@a.example'] })
        expect(taken(gaps)).toEqual({ mail: { column: own } })
      }
    },
  )

  it('two mails: the better one first; where it is often blank the other stands in', () => {
    expect(taken(proposalFor({ 'Secondary Email': MAILS, 'Primary Email': MAILS }))).toEqual({
      mail: { column: 'Primary Email' },
      mail2: { column: 'Secondary Email' },
    })
    expect(
      taken(proposalFor({ 'Work Email': ['', '', 'a@a.example', 'b@a.example'], 'Home Email': MAILS })),
    ).toEqual({ mail: { columns: ['Work Email', 'Home Email'] } })
    expect(
      taken(proposalFor({ Mails: ['Nea <n@a.example>; m@a.example', 'o@a.example', 'p@a.example'] })),
    ).toEqual({ mail: { column: 'Mails', address: 1 }, mail2: { column: 'Mails', address: 2 } })
  })
})

describe('the key', () => {
  const KEYS = ['K7', 'K9', 'K3', 'K5']
  it('is an identifier that is unique and filled over all files', () => {
    expect(proposalFor({ Kundennummer: KEYS, Mail: MAILS }).key).toMatchObject({
      column: 'Kundennummer',
      confidence: 0.95,
    })
    const twice = { Kundennummer: ['K7', 'K7', 'K3', 'K5'], Mail: MAILS }
    expect(proposalFor({ Kundennummer: KEYS, Mail: MAILS }, twice).key.column).toBeNull()
    expect(proposalFor({ Kundennummer: ['K7', '', 'K3', 'K5'], Mail: MAILS }).key.column).toBeNull()
    expect(proposalFor({ Kundennummer: KEYS, Mail: MAILS }, { Mail: MAILS }).key.column).toBeNull()
  })

  it('that stands for the same mail in two files is certain, for another one it is none', () => {
    expect(proposalFor({ ID: KEYS, Mail: MAILS }, { ID: KEYS, Mail: MAILS }).key.confidence).toBe(0.98)
    expect(
      proposalFor({ ID: KEYS, Mail: MAILS }, { ID: KEYS, Mail: MAILS.toReversed() }).key.confidence,
    ).toBe(0.1)
  })

  it('a number of the row is a question', () => {
    const found = proposalFor({ ID: ['1', '2', '3', '4'], Mail: MAILS })
    expect(found.key.confidence).toBeLessThan(0.9)
    const question = initQuestions(found).find(({ column }) => column === 'ID')
    expect(question?.question).toContain('the key')
    if (question === undefined) return
    expect(taken(answered(found, question, 'y'))).toHaveProperty('key')
    expect(answered(found, question, 'n').key.column).toBeNull()
  })
})

describe('what a source is expected to look like', () => {
  const many = (value: (index: number) => string): readonly string[] =>
    Array.from({ length: 40 }, (_, index) => value(index))
  const file = {
    Mail: many((index) => `p${index}@a.example`),
    Anrede: many((index) => (index % 2 === 0 ? 'Herr' : 'Frau')),
    Fax: many((index) => (index < 4 ? '+4930123456' : '')),
  }

  it('columns, half the records of the smallest sample, blanks and lists of values', () => {
    expect(proposalFor(file, file).expect).toEqual({
      columns: 'at_least',
      records: { least: 20 },
      blank: { Mail: '20%', Anrede: '20%' },
      values: { Anrede: ['Herr', 'Frau'] },
    })
  })

  it('of a hundred records also that a column keeps most of its values', () => {
    const rows = Array.from({ length: 100 }, (_, index) => index)
    const large = {
      Mail: rows.map((index) => `p${index}@a.example`),
      Anrede: rows.map((index) => (index % 2 === 0 ? 'Herr' : 'Frau')),
    }
    expect(proposalFor(large).expect).toMatchObject({
      values: { Mail: { change: '20%' }, Anrede: ['Herr', 'Frau'] },
    })
  })

  it('of one small sample, its columns alone', () => {
    expect(proposalFor({ Mail: MAILS }).expect).toEqual({ columns: 'at_least' })
    expect(proposalFor({ Mail: MAILS }, { Mail: MAILS, Fax: [] }).expect).toBeUndefined()
  })
})
