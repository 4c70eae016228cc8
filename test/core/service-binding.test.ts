// Which service a state belongs to: how addresses are compared, and when a service is believed to be the same one.
import { describe, expect, it } from 'vitest'
import {
  assertNothingInDoubt,
  assertSameService,
  assertShown,
  serviceAddress,
  showsWhatWasSent,
} from '../../src/core/service-binding.ts'

it.each([
  ['https://a.b.example.com', 'https://a.b.example.com'],
  ['https://A.b.Example.COM/', 'https://a.b.example.com'],
  ['https://a.b.example.com:443', 'https://a.b.example.com'],
  ['https://a.b.example.com.', 'https://a.b.example.com'],
  ['https://a.b.example.com/crm/', 'https://a.b.example.com/crm'],
  ['http://127.0.0.1:8089', 'http://127.0.0.1:8089'],
])('the address of %s is %s', (baseUrl, address) => expect(serviceAddress(baseUrl)).toBe(address))

const PLACE = { path: '/state.db', baseUrl: 'https://new.example.com' }
const old = 'https://old.example.com'

describe('a state at a configured address', () => {
  it.each([
    ['one that was never bound', { address: undefined, hasLinks: true, inDoubt: 1 }],
    ['one of the same address', { address: 'https://new.example.com', hasLinks: true, inDoubt: 1 }],
    [
      'one of another address, in which nothing points to a contact',
      { address: old, hasLinks: false, inDoubt: 0 },
    ],
  ])('%s may be used', (_, tie) => expect(() => assertSameService(tie, PLACE)).not.toThrow())

  it.each([
    ['links', { address: old, hasLinks: true, inDoubt: 0 }, 'state rebind --yes'],
    ['something in doubt', { address: old, hasLinks: false, inDoubt: 2 }, 'doubts resolve'],
  ])('one of another address with %s is refused, with both ways out', (_, tie, way) =>
    expect(() => assertSameService(tie, PLACE)).toThrow(
      expect.objectContaining({
        code: 'OTHER_SERVICE',
        message: expect.stringMatching(
          /belongs to the service https:\/\/old\..*base_url is https:\/\/new\./,
        ) as string,
        hint: expect.stringMatching(new RegExp(`${way}.*state.path`)) as string,
      }),
    ),
  )

  it('with anything in doubt it is never bound to another address', () =>
    expect(() => assertNothingInDoubt({ address: old, hasLinks: true, inDoubt: 1 }, '/state.db')).toThrow(
      '1 operation is in doubt, and can be looked up only where it was sent',
    ))
})

describe('a known contact', () => {
  const known = {
    mail: 'erika@example.com',
    first_name: 'Erika',
    family_name: 'Muster',
    ba_country: 'DE',
    fax: '',
  }
  const shown = (fields: Record<string, unknown>) => ({ id: 7, fields })

  it.each([
    ['its mail, in other case', { mail: 'Erika@Example.com' }, true],
    ['another mail, but most values', { ...known, mail: 'new@example.com' }, true],
    [
      'another person of the same country',
      { mail: 'a@b.de', first_name: 'Kim', family_name: 'Other', ba_country: 'DE' },
      false,
    ],
    ['nothing of it', {}, false],
  ])('that shows %s: %s %s', (_, fields, same) => expect(showsWhatWasSent(known, shown(fields))).toBe(same))

  it('that is not there shows nothing', () => expect(showsWhatWasSent(known, undefined)).toBe(false))

  it('most of those that were read must show what was sent', () => {
    const link = { contactId: 7, known }
    const right = { link, shown: shown(known) }
    const wrong = { link, shown: undefined }
    expect(() => assertShown([right, right, right, wrong, wrong], PLACE)).not.toThrow()
    expect(() => assertShown([right, wrong], PLACE)).not.toThrow()
    expect(() => assertShown([], PLACE)).not.toThrow()
    expect(() => assertShown([right, right, wrong, wrong, wrong], PLACE)).toThrow('3 of 5 contacts')
    expect(() => assertShown([wrong], PLACE)).toThrow('it is another service')
  })
})
