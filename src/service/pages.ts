// Lists page by page. The interface says that every answer with several items is a page (interface, 8) and documents
// `limit` and `offset` for the terms alone: services cap pages lower, ignore `offset`, or refuse it. So a list is read on
// until nothing new comes, but for a page that is shorter than one that the same address has already given.
import type { CallResult, RequestTrace } from '../core/ports.ts'

/** The largest page that the interface allows, and its default (interface, 8). */
const PAGE = 500
/** A list that does not end is not followed without limit, nor kept: so many requests, entries and characters are a fault. */
const MOST_PAGES = 1_000
const MOST_ENTRIES = 200_000
const MOST_CHARACTERS = 64 * 1024 * 1024

/** `came` counts unreadable entries, too, so that reading continues after them. */
export interface ServedPage<T> {
  readonly came: number
  readonly entries: readonly T[]
}

export interface PageQuery {
  readonly offset: number
  readonly limit: number
}

interface Entry {
  readonly id: number
}

type PageResult<T> = CallResult<ServedPage<T>>

export interface PagedList<T> {
  /** The route template. */
  readonly path: string
  /** Undefined: the first page, requested without paging parameters. */
  ask(page: PageQuery | undefined): Promise<PageResult<T>>
  /** What has come is all that is needed: nothing more is asked for. */
  isEnough?(entries: readonly T[]): boolean
  /** The list documents its pages, so they are asked for from the first one on. */
  readonly isDocumented?: true
}

export interface Lists {
  /** Every entry, each id once, in the service's order. `unknown` where the list does not end. */
  read<T extends Entry>(list: PagedList<T>): Promise<CallResult<readonly T[]>>
}

interface Reading<T> {
  readonly entries: Map<number, T>
  pages: number
  offset: number
  characters: number
}

function endless(path: string, { entries, pages }: Reading<unknown>, request: RequestTrace) {
  const summary = `GET ${path} does not end: ${entries.size} entries came in ${pages} answers, and more were to come`
  return { kind: 'unknown', reason: summary, summary, request } as const
}

/** Takes the page in; false where it brought nothing new. */
function takeIn<T extends Entry>(reading: Reading<T>, page: ServedPage<T>): boolean {
  const before = reading.entries.size
  for (const entry of page.entries) {
    if (reading.entries.has(entry.id)) continue
    reading.entries.set(entry.id, entry)
    for (const value of Object.values(entry))
      if (typeof value === 'string') reading.characters += value.length
  }
  reading.pages += 1
  reading.offset += page.came
  return reading.entries.size > before
}

const isTooMuch = ({ pages, entries, characters }: Reading<unknown>): boolean =>
  pages >= MOST_PAGES || entries.size >= MOST_ENTRIES || characters >= MOST_CHARACTERS

/** What one session has learned about pages: how large they come, and where there are none. */
export function createLists(): Lists {
  const largest = new Map<string, number>()
  const pageless = new Set<string>()
  /** No service has pages of one entry once any of its lists had two at once. */
  let hadSeveral = false

  function learn(path: string, came: number): void {
    largest.set(path, Math.max(came, largest.get(path) ?? 0))
    hadSeveral ||= came > 1
  }

  /** Whether a first page of that size can be all, judged before it is learned from. */
  function isWhole(path: string, came: number): boolean {
    if (came === 0 || (came === 1 && hadSeveral)) return true
    return came < PAGE && (pageless.has(path) || came < (largest.get(path) ?? 0))
  }

  async function read<T extends Entry>(list: PagedList<T>): Promise<CallResult<readonly T[]>> {
    const { path, isDocumented = false } = list
    const first = await list.ask(isDocumented ? { offset: 0, limit: PAGE } : undefined)
    if (first.kind !== 'ok') return first
    const reading: Reading<T> = { entries: new Map(), pages: 0, offset: 0, characters: 0 }
    const { came } = first.value
    const whole = !isDocumented && isWhole(path, came)
    learn(path, came)
    let isNew = takeIn(reading, first.value)
    while (isNew && !whole && list.isEnough?.([...reading.entries.values()]) !== true) {
      if (isTooMuch(reading)) return endless(path, reading, first.request)
      const next = await list.ask({ offset: reading.offset, limit: PAGE })
      if (next.kind === 'refused' && !isDocumented && reading.pages === 1 && came < PAGE) {
        // It knows no pages here, and has given what it has.
        pageless.add(path)
        break
      }
      if (next.kind !== 'ok') return next
      isNew = takeIn(reading, next.value)
    }
    return { ...first, value: [...reading.entries.values()] }
  }

  return { read }
}
