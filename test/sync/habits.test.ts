// The whole line over the real client and a sandbox with the habits of real services: whatever the habit, the
// contacts and their terms end as they do with a service that is as the interface is written.
import { describe, expect, it } from 'vitest'
import type { ServiceSession } from '../../src/core/ports.ts'
import { PLAIN_HABITS, type Habits } from '../../src/sandbox/habits.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { createService } from '../../src/service/service.ts'
import { systemClock } from '../../src/system.ts'
import { type Line, testLine } from '../support/line.ts'
import { serviceSettings } from '../support/pipeline.ts'

const COLUMNS = ['no', 'mail', 'first', 'last', 'phone', 'tags', 'lang', 'likes', 'shoes', 'born'] as const
const PEOPLE = 7

/** A row; `phone` and `tags` are what changes later on. The fifth has a language that the service refuses. */
const row = (number: number, phone: string, tags: string): string[] => [
  `K${number}`,
  `Person${number}@Example.com`,
  'A',
  `Müller ${number}`,
  phone,
  tags,
  number === 5 ? 'xx' : 'de',
  'music;books',
  '42',
  '1980-12-31',
]
const first = [
  [...COLUMNS],
  ...Array.from({ length: PEOPLE }, (_, index) => row(index + 1, '030', 'Kunde,2024,A/B')),
]
const second = first.map((values, index) => {
  if (index === 1) return row(1, '040', 'Kunde,2024,A/B')
  return index === 2 || index === 3 ? row(index, '030', 'kunde') : values
})

async function openLine(habits: Partial<Habits>) {
  const sandbox = await startSandbox({ port: 0, apiKey: 'k', habits, clock: systemClock })
  const settings = serviceSettings({
    base_url: sandbox.url,
    api_key: 'k',
    rate_limit: { requests: 1000, per: 100, concurrency: 4, per_day: undefined },
    retry: { attempts: 3, max_delay: 1 },
    bulk: { size: 4, container: habits.bulkContainer === 'keyed' ? 'keyed' : 'array' },
  })
  const service = createService(settings, { clock: systemClock, random: () => 0 })
  const line = testLine({
    settings,
    pipeline: {
      map: {
        mail: { column: 'mail' },
        first_name: { column: 'first' },
        family_name: { column: 'last' },
        phone: { column: 'phone' },
        date_of_birth: { column: 'born' },
      },
      custom_fields: {
        language: { column: 'lang' },
        interests: { column: 'likes', split: ';' },
        shoe_size: { column: 'shoes', number: {} },
      },
      terms: {
        policy: 'managed',
        create_missing: true,
        assign: [{ column: 'tags', split: ',' }],
        descriptions: { Kunde: 'Hat gekauft' },
        verify: true,
      },
    },
  })
  const session = (): ServiceSession => service.session({ signal: new AbortController().signal })
  line.service.session = session
  const writes = () => sandbox.requests().filter(({ method }) => method !== 'GET').length
  const close = async (): Promise<void> => {
    await service.close()
    await sandbox.close()
  }
  return { line, session, writes, close }
}

/** What a person sees: contacts by mail with their fields, and the names of their terms. */
async function shown(session: ServiceSession) {
  const fields = ['mail', 'family_name', 'phone', 'language', 'interests', 'shoe_size']
  const people = []
  for (let number = 1; number <= PEOPLE; number += 1) {
    const found = await session.contactsByMail(`person${number}@example.com`, fields)
    for (const contact of found.kind === 'ok' ? found.value.contacts : []) {
      const terms = await session.contactTerms(contact.id)
      people.push([
        contact.fields,
        terms.kind === 'ok' ? terms.value.map(({ name }) => name).sort() : terms.kind,
      ])
    }
  }
  const terms = await session.terms()
  return {
    people,
    terms:
      terms.kind === 'ok' ? terms.value.map(({ name, description }) => `${name}: ${description}`).sort() : [],
  }
}

const counts = ({
  created,
  updated,
  unchanged,
  rejected,
  failed,
  held,
  in_doubt,
}: Awaited<ReturnType<Line['run']>>) => ({
  created,
  updated,
  unchanged,
  rejected,
  failed,
  held,
  in_doubt,
})

async function synced(habits: Partial<Habits>) {
  const { line, session, writes, close } = await openLine(habits)
  try {
    // A contact existed before, with a term of others.
    const there = await session().createContact(
      { mail: 'person3@example.com', first_name: 'Old' },
      { duplicateCheckMethod: 'none', duplicateMergeMethod: 'add', repeatable: false },
    )
    const theirs = await session().createTerm('theirs')
    for (const name of ['x1', 'x2', 'x3']) await session().createTerm(name)
    if (there.kind === 'ok' && theirs.kind === 'ok')
      await session().addContactTerms(there.value, [theirs.value])
    const results = []
    for (const table of [first, second]) {
      line.source.drop('a.csv', table)
      results.push(counts(await line.run()))
    }
    const before = writes()
    // All but the one that is refused each time it comes.
    line.source.drop('a.csv', second.toSpliced(5, 1))
    results.push(counts(await line.run()))
    return { results, again: writes() - before, ...(await shown(session())) }
  } finally {
    await close()
  }
}

