// Full names in one column: how often they are taken apart rightly, and what is refused in place of being guessed.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkField } from '../../../../src/core/mapping/fields/field-check.ts'
import { namePart } from '../../../../src/core/mapping/values/names.ts'

const PARTS = ['title', 'title2', 'first', 'family'] as const

const FILE = resolve(import.meta.dirname, '../../../fixtures/full-names.txt')

interface Sample {
  readonly language: string
  readonly text: string
  readonly expected: readonly string[]
}

const SAMPLES: readonly Sample[] = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [language = '', text = '', ...expected] = line.split('|').map((cell) => cell.trim())
    return { language, text, expected }
  })

const read = (text: string): readonly unknown[] => PARTS.map((part) => namePart(text, part))

function outcome({ text, expected }: Sample): 'right' | 'not sure' | 'wrong' {
  const got = read(text)
  if (got.some((part) => typeof part !== 'string')) return 'not sure'
  return got.every((part, index) => part === expected[index]) ? 'right' : 'wrong'
}

describe('300 full names of twelve languages', () => {
  it('are right or refused: how often is printed and held', () => {
    const outcomes = SAMPLES.map((sample) => ({ ...sample, outcome: outcome(sample) }))
    const texts = (wanted: string) =>
      outcomes.filter((one) => one.outcome === wanted).map(({ language, text }) => `${language} ${text}`)
    const right = texts('right').length
    console.info(
      `full names: ${right} of ${SAMPLES.length} right, ${texts('not sure').length} not sure, ${texts('wrong').length} wrong`,
    )
    expect(SAMPLES).toHaveLength(300)
    expect(new Set(SAMPLES.map(({ language }) => language)).size).toBe(12)
    expect(texts('wrong')).toEqual([])
    expect(right, texts('not sure').join('\n')).toBeGreaterThanOrEqual(262)
  })

  it('keep their salutation and title even where first and family name are not sure', () => {
    expect(namePart('Herr Dr. Carlos Martín López', 'title')).toBe('m')
    expect(namePart('Herr Dr. Carlos Martín López', 'title2')).toBe('dr')
    expect(namePart('Herr Dr. Carlos Martín López', 'first')).toHaveProperty('problem')
  })
})

