// Pages for those who are not signed in: the form, and why there is nothing to see.
import { bareHtml } from '../html/layout.ts'
import { html, type Html } from '../html/markup.ts'
import { command, note, nothing } from '../html/parts.ts'

type SignInTrouble = 'wrong' | 'throttled'

const WORDS: Readonly<Record<SignInTrouble, string>> = {
  wrong: 'Wrong token.',
  throttled: 'Too many wrong tokens came from your address. Wait a minute, then try again.',
}

/** `next`: the path of the console to continue to. */
export const signInPage = (next: string, trouble?: SignInTrouble): Html =>
  bareHtml(
    'Sign in',
    html`${trouble === undefined ? nothing : html`<div role="alert">${note('bad', html`<p>${WORDS[trouble]}</p>`)}</div>`}
      <form method="post" action="/sign-in">
        <input type="hidden" name="next" value="${next}" />
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autofocus
          maxlength="1000"
          autocomplete="current-password"
          spellcheck="false"
        />
        <button>Sign in</button>
      </form>
      <p class="quiet">
        The token is the one of <code>server.token</code> or that of your entry in
        <code>server.users</code> in the configuration.
      </p>`,
  )

export const closedPage = (): Html =>
  bareHtml(
    'The console is off',
    html`<p>No token is configured, so the console is closed. Set one and restart:</p>
      <p>${command('server: { token: "${CONTACT_SYNC_TOKEN}" }')}</p>
      <p class="quiet">A long random text, from the environment: <code>openssl rand -hex 32</code></p>`,
  )

export const problemPage = (title: string, text: string): Html =>
  bareHtml(
    title,
    html`<p>${text}</p>
      <p><a href="/">To the overview</a></p>`,
  )

/** Also for those who are not signed in: it names no server. */
export const awayPage = (): Html =>
  problemPage(
    'The state cannot be reached',
    'The database server with the state, which also knows who is signed in, does not answer. No session has ended by that: try again in a minute. /readyz and the log of contact-sync have the reason.',
  )
