// Addresses: what may stand in a path, and that nothing can lead a request elsewhere.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertEncrypted, lookupMail, lookupName, requestUrl } from '../../src/service/url.ts'

const settings = { base_url: 'https://acme.s1.example.com', api_version: 'V1' }
const PREFIX = 'https://acme.s1.example.com/public/api/V1/'

describe('requestUrl', () => {
  it.each([
    [['contact'], {}, 'contact'],
    [['contacts'], {}, 'contacts'],
    [['terms'], { offset: 500, limit: 500 }, 'terms?offset=500&limit=500'],
    [['terms', { text: 'Müller & Co' }], {}, 'terms/M%C3%BCller%20%26%20Co'],
    [['contact', 7, 'terms'], {}, 'contact/7/terms'],
    [['contact', 42], { fields: ['id', 'mail'] }, 'contact/42?fields=id,mail'],
    [['contact', { text: 'a+b@x.example' }], {}, 'contact/a%2Bb%40x.example'],
    [
      ['contact', { text: '..?#%@x.example' }],
      { fields: ['a&b'] },
      'contact/..%3F%23%25%40x.example?fields=a%26b',
    ],
  ] as const)('%j', (segments, query, path) => {
    expect(requestUrl(settings, segments, query).href).toBe(PREFIX + path)
  })

  it('keeps a path of the base', () => {
    const url = requestUrl({ base_url: 'http://localhost:81/cms', api_version: 'V2' }, ['contact', 1])
    expect(url.href).toBe('http://localhost:81/cms/public/api/V2/contact/1')
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53, Infinity])('refuses %d as an id', (id) => {
    expect(() => requestUrl(settings, ['contact', id])).toThrow('positive integer')
  })

  it.each(['..', '.', 'V1/..', 'V1?x', 'V1#x', ''])(
    'refuses to leave the prefix through version %j',
    (apiVersion) => {
      expect(() => requestUrl({ ...settings, api_version: apiVersion }, ['contact'])).toThrow(
        'would leave service.base_url',
      )
    },
  )

  it.each(['.', '..', ''])('refuses a mail that is no segment: %j', (mail) => {
    expect(() => requestUrl(settings, ['contact', { text: mail }])).toThrow('would leave service.base_url')
  })

  it('brings every mail that may be looked up to the service as it is', () => {
    const mails = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => `${text}@x.example`)
    fc.assert(
      fc.property(mails, (mail) => {
        const segment = lookupMail(mail)
        if (segment === undefined) return
        const { pathname, origin } = requestUrl(settings, ['contact', segment])
        expect(origin).toBe(settings.base_url)
        expect(decodeURIComponent(pathname.replace('/public/api/V1/contact/', ''))).toBe(mail)
      }),
    )
  })
})

describe('lookupMail', () => {
  it.each([
    'a/b@x.example',
    '12345',
    '.',
    '..',
    '',
    'a\\b@x.example',
    'a\u0000@x.example',
    'a\ud800@x.example',
  ])('never looks up %j', (mail) => {
    expect(lookupMail(mail)).toBeUndefined()
  })

  it.each(['a@x.example', 'ü+tag@x.example', "o'hara@x.example", '..@x.example'])('looks up %j', (mail) => {
    expect(lookupMail(mail)).toEqual({ text: mail })
  })
})

describe('lookupName', () => {
  it.each([
    '2024',
    ' 12 ',
    '1e5',
    '0x1F',
    '-3',
    '1.5',
    '',
    ' ',
    '.',
    '..',
    ' . ',
    'a/b',
    'a\\b',
    '5%',
    'a?',
    '#1',
    'Infinity',
  ])('never looks up %j', (name) => {
    expect(lookupName(name)).toBeUndefined()
  })

  it.each(['VIP', 'Müller & Co', '2024 Messe', 'a.b', '日本'])('looks up %j', (name) => {
    expect(lookupName(name)).toEqual({ text: name })
  })
})

describe('assertEncrypted', () => {
  it.each(['https://x.example', 'http://localhost:1', 'http://127.0.0.1', 'http://[::1]:9'])(
    'takes %s',
    (url) => {
      expect(() => assertEncrypted(url)).not.toThrow()
    },
  )

  it.each(['http://x.example', 'http://localhost.x.example', 'ftp://localhost', 'http://10.0.0.1'])(
    'refuses %s',
    (url) => {
      expect(() => assertEncrypted(url)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
    },
  )
})
