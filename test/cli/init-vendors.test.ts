// `init` over the exports of vendors: what it writes gives the contacts that the preset gives, and none of a guess.
import { copyFileSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { proposedSettings } from '../../src/app/init/trying.ts'
import { EXPECTED_EXPORTS } from '../config/expected-exports.ts'
import { mapFile } from '../support/export.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const EXPORTS = fileURLToPath(new URL('../fixtures/exports/', import.meta.url))
const ENV = { CONTACT_SYNC_BASE_URL: 'https://contacts.example', CONTACT_SYNC_API_KEY: 'init-key' }

let place: Place
beforeEach(async () => (place = await openPlace()))
afterEach(() => place.close())

const TRIED = ['linkedin.csv', 'mailchimp.csv', 'outlook-de.csv', 'shopify.csv', 'zoho.csv']

it.each(TRIED)('a configuration by init for %s gives the contacts that its preset gives', async (file) => {
  const expected = EXPECTED_EXPORTS.find((one) => one.file === file)
  copyFileSync(EXPORTS + file, place.path(file))
  expect((await place.cli('init', file, '--yes')).code).toBe(0)
  const text = readFileSync(place.path('config.yaml'), 'utf8')
  expect(text).toContain(`preset: ${expected?.preset ?? ''}\n`)
  const [pipeline] = (await proposedSettings(place.path('config.yaml'), text, ENV)).pipelines
  const { rows } = await mapFile(pipeline!, EXPORTS + file)
  expect(rows.map(({ contact }) => contact)).toEqual(
    expected?.rows.map((row) => (typeof row === 'string' ? undefined : row.contact)),
  )
})

it('what Mailchimp guesses from the network is left out, with the reason', async () => {
  copyFileSync(`${EXPORTS}mailchimp.csv`, place.path('mailchimp.csv'))
  const { columns } = await place.json('init', 'mailchimp.csv')
  expect(columns).toContainEqual(
    expect.objectContaining({
      column: 'REGION',
      field: null,
      why: 'the preset mailchimp leaves it out',
    }),
  )
})
