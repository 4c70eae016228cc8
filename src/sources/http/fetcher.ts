// Fetches page by page. It has come to its end only where an answer says so: with the last page, or one without records.
import { createHash } from 'node:crypto'
import { SyncError } from '../../core/words/errors.ts'
import { isSecretName } from '../../core/words/secrets/secret-name.ts'
import { jsonLine, textOf } from '../json/values.ts'
import type { Fetched, Fetcher, FetchTask } from '../pull/fetcher.ts'
import { assertOverlaps, withOverlap } from '../pull/newest.ts'
import { faultOf, flagOfMoreIn, isSaidToBeLast, moreIn, recordsAt, valueAtPath } from './answer.ts'
import { createClient, type AnsweredPage } from './client.ts'
import type { HttpOptions } from './options.ts'
import { type Newest, watchNewest } from './newest-field.ts'

interface Place {
  readonly url: URL
  readonly number: number
  /** Records on the pages before. */
  readonly before: number
}

function withParams(url: URL, params: Readonly<Record<string, string>>): URL {
  const changed = new URL(url)
  for (const [name, value] of Object.entries(params)) changed.searchParams.set(name, value)
  return changed
}

function firstPlace({ url, next, since, overlap }: HttpOptions, cursor: string | undefined): Place {
  const from = cursor === undefined ? undefined : withOverlap(cursor, overlap)
  const asked = since === undefined || from === undefined ? {} : { [since.param]: from }
  const size = next?.limit === undefined ? {} : { [next.limit]: String(next.size) }
  const page = next?.page === undefined ? {} : { [next.page]: String(next.first) }
  const offset = next?.offset === undefined ? {} : { [next.offset]: '0' }
  return { url: withParams(new URL(url), { ...asked, ...size, ...page, ...offset }), number: 1, before: 0 }
}

/** `<https://crm.example/people?page=2>; rel="next"` */
const nextIn = (link: string | undefined): string | undefined =>
  [...(link ?? '').matchAll(/<([^>]*)>([^<]*)/g)].find(([, , params = '']) =>
    /;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(params),
  )?.[1]

function linkedUrl(link: string | undefined, url: URL): URL | undefined {
  const target = nextIn(link)
  if (target === undefined) return undefined
  const to = URL.canParse(target, url.href) ? new URL(target, url) : undefined
  if (to?.origin === url.origin) return to
  throw new SyncError(
    'SOURCE_ANSWER',
    `the next page of ${url.host} is ${to === undefined ? 'at no address' : `at ${to.origin}`}; pages are asked for at ${url.origin} alone`,
  )
}

/** Throws SOURCE_ANSWER where the interface has more than the one page that is asked for. */
function assertWhole(url: URL, { answer, link, isPart }: AnsweredPage, records: string | undefined): void {
  const isNamed = nextIn(link) !== undefined
  const more = moreIn(answer, records)
  if (!isNamed && !isPart && more === undefined) return
  const how = isNamed
    ? 'names a next page in its header Link'
    : isPart
      ? 'is a part of the list (206)'
      : `has a further page (its ${JSON.stringify(more)} says so)`
  throw new SyncError('SOURCE_ANSWER', `the answer of ${url.host} ${how}, and source.next is not set`, {
    hint: 'Set source.next, which says how the next page is asked for.',
  })
}

/** Throws SOURCE_ANSWER where an answer that looks like the last page says that it is not. */
function assertLast(url: URL, { answer }: AnsweredPage, { records, next }: HttpOptions): void {
  const more = next === undefined || next.link === true ? undefined : flagOfMoreIn(answer, records)
  if (more === undefined) return
  const lack = next?.cursor === undefined ? 'records' : 'cursor'
  throw new SyncError(
    'SOURCE_ANSWER',
    `an answer of ${url.host} has no ${lack}, and a further page (its ${JSON.stringify(more)} says so)`,
    { hint: 'Ask for the same page by hand. If it is always so, check source.records and source.next.' },
  )
}

