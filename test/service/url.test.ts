// Addresses: what may stand in a path, and that nothing can lead a request elsewhere.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertEncrypted, lookupMail, requestUrl } from '../../src/service/url.ts'

const settings = { baseUrl: 'https://acme.s1.example.com', apiVersion: 'V1' }
const PREFIX = 'https://acme.s1.example.com/public/api/V1/'

describe('requestUrl', () => {
  it.each([
    [['contact'], undefined, 'contact'],
    [['contacts'], undefined, 'contacts'],
    [['contact', 42], ['id', 'mail'], 'contact/42?fields=id,mail'],
    [['contact', { mail: 'a+b@x.example' }], undefined, 'contact/a%2Bb%40x.example'],
    [['contact', { mail: '..?#%@x.example' }], ['a&b'], 'contact/..%3F%23%25%40x.example?fields=a%26b'],
  ] as const)('%j', (segments, fields, path) => {
    expect(requestUrl(settings, segments, fields).href).toBe(PREFIX + path)
  })

  it('keeps a path of the base', () => {
    const url = requestUrl({ baseUrl: 'http://localhost:81/cms', apiVersion: 'V2' }, ['contact', 1])
    expect(url.href).toBe('http://localhost:81/cms/public/api/V2/contact/1')
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53, Infinity])('refuses %d as an id', (id) => {
    expect(() => requestUrl(settings, ['contact', id])).toThrow('positive integer')
  })

  it.each(['..', '.', 'V1/..', 'V1?x', 'V1#x', ''])(
    'refuses to leave the prefix through version %j',
    (apiVersion) => {
      expect(() => requestUrl({ ...settings, apiVersion }, ['contact'])).toThrow(
        'would leave service.base_url',
      )
    },
  )

  it.each(['.', '..', ''])('refuses a mail that is no segment: %j', (mail) => {
    expect(() => requestUrl(settings, ['contact', { mail }])).toThrow('would leave service.base_url')
  })

  it('brings every mail that may be looked up to the service as it is', () => {
    const mails = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => `${text}@x.example`)
    fc.assert(
      fc.property(mails, (mail) => {
        const segment = lookupMail(mail)
        if (segment === undefined) return
        const { pathname, origin } = requestUrl(settings, ['contact', segment])
        expect(origin).toBe(settings.baseUrl)
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
    expect(lookupMail(mail)).toEqual({ mail })
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
