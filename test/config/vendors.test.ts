// Whose export a file is, by its header.
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { readSmallFile } from '../../src/config/text/read-text.ts'
import { detectVendor, readVendors, type Vendor } from '../../src/config/vendors.ts'

const FOLDER = fileURLToPath(new URL('../../config/presets', import.meta.url))

let vendors: readonly Vendor[]
beforeAll(async () => {
  vendors = await readVendors({ presetFolder: FOLDER, readFile: readSmallFile, env: {} })
})

const guesses = (...header: string[]): readonly (readonly [string, number])[] =>
  detectVendor(header, vendors).map(({ preset, confidence }) => [preset, confidence])

describe('the vendor of an export', () => {
  it('is told by columns that only this vendor writes, whatever their case', () => {
    expect(guesses('given name', ' Family Name', 'E-mail 1 - Value', 'Notes')[0]).toEqual(['google', 0.95])
  })

  it('is not told by columns that everybody writes', () => {
    expect(guesses('Name', 'Email')).toEqual([])
    expect(guesses('First Name', 'Last Name', 'Company')).toEqual([])
  })

  it('is guessed with less confidence where others write the same columns', () => {
    expect(guesses('First Name', 'Last Name', 'Account Name', 'Email')).toEqual([['salesforce', 0.7]])
  })

  it('comes with the columns that told it', () => {
    expect(detectVendor(['E-mail 1 - Value'], vendors)).toEqual([
      {
        preset: 'google',
        confidence: 0.9,
        why: 'the header has "E-mail 1 - Value", as exports for the preset google do',
      },
    ])
  })

  it('names each vendor once, the likeliest first', () => {
    const both = ['Vorname', 'Nachname', 'E-Mail 2: Adresse', 'E-mail 1 - Value', 'E-Mail-Adresse', 'Anrede']
    expect(guesses(...both)).toEqual([
      ['outlook-de', 0.95],
      ['google', 0.9],
    ])
  })
})
