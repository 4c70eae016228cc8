// Bodies: read in every shape that was met in the wild, never throwing, and written in one.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CreateOptions } from '../../src/core/ports.ts'
import { createRedaction } from '../../src/core/words/secrets/redact.ts'
import {
  contactReader,
  contactsReader,
  createContactBody,
  createContactsBody,
  serviceMessage,
  hasError,
  listIn,
  readCreatedId,
  readCreatedMembers,
  readSuccess,
} from '../../src/service/wire.ts'

const asItIs = (text: string): string => text

const options: CreateOptions = {
  duplicateCheckMethod: 'none',
  duplicateMergeMethod: 'update',
  repeatable: false,
}

describe('ids', () => {
  it.each([
    [7, 7],
    ['7', 7],
    [' 0042 ', 42],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [0, undefined],
    [-3, undefined],
    [1.5, undefined],
    [2 ** 53, undefined],
    ['9999999999999999', undefined],
    ['7a', undefined],
    ['', undefined],
    [null, undefined],
    [true, undefined],
  ])('%j', (id, read) => {
    expect(readCreatedId({ id, more: 1 })).toBe(read)
  })
})

describe('success', () => {
  it.each([['true', 'TRUE', true, 1, '1']].flat())('%j counts', (success) => {
    expect(readSuccess({ success })).toBe(true)
  })

  it.each([['false', false, 0, 2, '', 'yes', null, undefined, {}]].flat())('%j does not', (success) => {
    expect(readSuccess({ success })).toBeUndefined()
  })
})

describe('lists', () => {
  it.each<[unknown, readonly unknown[] | undefined]>([
    [[], []],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [{ '0': 'a', '2': 'b', '10': 'c' }, ['a', 'b', 'c']],
    [{}, undefined],
    [{ '0': 'a', next: 'b' }, undefined],
    [{ id: 1 }, undefined],
    ['a', undefined],
    [null, undefined],
  ])('%j', (json, list) => {
    expect(listIn(json)).toEqual(list)
  })
})

describe('contacts', () => {
  it('reads the fields asked for and leaves out the rest', () => {
    const json = { id: '5', mail: 'a@x.example', secret: 1, shoe: ['a', 'b'], __proto__: { fax: '1' } }
    expect(contactReader(5, ['id', 'mail', 'shoe', 'fax'])(json)).toEqual({
      id: 5,
      fields: { mail: 'a@x.example', shoe: ['a', 'b'] },
    })
  })

  it('never takes another contact for the one asked for', () => {
    expect(contactReader(5, [])({ id: 6 })).toBeUndefined()
    expect(contactReader(5, [])([{ id: 5 }])).toBeUndefined()
  })

  it('reads a list whole or not at all', () => {
    const read = contactsReader(['mail'])
    expect(read({ '0': { id: 1, mail: 'a' }, '1': { id: '2' } })?.entries).toEqual([
      { id: 1, fields: { mail: 'a' } },
      { id: 2, fields: {} },
    ])
    expect(read([])).toEqual({ came: 0, entries: [] })
    expect(read([{ id: 1 }, { mail: 'a' }])).toBeUndefined()
    expect(read({ id: 1, mail: 'a' })).toBeUndefined()
  })

  it('leaves out members of a bulk answer that cannot be read', () => {
    const members = [
      { id: 1, email: 'a@x.example' },
      { id: 'x', email: 'b' },
      { id: 2 },
      null,
      { error: 'no' },
    ]
    expect(readCreatedMembers(members)).toEqual([{ id: 1, email: 'a@x.example' }])
    expect(readCreatedMembers({ '3': { id: '9', email: 'c', extra: 1 } })).toEqual([{ id: 9, email: 'c' }])
    expect(readCreatedMembers([])).toEqual([])
    expect(readCreatedMembers({ success: 'true' })).toBeUndefined()
  })
})

describe('errors', () => {
  it.each<[unknown, boolean]>([
    [{ error: true }, true],
    [{ error: 'no such field', id: 3 }, true],
    [{ error: { code: 5 } }, true],
    [{ error: 1 }, true],
    [{ error: false, id: 3 }, false],
    [{ error: 'false' }, false],
    [{ error: '0' }, false],
    [{ error: '' }, false],
    [{ error: [] }, false],
    [{ error: null }, false],
    [{ id: 3 }, false],
    [[{ error: true }], false],
  ])('%j', (json, error) => {
    expect(hasError(json)).toBe(error)
  })

  it.each<[unknown, string | undefined]>([
    [{ error: true, message: 'Mail is not valid' }, 'Mail is not valid'],
    [{ error: 'Mail is not valid' }, 'Mail is not valid'],
    [{ error: { message: 'nested' } }, 'nested'],
    [{ errors: ['first', 'second'] }, 'first'],
    [{ errors: [{ field: 'mail', message: 'from a list' }] }, 'from a list'],
    [{ errors: { mail: ['by field'] } }, 'by field'],
    [{ errors: 'as text' }, 'as text'],
    [{ message: '  ', error: 'x\ny' }, 'x y'],
    [{ error: true }, undefined],
    [{ message: 5 }, undefined],
    [['message'], undefined],
    ['message', undefined],
  ])('message of %j', (json, message) => {
    expect(serviceMessage(json, asItIs)).toBe(message)
  })

  it('cuts a message to 300 characters', () => {
    const message = serviceMessage({ message: '😀'.repeat(5_000) }, asItIs)!
    expect(Array.from(message)).toHaveLength(300)
    expect(message.endsWith('😀…')).toBe(true)
  })

  it.each([290, 295, 299])('masks a key before it cuts, where the key begins at %i', (at) => {
    const mask = createRedaction(['key-0123456789'])
    expect(serviceMessage({ message: `${'x'.repeat(at)}key-0123456789` }, mask)).not.toContain('k')
  })
})

it('never throws, whatever the body', () => {
  const readers = [
    hasError,
    (json: unknown) => serviceMessage(json, asItIs),
    readSuccess,
    readCreatedId,
    readCreatedMembers,
    listIn,
  ]
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      for (const read of [...readers, contactReader(1, ['mail']), contactsReader(['mail'])]) read(json)
    }),
  )
})

describe('bodies sent', () => {
  it('always name both duplicate methods', () => {
    expect(JSON.parse(createContactBody({ mail: 'a@x.example', mail_status: 3 }, options))).toEqual({
      contact: { mail: 'a@x.example', mail_status: 3 },
      duplicate_check_method: 'none',
      duplicate_merge_method: 'update',
    })
  })

  it.each([
    ['array', [{ mail: 'a' }, { mail: 'b' }]],
    ['keyed', { '0': { mail: 'a' }, '1': { mail: 'b' } }],
  ] as const)('hold many contacts as %s', (container, contacts) => {
    expect(JSON.parse(createContactsBody([{ mail: 'a' }, { mail: 'b' }], options, container))).toEqual({
      contacts,
      duplicate_check_method: 'none',
      duplicate_merge_method: 'update',
    })
  })
})
