// The frame of every page: head, navigation, search, sign-out. No script, no style within the page.
import { ASSETS } from '../assets.ts'
import { html, type Html } from './markup.ts'
import { nothing } from './parts.ts'

const PLACES = [
  ['/', 'Overview'],
  ['/runs', 'Runs'],
  ['/held', 'Held'],
  ['/doubts', 'In doubt'],
  ['/edits', 'Edits'],
  ['/rejects', 'Rejects'],
  ['/terms', 'Terms'],
  ['/log', 'Sync log'],
  ['/configuration', 'Configuration'],
] as const

export type MenuPlace = (typeof PLACES)[number][0]

/** The account that a page is about, and those that may be chosen instead. */
export interface AccountChoice {
  readonly name: string
  readonly others: readonly string[]
}

/** Whether a page that shows an active run is reloaded; off: the user does not want it. */
export interface PageRefresh {
  readonly seconds: number
  readonly isOn: boolean
}

export interface PageParts {
  readonly title: string
  /** Where in the navigation it belongs; undefined: nowhere. */
  readonly place?: MenuPlace | undefined
  readonly body: Html
  /** Who is signed in. */
  readonly user?: { readonly name: string | undefined; readonly role: string } | undefined
  /** The account that it is about, where there are several. */
  readonly account?: AccountChoice | undefined
  /** What was searched for, to stand in the field again. */
  readonly searched?: string
  /** It is reloaded while a run is active; undefined: none is. */
  readonly refresh?: PageRefresh | undefined
  /** Above the title: where this page hangs. */
  readonly trail?: readonly (readonly [href: string, name: string])[]
}

const head = (title: string): Html =>
  html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>${title} · contact-sync</title>
    <link rel="stylesheet" href="${ASSETS.style.path}" />
    <link rel="icon" href="${ASSETS.icon.path}" type="image/svg+xml" />
  </head>`

const navigation = (here: MenuPlace | undefined): Html =>
  html`<nav class="places" aria-label="Main">
    <ul>
      ${PLACES.map(([href, name]) => {
        const current = href === here ? html` aria-current="page"` : nothing
        return html`<li><a href="${href}" ${current}>${name}</a></li>`
      })}
    </ul>
  </nav>`

const searchForm = (searched: string): Html =>
  html`<form class="search" role="search" method="post" action="/search">
    <label class="unseen" for="q">Find a contact by e-mail address, key or id</label>
    <input
      id="q"
      name="q"
      type="search"
      value="${searched}"
      placeholder="E-mail, key or id"
      required
      maxlength="320"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
    />
    <button>Find</button>
  </form>`

const whoIs = (user: PageParts['user']): Html =>
  user?.name === undefined ? nothing : html`<span class="quiet">${user.name} (${user.role})</span> `

/** Below the navigation, so that no number is taken for that of another account. */
function accountBar(account: AccountChoice | undefined): Html {
  if (account === undefined) return nothing
  const { name, others } = account
  const choice = html`<label for="account">Change to</label>
    <select id="account" name="account">
      ${others.map((other) => html`<option>${other}</option>`)}
    </select>
    <button class="plain">Show</button>`
  return html`<form class="account" method="post" action="/account">
    <span>Account <strong>${name}</strong></span> ${others.length === 0 ? nothing : choice}
  </form>`
}

const crumbs = (trail: PageParts['trail']): Html =>
  trail === undefined
    ? nothing
    : html`<nav class="trail" aria-label="Breadcrumb">
        ${trail.map(([href, name]) => html`<a href="${href}">${name}</a> <span aria-hidden="true">›</span> `)}
      </nav>`

/** A page that changes by itself says so, and can be stopped. */
function refreshNote(refresh: PageRefresh | undefined): Html {
  if (refresh === undefined) return nothing
  const { isOn, seconds } = refresh
  return isOn
    ? html`<p class="quiet">
        While a run is active, this page is reloaded every ${seconds} seconds. <a href="?refresh=off">Stop</a>
      </p>`
    : html`<p class="quiet">
        A run is active, and this page is not reloaded. <a href="?">Reload it every ${seconds} seconds</a>
      </p>`
}

/** The whole document of a page for those who are signed in. */
export const pageHtml = ({
  title,
  place,
  body,
  user,
  account,
  searched = '',
  trail,
  refresh,
}: PageParts): Html =>
  html`<!doctype html>
    <html lang="en">
      ${head(title)}
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <a class="brand" href="/"
            ><img src="${ASSETS.icon.path}" alt="" width="22" height="22" /> contact-sync</a
          >
          ${searchForm(searched)}
          <form class="leave" method="post" action="/sign-out">
            ${whoIs(user)}<button class="plain">Sign out</button>
          </form>
          ${navigation(place)} ${accountBar(account)}
        </header>
        <main id="main" tabindex="-1">
          ${crumbs(trail)}
          <h1>${title}</h1>
          ${refreshNote(refresh)} ${body}
        </main>
        <footer>
          All times are in UTC.
          ${user === undefined || user.role === 'viewer' ? 'These pages only show; what is to be done is said as a command.' : 'Every decision is entered into the sync log with your name.'}
        </footer>
      </body>
    </html> `

/** A document without navigation: for those who are not signed in. */
export const bareHtml = (title: string, body: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      ${head(title)}
      <body class="bare">
        <main id="main">
          <p class="brand"><img src="${ASSETS.icon.path}" alt="" width="28" height="28" /> contact-sync</p>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `
