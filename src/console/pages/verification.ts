// Whether the sync log is whole: how far its chain was followed, what the file beside the state says, the newest hash.
import type { VerificationView } from '../../core/log/log-views.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html } from '../html/markup.ts'
import { badge, command, facts, moment, note } from '../html/parts.ts'
import { number, plural } from '../../core/words/format.ts'

function verdict(view: VerificationView): Html {
  const { bad, verified, entries, verifiedAt, marked } = view
  if (bad !== undefined)
    return note(
      'bad',
      html`<p>
        Entry ${number(bad.seq)} was changed: ${bad.why}. Keep the state unchanged, and see “The sync log” in
        the manual.
      </p>`,
    )
  if (marked !== undefined && marked > entries)
    return note(
      'bad',
      html`<p>
        The end is missing: the file beside the state records ${plural(marked, 'entry', 'entries')}, the log
        has ${number(entries)}.
      </p>`,
    )
  if (verifiedAt === undefined)
    return note(
      'busy',
      html`<p>
        Verification in progress: ${number(verified)} of ${number(entries)} so far, and whole as far as that.
      </p>`,
    )
  return note(
    'good',
    html`<p>Intact: every entry up to number ${number(verified)} follows from the one before it.</p>`,
  )
}

export function verificationPage(view: VerificationView, now: number): PageParts {
  const { entries, head, marked, verified, verifiedAt } = view
  const body = html`${verdict(view)}
    ${facts([
      ['Entries', html`${number(entries)}`],
      ['Verified up to', html`${number(verified)}`],
      ['Last completed', verifiedAt === undefined ? badge('busy', 'not yet') : moment(verifiedAt, now)],
      [
        'Recorded beside the state',
        marked === undefined ? html`nothing` : html`${plural(marked, 'entry', 'entries')}`,
      ],
    ])}
    <h2>Hash of the newest entry</h2>
    <p><code class="command">${head}</code></p>
    <p>
      An earlier hash (each run prints it) proves that nothing before it was changed or cut off. The same
      check on the command line, in a separate process: ${command('contact-sync audit verify')}
    </p>`
  return { title: 'Is the sync log intact?', place: '/log', trail: [['/log', 'Sync log']], body }
}
