// What the pages say, over a real state: every page as a whole, what is in it, what must not be.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SyncError } from '../../src/core/words/errors.ts'
import { openState } from '../../src/store/state-store.ts'
import { people, testLine } from '../support/line.ts'
import { type Desk, MARKUP, openDesk, pastAt, TOKEN } from './desk.ts'

let desk: Desk
let changedId = 0
beforeAll(async () => {
  desk = await openDesk()
  const { records } = await desk.data.views.search('K7', 1)
  changedId = records[0]?.contactId ?? 0
})
afterAll(async () => desk.close())

const bodyOf = async (path: string): Promise<string> => (await desk.page(path)).body
const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

const everyPage = (): string[] => [
  '/',
  '/runs',
  '/runs/shop-run-2',
  '/runs/shop-run-3',
  '/runs/shop-run-3/files',
  '/held',
  '/held/shop-run-3?guard=max_deletes',
  '/doubts',
  '/edits',
  '/retries',
  '/rejects',
  '/corrections',
  '/alerts',
  '/terms',
  '/log',
  '/log/1',
  '/log/verification',
  '/configuration',
  '/search',
  `/contacts/${changedId}`,
  `/explain/${changedId}/shop`,
]

describe('every page', () => {
  it('is one document in a language, with one heading, a title of its own, and nothing that runs', async () => {
    const titles = new Set<string>()
    for (const path of everyPage()) {
      const { status, body } = await desk.page(path)
      expect([path, status]).toEqual([path, 200])
      expect(body.match(/<h1>/g)).toHaveLength(1)
      expect(body).toContain('<html lang="en">')
      // Neither scripts, nor styles, nor handlers within the page: the policy would refuse them, too.
      expect(body).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i)
      titles.add(/<title>(.*?)<\/title>/s.exec(body)?.[1] ?? '')
    }
    expect(titles.size).toBe(everyPage().length)
  })

  it('tells browsers to keep nothing, to show it nowhere else, and to load from here alone', async () => {
    for (const path of [...everyPage(), '/nowhere']) {
      const { headers } = await desk.page(path)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
      })
    }
  })

  it('has no secret in it', async () => {
    for (const path of everyPage()) expect(await bodyOf(path)).not.toContain(TOKEN)
  })

  it('leads only to addresses that exist, and none of them holds a mail or a key', async () => {
    const links = new Set<string>()
    for (const path of everyPage())
      for (const [, link = ''] of (await bodyOf(path)).matchAll(/(?:href|src|action)="([^"]*)"/g))
        links.add(link.replaceAll('&amp;', '&'))
    expect(links.size).toBeGreaterThan(60)
    for (const link of links) {
      expect(link).not.toMatch(/@|K\d|%40/)
      if (link.startsWith('#') || link === '/sign-out') continue
      expect([link, (await desk.page(link)).status]).toEqual([link, 200])
    }
  })
})

describe('the style sheet and the icon', () => {
  it('may be kept for ever, for their names change with them; and are there before signing in', async () => {
    const { body } = await desk.ask('/sign-in')
    const [style = ''] = /\/assets\/console-[0-9a-f]{12}\.css/.exec(body) ?? []
    const { status, headers } = await desk.ask(style)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/css; charset=utf-8',
    })
  })
})

describe('what others have written', () => {
  it('is text wherever it stands, and shows what it would hide', async () => {
    const pages = [`/contacts/${changedId}`, '/log', '/rejects', '/runs/shop-run-3']
    for (const path of pages) {
      const body = await bodyOf(path)
      expect(body).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;')
      expect(body).not.toContain(MARKUP)
    }
    const rejects = await bodyOf('/rejects')
    expect(rejects).toContain('Kap\\u{202e}utt')
    expect(rejects).not.toContain('\u202e')
  })

  it('is text even where it pretends to be markup that was escaped already', async () => {
    const found = await desk.data.views.person(changedId)
    const trick = { isEscaped: true, toString: () => MARKUP } as unknown as string
    const other = await openDesk((data) => ({
      ...data,
      views: {
        ...data.views,
        person: async () =>
          Promise.resolve({
            ...found,
            records: found.records.map((one) => ({ ...one, known: { first_name: trick } })),
          }),
      },
    }))
    expect((await other.page(`/contacts/${changedId}`)).body).not.toContain(MARKUP)
    await other.close()
  })
})

