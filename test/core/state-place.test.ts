import { describe, expect, it } from 'vitest'
import { fileOfAccount, schemaOfAccount, serverPlace, stateText } from '../../src/core/state-place.ts'

describe('the place of a state', () => {
  it.each([
    ['default', '/s/contact-sync.db', '/s/contact-sync.db'],
    ['north', '/s/contact-sync.db', '/s/contact-sync.north.db'],
    ['north', '/s.d/state', '/s.d/state.north'],
    ['north', '/s/.db', '/s/.db.north'],
  ])('of the account %s beside %s is %s', (account, path, expected) => {
    expect(fileOfAccount(account, path)).toBe(expected)
  })

  it('at a server is a schema for each account, whose name the server does not cut', () => {
    expect(schemaOfAccount('default')).toBe('contact_sync')
    expect(schemaOfAccount('north')).toBe('contact_sync_north')
    const [one, other] = ['a', 'b'].map((end) => schemaOfAccount(`${'x'.repeat(63)}${end}`))
    expect(one).toHaveLength(63)
    expect(one).not.toBe(other)
  })

  it('is named without the address, but for the host', () => {
    const url = 'postgres://ann:secret@db.example:5433/d'
    expect(stateText({ path: '/s', url, schema: 'contact_sync' })).toBe('contact_sync at db.example:5433')
    expect(stateText({ path: '/s', url: 'postgres:///d', schema: 'contact_sync' })).toBe(
      'contact_sync at a local PostgreSQL server',
    )
    expect(stateText('/s/a.db')).toBe('/s/a.db')
    expect(serverPlace({ path: '/s', url })).toBeUndefined()
  })
})
