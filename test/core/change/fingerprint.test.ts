// What a fingerprint tells apart, and where it comes out the same.
import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  blockVersion,
  fingerprint,
  fingerprintContext,
  placeOfKey,
} from '../../../src/core/change/fingerprint.ts'

it('a fingerprint belongs to its header and mapping, and to just these values', () => {
  const context = fingerprintContext(['a', 'b'], 'm1')
  expect(fingerprint(context, ['x', 'y'])).toHaveLength(22)
  expect(fingerprint(context, ['x', 'y'])).not.toBe(fingerprint(context, ['xy', '']))
  expect(fingerprintContext(['a', 'b'], 'm2')).not.toBe(context)
  expect(fingerprintContext(['b', 'a'], 'm1')).not.toBe(context)
})

it('a fingerprint is the same in every version: the start of a SHA-256, in base64', () => {
  const first = hash('sha256', '["m1",["a","b"]]', 'base64').slice(0, 22)
  expect(fingerprintContext(['a', 'b'], 'm1')).toBe(first)
  expect(fingerprint(first, ['x', 'y'])).toBe(hash('sha256', `${first}["x","y"]`, 'base64').slice(0, 22))
})

it('the version of a block belongs to what its records are read with, and to the form of its bytes', () => {
  const version = blockVersion('context', 'utf8')
  expect(version).toBe(hash('sha256', '[1,"context","utf8"]', 'base64').slice(0, 22))
  expect(blockVersion('other', 'utf8')).not.toBe(version)
  expect(blockVersion('context', 'latin1')).not.toBe(version)
})

it('the place of a key is the same in every version: the first 52 bits of its SHA-256, from 0 to 1', () => {
  // The test vectors of FIPS 180-2, and of no bytes.
  expect(placeOfKey('abc')).toBe(0xba7816bf8f01c / 2 ** 52)
  expect(placeOfKey('')).toBe(0xe3b0c44298fc1 / 2 ** 52)
  for (let key = 0; key < 1000; key += 1) {
    expect(placeOfKey(`K${key}`)).toBeGreaterThanOrEqual(0)
    expect(placeOfKey(`K${key}`)).toBeLessThan(1)
  }
})
