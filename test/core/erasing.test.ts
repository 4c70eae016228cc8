// How an erased person is recognised: by what is theirs, and not by what merely has the same letters or digits in it.
import { describe, expect, it } from 'vitest'
import { mailNaming, recognition } from '../../src/core/erasing.ts'

const ANNA = {
  mails: ['anna@post.example', 'anna@xn--mller-kva.example'],
  keys: [
    { pipeline: 'shop', key: '2026' },
    { pipeline: 'crm', key: 'CRM-4711' },
    { pipeline: 'old', key: '20261121' },
    { pipeline: 'old', key: '7' },
  ],
  values: [
    { field: 'first_name', value: 'Anna' },
    { field: 'family_name', value: 'Alt' },
    { field: 'phone', value: '5551' },
    { field: 'fax', value: '+49301234567' },
    { field: 'ba_street', value: 'Hauptstraße 1' },
  ],
}

describe('recognition', () => {
  const { naming, isPartOf, redacted, redactedData, withoutQuotes } = recognition(ANNA)

  it.each([
    ['Anna <ANNA@post.example>, 1', 'surely'],
    ['anna@müller.example', 'surely'],
    ['CRM-4711;x', 'surely'],
    ['20261121', 'surely'],
    ['Anna;Alt;Hauptstraße 1', 'surely'],
    ['Anna;Alt;2026', 'surely'],
    ['Anna;Alt', 'maybe'],
    ['5551', 'maybe'],
    // A year or a postal code as much as a key.
    ['x;2026;y', 'maybe'],
    ['anna@post.example.csv', 'maybe'],
    ['johanna@post.example', undefined],
    ['anna@post.examples', undefined],
    ['CRM-47112', undefined],
    ['7', undefined],
    ['Anna', undefined],
  ])('says of %j: %j', (text, said) => {
    expect(naming(text)).toBe(said)
    expect(withoutQuotes(text) === text).toBe(said === undefined)
  })

  it('finds a mail or a key also as a part of a name', () => {
    expect(['anna@post.example.csv', 'export CRM-4711.csv', '2026.csv'].every(isPartOf)).toBe(true)
    expect(isPartOf('johanna@post.example.csv')).toBe(false)
  })

  it('takes out what names the person, and of data no short number', () => {
    const text = 'record 2026 of Anna Alt (anna@post.example, CRM-4711, 5551, +49301234567)'
    expect(redacted(text)).toBe(
      'record [erased] of [erased] [erased] ([erased], [erased], [erased], [erased])',
    )
    const line = '{"timestamp":"2026-11-21T10:00:00.000Z","requests":2026,"bytes":5551,"file":"CRM-4711.csv"}'
    expect(redactedData(line)).toBe(line.replace('CRM-4711', '[erased]'))
  })
})

describe('mailNaming', () => {
  const isNamed = mailNaming(ANNA)

  it.each([
    [['x', 'Anna@Post.example'], true],
    [['mailto:anna@post.example; b@post.example'], true],
    [['anna@MÜLLER.example'], true],
    [['johanna@post.example'], false],
    [['anna@post.example.org'], false],
    [['anna', 'post.example'], false],
  ])('says of %j: %j', (values, said) => expect(isNamed(values)).toBe(said))

  it('takes no part of an address for one', () => {
    for (const part of ['@', '@post.example', 'anna@post', 'nna@post.example'])
      expect(mailNaming({ mails: [part] })(['anna@post.example'])).toBe(false)
  })
})