describe('a full name', () => {
  it.each([
    ['one word alone', 'Madonna', 'is one word'],
    ['the family name first, by the names', 'Müller Anna', 'may have the family name first'],
    ['an Asian family name', 'Nguyen Van Anh', 'may have the family name first'],
    ['a Chinese name', 'Li Wei', 'may have the family name first'],
    ['a name of birth', 'Meier geb. Schmidt, Anna', 'contains a birth name'],
    ['a family name with a particle first', "O'Neill David", 'may have the family name first'],
    ['a first name last that is a family name as well', 'Downing Robert', 'may have the family name first'],
    ['an initial behind the name', 'Müller A.', 'may have the family name first'],
    ['two people', 'Anna und Peter Müller', 'names several people'],
    ['two people with a sign', 'Anna & Peter Müller', 'names several people'],
    ['two people in Spanish', 'Ana y Luis García', 'has a word in the middle'],
    ['two people in Italian', 'Anna Rossi e Marco Bianchi', 'has a word in the middle'],
    ['a company', 'Müller Bau GmbH', 'looks like a company'],
    ['an association', 'Turnverein Nord e.V.', 'looks like a company'],
    ['a company with dots', 'Seguros Norte S.A.', 'looks like a company'],
    ['a family', 'Familie Müller', 'looks like a company, a family'],
    ['an address', 'anna@example.com', 'contains characters that no name has'],
    ['a number', 'Anna Müller 2', 'contains characters that no name has'],
    ['a nickname', 'Robert "Bob" Smith', 'contains characters that no name has'],
    ['another alphabet', 'Иванов Иван', 'is written in an alphabet'],
    ['Chinese', '王伟', 'is written in an alphabet'],
    ['M., which may be Monsieur', 'M. Dupont', 'begins with an honorific'],
    ['Don, which may be a first name', 'Don José García', 'begins with an honorific'],
    ['a name that is first or family name', 'Carlos Martín López', 'has a word in the middle'],
    ['a devotion that is a family name as well', 'María de la Cruz López', 'has a word in the middle'],
    ['a particle in front', 'von der Heide Anna', 'begins or ends with a particle'],
    ['a particle behind', 'Vries Jan de', 'begins or ends with a particle'],
    ['a title in the middle', 'Berger Dr. Anna', 'has a title in the middle'],
    [
      'a title with an initial behind it',
      'Dr.J.Berger',
      'has a title in the middle, or one that is not apart',
    ],
    [
      'a title with an initial and a name behind it',
      'Dr.J. Berger',
      'or one that is not apart from the name',
    ],
    ['a title behind the name without a blank', 'Anna Berger.Dr', 'or one that is not apart from the name'],
    ['a title with a hyphen behind it', 'Dr.-Anna Berger', 'or one that is not apart from the name'],
    ['a title without a blank in the middle', 'Berger Dr.Anna', 'has a title in the middle'],
    ['a title alone', 'Dr.', 'contains a title but no name'],
    ['a place behind the comma', 'Anna Berger, Wien', 'has a comma, and not in the form'],
    ['a place behind a family name', 'Müller, Berlin', 'has a place behind the comma'],
    ['a place of several words', 'Schmidt, Frankfurt am Main', 'has a place behind the comma'],
    ['a spa', 'Schmidt, Bad Homburg', 'has a place behind the comma'],
    ['a place behind a whole name', 'Ludwig van Beethoven, Bonn', 'has a place behind the comma'],
    ['a place of two words', 'Thornton, New York', 'has a place behind the comma'],
    ['three commas', 'Berger, Anna, Wien, A', 'has commas'],
    ['capital letters in the middle', 'Anna MARIA Berger', 'has words in capital letters'],
    ['a generation and one word', 'Smith Jr.', 'is one word'],
    ['more than a name', 'a'.repeat(201), 'is too long'],
  ])('is refused for %s', (_, text, problem) => {
    expect(namePart(text, 'family')).toEqual({ problem: expect.stringContaining(problem) as string })
  })

  it.each([
    ['Herr und Frau Müller', 'names several people'],
    ['Herr Frau Anna Müller', 'has salutations that contradict'],
    ['Fr. Anna Müller', 'has a salutation with several meanings'],
    ['Fr.Anna Müller', 'has a salutation with several meanings'],
    ['mr. A. de Vries', 'has a salutation with several meanings'],
  ])('%s: no salutation is guessed', (text, problem) => {
    expect(namePart(text, 'title')).toEqual({ problem: expect.stringContaining(problem) as string })
  })

  it.each([
    ['Phil Collins', ['', '', 'Phil', 'Collins']],
    ['Ev Prynne', ['', '', 'Ev', 'Prynne']],
    ['Lee Howkins', ['', '', 'Lee', 'Howkins']],
    ['Jack Ma', ['', '', 'Jack', 'Ma']],
    ['Dr. Phil Brandon', ['', 'dr', 'Phil', 'Brandon']],
    ['Anna v. Braun', ['', '', 'Anna', 'v. Braun']],
    ['Anna Van', ['', '', 'Anna', 'Van']],
    ['E.V. Smith', ['', '', 'E.V.', 'Smith']],
    ['Herr von der Heide', ['m', '', '', 'von der Heide']],
    ['Guttmann, Karl Freiherr von und zu', ['', '', 'Karl', 'Freiherr von und zu Guttmann']],
    ['Smith, Jane, PhD', ['', 'dr', 'Jane', 'Smith']],
    ['Peter Klein BSc', ['', '', 'Peter', 'Klein']],
    ['Peter Klein MEng', ['', '', 'Peter', 'Klein']],
    ['Peter Klein CFA', ['', '', 'Peter', 'Klein']],
    ['Peter Klein, BCom', ['', '', 'Peter', 'Klein']],
    ['Peter Klein DPhil', ['', 'dr', 'Peter', 'Klein']],
    ['Peter Klein Esq', ['', '', 'Peter', 'Klein']],
    ['Müller, Frau', ['f', '', '', 'Müller']],
    ['  Anna   Müller ', ['', '', 'Anna', 'Müller']],
    ['Jean DE LA FONTAINE', ['', '', 'Jean', 'DE LA FONTAINE']],
    ['Prof. Dr. med. Dipl.-Ing. Eva Kern', ['', 'prof', 'Eva', 'Kern']],
    ['Dr.Anna Berger', ['', 'dr', 'Anna', 'Berger']],
    ['Prof.Dr.Anna Berger', ['', 'prof', 'Anna', 'Berger']],
    ['Dr.med.Anna Berger', ['', 'dr', 'Anna', 'Berger']],
    ['Dipl.-Ing.Max Berger', ['', '', 'Max', 'Berger']],
    ['Herrn Dr.h.c.Max Berger', ['m', 'dr', 'Max', 'Berger']],
    ['Mrs.Jane Smith', ['f', '', 'Jane', 'Smith']],
    ['Hr.Müller', ['m', '', '', 'Müller']],
    ["DR.O'Neill", ['', 'dr', '', "O'Neill"]],
    ['Dr.von der Heide', ['', 'dr', '', 'von der Heide']],
    ['Berger, Dr.Anna-Lena', ['', 'dr', 'Anna-Lena', 'Berger']],
    ['Anna Lord-Berger', ['', '', 'Anna', 'Lord-Berger']],
  ])('%s is read by its words', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  const word = fc.oneof(
    fc.constantFrom(
      'von',
      'de',
      'la',
      'al',
      'Dr.',
      'Herr',
      'Jr.',
      'Anna',
      'García',
      'Müller',
      'M.',
      'J.',
      'y',
      'und',
      'DUPONT',
    ),
    fc.string({ maxLength: 6, unit: 'grapheme' }),
  )
  const texts = fc
    .array(fc.tuple(word, fc.constantFrom(' ', ', ', '  ', '-')), { maxLength: 9 })
    .map((pieces) => pieces.flat().join(''))

  it('gives what its field can hold, whatever the text, and never throws', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const [title, title2] = read(text)
        expect(['', 'm', 'f', 'a problem']).toContain(typeof title === 'string' ? title : 'a problem')
        expect(['', 'dr', 'prof', 'a problem']).toContain(typeof title2 === 'string' ? title2 : 'a problem')
        for (const part of ['first', 'family'] as const) {
          const name = namePart(text, part)
          if (typeof name === 'string' && name !== '')
            expect(checkField('first_name', name)).toEqual({ value: name })
          // Nothing is made up: each word stands in the text.
          if (typeof name === 'string') for (const one of name.split(' ')) expect(text).toContain(one)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('has no words of the name in its reason', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const got = namePart(`Xqzw ${text} Wzqx`, 'first')
        if (typeof got !== 'string') expect(got.problem).not.toMatch(/xqzw|wzqx/i)
      }),
    )
  })
})