describe('the overview', () => {
  it('says first what needs a person, then how each pipeline stands', async () => {
    const text = textOf(await bodyOf('/'))
    expect(text).toContain('Needs attention: 30 changes held in shop')
    expect(text).toContain('in 1 min')
    expect(text).toContain('5 requests per 1 s, 4 at once')
  })

  it('counts what still waits for someone: not what is released, and edits that are', async () => {
    const other = await openDesk((data) => ({
      ...data,
      views: {
        ...data.views,
        pipelines: async (names) =>
          (await data.views.pipelines(names)).map((one) => ({ ...one, released: 29, editsToRelease: 2 })),
      },
    }))
    const text = textOf((await other.page('/')).body)
    expect(text).toContain('Needs attention: 1 change held in shop · 2 edited fields to be released in shop')
    await other.close()
  })

  it('names no change that is released and waits for the next run', async () => {
    const other = await openDesk(undefined, async (path) => {
      await pastAt(path)
      const state = openState(path, { pid: 1, since: 0, thorough: false })
      await state.release('shop-run-3', 1)
      await state.close()
    })
    expect(textOf((await other.page('/')).body)).not.toContain('held in shop')
    await other.close()
  })

  it('says nothing of what needs attention where nothing does', async () => {
    const other = await openDesk((data) => ({
      ...data,
      views: { ...data.views, pipelines: async () => Promise.resolve([]) },
    }))
    expect(textOf((await other.page('/')).body)).not.toContain('attention')
    await other.close()
  })

  it('says of a pipeline without a schedule what begins its runs', async () => {
    for (const [watches, words] of [
      [true, 'when a file lands'],
      [false, 'only when asked'],
    ] as const) {
      const other = await openDesk((data) => {
        const pipelines = data.live().pipelines.map((one) => ({ ...one, dueAt: undefined, watches }))
        return { ...data, live: () => ({ ...data.live(), pipelines }) }
      })
      expect((await other.page('/')).body).toContain(words)
      await other.close()
    }
  })

  it('says why a new configuration was not taken', async () => {
    const refusedReload = ['contact-sync.yaml:3:5: service.timeout: is no duration']
    const other = await openDesk((data) => ({ ...data, live: () => ({ ...data.live(), refusedReload }) }))
    expect(textOf((await other.page('/')).body)).toContain('service.timeout: is no duration')
    await other.close()
  })

  it('says why the daemon is not ready', async () => {
    const reasons = ['pipeline shop is overdue (STATE_FULL)']
    const other = await openDesk((data) => ({
      ...data,
      live: () => ({ ...data.live(), ready: false, reasons }),
    }))
    expect(textOf((await other.page('/')).body)).toContain('Not ready: pipeline shop is overdue (STATE_FULL)')
    await other.close()
  })
})

