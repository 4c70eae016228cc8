// What an address asks for, checked: a name that is none of those known is as good as none.
import { html } from './html/markup.ts'
import type { Context } from 'hono'
import type { PageEnv } from './access.ts'
import { pageHtml, type PageParts, type PageRefresh } from './html/layout.ts'

/** Rows on a page. */
export const ROWS = 50

export function oneOf<T extends string>(text: string | undefined, known: readonly T[]): T | undefined {
  return known.find((one) => one === text)
}

/** A whole number from 1; undefined for whatever is none. */
export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** The id of a run. */
export function runIdOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-z-]{1,64}$/.test(text) ? text : undefined
}

/** Where the page begins; the store checks what is in it. */
export const startOf = (context: Context): string | undefined => {
  const from = context.req.query('from')
  return from === undefined || from === '' ? undefined : from.slice(0, 100)
}

/** The page loads itself again, by a header and without a script. */
export async function reloadIn(seconds: number, context: Context<PageEnv>): Promise<void> {
  await context.get('session')?.noteRefresh(context.req.path)
  context.header('refresh', String(seconds))
}

export const show = async (context: Context<PageEnv>, page: PageParts): Promise<Response> => {
  const { refresh } = page
  if (refresh?.isOn === true && context.get('session') !== undefined) await reloadIn(refresh.seconds, context)
  return context.html(pageHtml({ ...page, user: context.get('holder'), account: context.get('account') }))
}

const REFRESH_S = 5

/** Of a page that shows an active run: it is reloaded by a header, without a script. */
export const refreshWhile = (isActive: boolean, context: Context): PageRefresh | undefined =>
  isActive ? { seconds: REFRESH_S, isOn: context.req.query('refresh') !== 'off' } : undefined

export function missing(context: Context<PageEnv>): Response | Promise<Response> {
  const body = html`<p>
    Nothing is known under this address. Data that was erased or has expired has no page.
  </p>`
  const page = { title: 'Page not found', body, user: context.get('holder'), account: context.get('account') }
  return context.html(pageHtml(page), 404)
}
