// Addresses of records: the search, and one contact. No key and no mail is ever part of an address, for addresses are
// written down by proxies and browsers: what was searched for is kept with the session, under a number.
import type { Hono } from 'hono'
import type { PageEnv } from './access.ts'
import { missing, ROWS, show, startOf, wholeNumber } from './asked.ts'
import type { ConsoleData } from './data.ts'
import { contactPage } from './pages/contact.ts'
import { explainPage } from './pages/explain.ts'
import { emptySearchPage, onlyHit, searchPage } from './pages/search.ts'

const LONGEST = 320

function searchRoutes(app: Hono<PageEnv>, data: ConsoleData): void {
  const search = (text: string) => Promise.all([data.views.search(text, ROWS), data.log.people(text)])
  const found = async (text: string) => searchPage(text, ...(await search(text)))
  app.post('/search', async (context) => {
    const { q } = await context.req.parseBody()
    const text = typeof q === 'string' ? q.trim().slice(0, LONGEST) : ''
    if (text === '') return context.redirect('/search', 303)
    const session = context.get('session')
    if (session === undefined) return show(context, await found(text))
    const hit = onlyHit(...(await search(text)))
    if (hit !== undefined) return context.redirect(`/contacts/${hit}`, 303)
    return context.redirect(`/search/${(await session.rememberSearch(text)) ?? ''}`, 303)
  })
  app.get('/search', (context) => show(context, emptySearchPage()))
  app.get('/search/:number', async (context) => {
    const text = await context.get('session')?.searched(wholeNumber(context.req.param('number')) ?? 0)
    return text === undefined ? context.redirect('/search', 303) : show(context, await found(text))
  })
}

export function recordRoutes(app: Hono<PageEnv>, data: ConsoleData): void {
  searchRoutes(app, data)
  app.get('/contacts/:id', async (context) => {
    const contactId = wholeNumber(context.req.param('id'))
    if (contactId === undefined) return missing(context)
    const from = startOf(context)
    const after = wholeNumber(from)
    const range = {
      order: 'oldest',
      limit: ROWS + 1,
      ...(after === undefined ? {} : { from: after }),
    } as const
    const [person, entries] = await Promise.all([
      data.views.person(contactId),
      data.log.logPage({ contact: `id:${contactId}` }, range),
    ])
    if (person.records.length + entries.length === 0) return missing(context)
    const rows = entries.slice(0, ROWS)
    const next = entries.length > ROWS ? String(rows.at(-1)?.seq) : undefined
    const { now, pipelines } = data.live()
    const configured = pipelines.map(({ name }) => name)
    const parts = { contactId, person, entries: { rows, next }, from, configured, now }
    return show(context, contactPage(parts))
  })
  app.get('/explain/:id/:pipeline', async (context) => {
    const contactId = wholeNumber(context.req.param('id'))
    const explained = contactId && (await data.explain(contactId, context.req.param('pipeline')))
    return explained ? show(context, explainPage(explained)) : missing(context)
  })
}