describe('a run', () => {
  it('has totals that add up, its files, its rejects with the row, and its changes', async () => {
    const body = await bodyOf('/runs/shop-run-2')
    // A later file has replaced its two rejects.
    expect(textOf(/data-title="Rejected now".*?<\/td>/s.exec(body)?.[0] ?? '')).toMatch(/> 0 $/)
    const text = textOf(body)
    expect(text).toContain('62 records read = 1 updated + 59 unchanged + 2 rejected')
    expect(text).toContain('tuesday.csv')
    expect(text).toContain('Vorname7 becomes → &lt;script&gt;')
    const third = textOf(await bodyOf('/runs/shop-run-3'))
    expect(third).toContain('wednesday.csv :32')
    expect(third).toContain('first &lt;script&gt;')
  })

  it('names what of its source was not sent, and why', async () => {
    const notSent = {
      kept_edits: 2,
      withheld: { fax: 3 },
      left_to_owners: { phone: { records: 5, pipelines: ['crm'] } },
      needs_evidence: { missing: 7 },
      former_statuses: 1,
    }
    const other = await openDesk((data) => ({
      ...data,
      views: {
        ...data.views,
        async run(id) {
          const run = await data.views.run(id)
          return run && { ...run, notSent }
        },
      },
    }))
    const text = textOf((await other.page('/runs/shop-run-2')).body)
    expect(text).toContain('several edited by hand at the service, and kept 2')
    expect(text).toContain('fax kept back by the update method 3')
    expect(text).toContain('phone left to crm (owns) 5')
    expect(text).toContain('the record has no evidence of a consent (require_evidence) 7')
    expect(text).toContain('the 1 or 2 of a deleted contact with the address stands again 1')
    expect(textOf(await bodyOf('/runs/shop-run-2'))).not.toContain('Not sent as the source has it')
    await other.close()
  })

  it('that there never was is no page, whatever its name', async () => {
    for (const id of ['nobody', '%2e%2e%2fx', "'%20OR%201=1", 'x'.repeat(5000)])
      expect((await desk.page(`/runs/${id}`)).status).toBe(404)
  })

  it('is found by pipeline and status; a status or a pipeline that is none filters nothing', async () => {
    const runs = (html: string) => [...html.matchAll(/href="\/runs\/(shop-run-\d)"/g)].map(([, id]) => id)
    expect(runs(await bodyOf('/runs?status=held'))).toEqual(['shop-run-3'])
    expect(runs(await bodyOf('/runs?pipeline=shop&status=partial'))).toEqual(['shop-run-2'])
    expect(runs(await bodyOf('/runs?pipeline=nobody&status=%3Cb%3E&from=rubbish'))).toHaveLength(3)
  })
})

describe('held plans', () => {
  it('name number, threshold and reason, and the command that lets exactly these go', async () => {
    const text = textOf(await bodyOf('/held'))
    expect(text).toContain(
      '30 of 60 contacts are missing from the source, more than guards.max_deletes 5% (3) allows',
    )
    expect(text).toContain('contact-sync held release shop-run-3')
    expect(text).toContain('gone from wednesday.csv')
    expect(text).toContain('All 30 changes of this plan')
    const all = textOf(await bodyOf('/held/shop-run-3?guard=max_deletes'))
    expect(all.match(/gone from wednesday/g)?.length).toBe(30)
  })
})

describe('a contact', () => {
  it('shows its life field by field, each change with the line that it came from', async () => {
    const text = textOf(await bodyOf(`/contacts/${changedId}`))
    const life = text.slice(text.indexOf('History'))
    expect(life.indexOf('monday.csv :8')).toBeGreaterThan(0)
    expect(life.indexOf('tuesday.csv :8')).toBeGreaterThan(life.indexOf('monday.csv :8'))
    expect(life).toContain('first_name Vorname7 becomes → &lt;script&gt;')
    expect(life).toContain('added: Customer')
  })

  it.each(['/contacts/999999', '/contacts/0', '/contacts/-1', '/contacts/1e3', '/contacts/x'])(
    '%s is nobody',
    async (path) => expect((await desk.page(path)).status).toBe(404),
  )
})

describe('the search', () => {
  const search = async (q: string) => {
    const headers = await desk.signIn()
    const { headers: answered } = await desk.ask('/search', { form: { q }, headers })
    const place = String(answered['location'])
    return { place, headers, page: await desk.ask(place, { headers }) }
  }

  it.each([
    ['a mail', 'person7@example.com'],
    ['a mail in other letters', ' PERSON7@Example.COM '],
    ['a key', 'K7'],
  ])('finds a person by %s, and keeps it out of the address', async (_, q) => {
    // Nothing else is found, so it is where the search leads.
    expect((await search(q)).place).toBe(`/contacts/${changedId}`)
  })

  it('finds by the contact’s id, and by a beginning', async () => {
    expect((await search(String(changedId))).place).toBe(`/contacts/${changedId}`)
    const { page, place } = await search('K1')
    expect(place).toBe('/search/1')
    expect(textOf(page.body)).toContain('person1@example.com')
    const some = [...page.body.matchAll(/href="\/contacts\/\d+"/g)]
    expect(some).toHaveLength(11)
  })

  it('finds a rejected record that has no contact', async () => {
    expect(textOf((await search('K61')).page.body)).toContain('wednesday.csv :32')
  })

  it('says so where nobody is known by that, and repeats it as text', async () => {
    const { page } = await search(MARKUP)
    expect(textOf(page.body)).toContain('No match')
    expect(page.body).toContain('value="&lt;script&gt;')
  })

  it('is nobody else’s to see', async () => {
    const { place } = await search('K1')
    const other = await desk.page(place)
    expect([other.status, other.headers['location']]).toEqual([303, '/search'])
  })

  it('takes % and _ for what they are', async () => {
    expect(textOf((await search('K_')).page.body)).toContain('No match')
    expect(textOf((await search('%')).page.body)).toContain('No match')
  })
})