/** Undefined: this was the last page. */
function urlAfter(
  { url, number, before }: Place,
  page: AnsweredPage,
  records: number,
  { next, records: path }: HttpOptions,
): URL | undefined {
  const { answer, link } = page
  if (next === undefined) assertWhole(url, page, path)
  if (next?.link === true) return linkedUrl(link, url)
  if (next?.cursor !== undefined && next.param !== undefined) {
    const cursor = textOf(valueAtPath(answer, next.cursor))
    if (cursor === '' || cursor === 'false') return undefined
    // A feed that can be asked again later: behind its end it gives nothing, and the cursor that it was given.
    if (records === 0 && url.searchParams.get(next.param) === cursor) return undefined
    return withParams(url, { [next.param]: cursor })
  }
  // How large a page is, an interface may decide for itself: only one without records is the last.
  if (records === 0) return undefined
  if (next?.page !== undefined) return withParams(url, { [next.page]: String(next.first + number) })
  return next?.offset === undefined ? undefined : withParams(url, { [next.offset]: String(before + records) })
}

/** Notes pages; throws SOURCE_ANSWER for one that came already. */
function createRounds(): (url: URL, texts: readonly string[]) => void {
  const urls = new Set<string>()
  const contents = new Set<string>()
  return (url, texts) => {
    // A page may come again in another order.
    const content = createHash('sha256').update(texts.toSorted().join('\n')).digest('base64')
    const isAgain = urls.has(url.href) || (texts.length > 0 && contents.has(content))
    urls.add(url.href)
    contents.add(content)
    if (!isAgain) return
    throw new SyncError('SOURCE_ANSWER', `${url.host} gives the same page twice: paging runs in a circle`, {
      hint: 'Check source.next: the parameter may have another name.',
    })
  }
}

async function* pages(options: HttpOptions, task: FetchTask): AsyncGenerator<Fetched> {
  const { since, max_pages: mostPages } = options
  const from = typeof task.cursor === 'string' && since !== undefined ? task.cursor : undefined
  const begun = task.clock.now()
  let newest: Newest | undefined
  const pageAt = createClient(options, task)
  const noteRound = createRounds()
  let place: Place | undefined = firstPlace(options, from)
  let mayLack = false
  while (place !== undefined) {
    const { url, number, before }: Place = place
    if (number > mostPages)
      throw new SyncError('SOURCE_ANSWER', `${url.host} has more than ${mostPages} pages`)
    const page: AnsweredPage = await pageAt(url, mayLack)
    mayLack = isSaidToBeLast(page.answer, options.records)
    // By the clock that is behind: what changes during the fetch, on a page that has come, is later than the cursor.
    newest ??= since && watchNewest(since.field, { from, nowMs: Math.min(begun, page.begunAt ?? begun) })
    const fault = faultOf(page.answer, url.host)
    const asked = { from: url.host, isFaulty: fault !== undefined }
    const records: readonly unknown[] =
      page.answer === undefined ? [] : recordsAt(page.answer, options.records, asked)
    const texts = records.map(jsonLine)
    noteRound(url, texts)
    for (const [index, json] of texts.entries()) {
      newest?.note(records[index])
      yield { json }
    }
    if (fault !== undefined) throw fault
    const after = urlAfter(place, page, records.length, options)
    if (after === undefined) assertLast(url, page, options)
    place = after && { url: after, number: number + 1, before: before + records.length }
  }
  newest?.assertFound()
  const cursor = newest?.value()
  if (cursor === undefined) return
  assertOverlaps(cursor, options.overlap)
  // Only now: records may come in any order.
  yield { cursor }
}

/**
 * A value under the name of a secret says who asks, and may be renewed; every other one decides what is asked for. One that counts
 * needlessly skips nothing, it only lets the next fetch begin from the start.
 */
const decisive = (values: Iterable<readonly [string, string]>): string[] =>
  [...values].map(([name, value]) => (isSecretName(name) ? name : `${name}=${value}`)).sort()

export function httpFetcher(options: HttpOptions): Fetcher {
  const { url, since, records } = options
  const { origin, pathname, searchParams } = new URL(url)
  const headers = decisive(Object.entries(options.headers))
  const identity = ['http', origin, pathname, decisive(searchParams), since, records, headers]
  return { identity: JSON.stringify(identity), fetch: (task) => pages(options, task) }
}