const strict = await synced({})

it('a strict service shows what the source says, and others keep what they gave', () => {
  expect(strict.results).toEqual([
    { created: 6, updated: 0, unchanged: 0, rejected: 1, failed: 0, held: 0, in_doubt: 0 },
    { created: 0, updated: 3, unchanged: 3, rejected: 1, failed: 0, held: 0, in_doubt: 0 },
    { created: 0, updated: 0, unchanged: 6, rejected: 0, failed: 0, held: 0, in_doubt: 0 },
  ])
  expect(strict.again).toBe(0)
  expect(strict.people).toHaveLength(6)
  expect(strict.people[0]).toEqual([
    {
      mail: 'Person1@Example.com',
      family_name: 'Müller 1',
      phone: '040',
      language: 'de',
      interests: ['books', 'music'],
      shoe_size: 42,
    },
    ['2024', 'A/B', 'Kunde'],
  ])
  expect(strict.people[1]?.[1]).toEqual(['Kunde'])
  expect(strict.people[2]?.[1]).toEqual(['Kunde', 'theirs'])
  expect(strict.terms).toEqual(['2024: ', 'A/B: ', 'Kunde: Hat gekauft', 'theirs: ', 'x1: ', 'x2: ', 'x3: '])
})

const SINGLE: readonly Partial<Habits>[] = [
  ...(['error', 'errors', 'html', 'empty'] as const).map((errorBody) => ({ errorBody })),
  { errorsIn200: true },
  ...(['400', '409', '415'] as const).map((refusedContact) => ({ refusedContact })),
  ...(['json-404', 'empty-list', 'html-404'] as const).map((unknownContact) => ({ unknownContact })),
  { success: 'boolean' },
  { success: 'number' },
  { idsAsText: true },
  { lists: 'keyed' },
  { lists: 'keyed-with-gaps' },
  { birthdayOffset: 'other' },
  { pageCap: 4 },
  { offsetIgnored: true },
  { bulkLimit: 2 },
  ...(['add', 'replace', 'ignore'] as const).map((termsInCreate) => ({ termsInCreate })),
  { bulkContainer: 'array' },
  { bulkContainer: 'keyed' },
  { bulkRefusal: 'after-earlier' },
  { bulkRefusal: 'itself' },
  { bulkOrder: 'reversed' },
  { bulkMail: 'upper' },
  { bulkMissing: true },
  { termInPath: 'id' },
  { termInPath: 'name-or-id' },
  { mailLookup: 'prefix' },
  { mailLookup: 'secondary' },
  { mailLookup: 'wildcard' },
  { auto: 'mail' },
  { auto: 'none' },
  { merge: 'update-add' },
  { statusAfterDelete: 'remembered', mailStatusPermission: true },
  { emptyTerms: 'all' },
  { deleteBodyLost: true, emptyTerms: 'all' },
  { rateLimit: { requests: 400, perMs: 1000 }, rateLimitHeaders: 'x-rate-limit' },
]

describe('a service of other habits is synced alike', () => {
  it.each(SINGLE.map((habits) => [JSON.stringify(habits), habits] as const))('%s', async (_, habits) => {
    expect(await synced(habits)).toEqual(strict)
  })

  it('also where it never shows all of its terms', async () => {
    const { terms, ...rest } = await synced({ pageCap: 4, offsetIgnored: true })
    expect(terms).toHaveLength(4)
    expect({ ...rest, terms: strict.terms }).toEqual(strict)
  })

  it('with all of them at once', async () => {
    const habits: Partial<Habits> = {
      success: 'number',
      idsAsText: true,
      lists: 'keyed-with-gaps',
      errorsIn200: true,
      unknownContact: 'empty-list',
      bulkOrder: 'reversed',
      bulkMail: 'upper',
      pageCap: 4,
      emptyTerms: 'all',
    }
    expect(await synced(habits)).toEqual(strict)
  })
})

it('every habit that shows in a sync is here, or has a test of its own', () => {
  const elsewhere = [
    'refusedKey',
    'redirects',
    'latencyMs',
    'mailStatusPermission',
    'clearedBy',
    'termsInUpdate',
    'termFolding',
    'rateLimitReset',
  ]
  const here = SINGLE.flatMap((habits) => Object.keys(habits))
  expect([...new Set([...here, ...elsewhere])].sort()).toEqual(Object.keys(PLAIN_HABITS).sort())
})