describe('the sync log', () => {
  it('is paged without a gap or a double', async () => {
    const seen: string[] = []
    for (let path: string | undefined = '/log'; path !== undefined;) {
      const body = await bodyOf(path)
      seen.push(...[...body.matchAll(/<a href="\/log\/(\d+)"/g)].map(([, seq = '']) => seq))
      path = /rel="next" href="([^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
    }
    const numbers = seen.map(Number)
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => numbers.length - index))
    expect(numbers.length).toBeGreaterThan(100)
  })

  it('is said to be whole when it was followed to its end, with its newest hash', async () => {
    const { head, entries } = await desk.data.log.verification()
    const text = textOf(await bodyOf('/log/verification'))
    expect(text).toContain(`Intact: every entry up to number ${entries}`)
    expect(text).toContain(head)
  })

  it.each([
    [
      'an entry that was changed',
      { bad: { seq: 5, why: 'its hash does not follow' } },
      'Entry 5 was changed',
    ],
    ['a tail that was cut off', { marked: 1_000_000 }, 'The end is missing'],
    ['a check that has not come to its end', { verifiedAt: undefined }, 'Verification in progress'],
  ])('says so of %s', async (_, change, words) => {
    const other = await openDesk((data) => ({
      ...data,
      log: { ...data.log, verification: async () => ({ ...(await data.log.verification()), ...change }) },
    }))
    expect(textOf((await other.page('/log/verification')).body)).toContain(words)
    await other.close()
  })
})

describe('a fault', () => {
  it('of the program is told to the log, and nothing of it to the page', async () => {
    const other = await openDesk((data) => ({
      ...data,
      views: { ...data.views, terms: async () => Promise.reject(new Error('secret of the inside')) },
    }))
    const { status, body } = await other.page('/terms')
    expect(status).toBe(500)
    expect(body).not.toContain('secret of the inside')
    expect(other.faults).toHaveLength(1)
    await other.close()
  })

  it('of the state is said with what to do', async () => {
    const other = await openDesk((data) => ({
      ...data,
      views: {
        ...data.views,
        terms: async () => Promise.reject(new SyncError('STATE_IO', 'the state cannot be read')),
      },
    }))
    const { status, body } = await other.page('/terms')
    expect(status).toBe(503)
    expect(body).toContain('The disk failed')
    await other.close()
  })
})

it('a run of many files shows the first ones, and leads to a list of all', async () => {
  const names = Array.from({ length: 120 }, (_, index) => `export-${String(index).padStart(3, '0')}.csv`)
  const other = await openDesk(undefined, async (path) => {
    const state = openState(path, { pid: 1, since: 0, thorough: false })
    const line = testLine({ state })
    for (const name of names) line.source.drop(name, people(1))
    await line.run()
    await state.close()
  })
  try {
    const [run] = (await other.data.views.runs({}, { from: undefined, limit: 1 })).rows
    const first = `/runs/${run?.id ?? ''}`
    expect((await other.page(first)).body).toContain(`href="${first}/files"`)
    const seen: string[] = []
    for (let path: string | undefined = `${first}/files`; path !== undefined;) {
      const { body } = await other.page(path)
      seen.push(...(body.match(/export-\d+\.csv/g) ?? []))
      path = /rel="next" href="([^"]*)"/.exec(body)?.[1]
    }
    expect(seen).toEqual(names)
    expect((await other.page('/runs/nothing/files')).status).toBe(404)
  } finally {
    await other.close()
  }
})
