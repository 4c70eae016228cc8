// Before and after a decision: what will happen, with a reason to be given, and what came of it.
import type { Proposed } from '../decisions.ts'
import type { PageParts } from '../html/layout.ts'
import { html, said } from '../html/markup.ts'
import { note, nothing } from '../html/parts.ts'

const reasonField = html`<label for="reason">Reason, for the sync log</label>
  <input id="reason" name="reason" maxlength="500" autocomplete="off" />`

/** `token`: of this form alone. */
export function confirmPage({ title, says, button, back, isTest }: Proposed, token: string): PageParts {
  const body = html`${says.map((text) => html`<p>${said(text)}</p>`)}
    <form class="confirm" method="post" action="/decide">
      <input type="hidden" name="token" value="${token}" />
      ${isTest === true ? nothing : reasonField}
      <button>${button}</button> <a href="${back}">Cancel</a>
    </form>`
  return { title, body }
}

/** What came of a decision. */
export interface Decided {
  readonly title: string
  readonly isDone: boolean
  readonly text: string
  readonly back: string
}

export function decidedPage({ title, isDone, text, back }: Decided): PageParts {
  const body = html`${note(isDone ? 'good' : 'bad', html`<p>${said(text)}</p>`)}
    <p><a href="${back}">Continue</a> · <a href="/log">Sync log</a></p>`
  return { title, body }
}

/** Another request has confirmed it, and its outcome is not known yet. */
export const openDecisionPage = (reloadS: number): PageParts => ({
  title: 'Being decided',
  body: html`<p>
      This was confirmed already, and what comes of it is not known yet; some decisions wait until no run is
      active. It is not done twice. This page is reloaded every ${reloadS} seconds. If nothing has come of it
      after some minutes, look into the sync log: the process that took it may have ended.
    </p>
    <p><a href="/log">Sync log</a> · <a href="/">To the overview</a></p>`,
})

export const unknownDecisionPage = (): PageParts => ({
  title: 'Nothing was done',
  body: html`<p>
      What was to be decided is not there any more, or the form is too old. Open the page again and look at
      what there is now.
    </p>
    <p><a href="/">To the overview</a></p>`,
})

export const mayNotPage = (): PageParts => ({
  title: 'Not allowed',
  body: html`<p>Only an operator or an approver of <code>server.users</code> who is signed in decides.</p>
    <p><a href="/">To the overview</a></p>`,
})
