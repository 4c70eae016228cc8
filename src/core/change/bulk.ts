// Which updates share a call, and who is who in a bulk answer. Members are matched by mail and never by position: an answer may
// come in any order, in other case and incomplete, and a wrong guess would give one person another's contact.
import { mailKey } from '../mapping/contact.ts'
import type { CreatedMember } from '../ports.ts'
import type { PipelineSettings } from '../settings.ts'
import { needsActual } from './merge-method.ts'
import { respectsHandEdits } from './others/hand-edits.ts'

/** Whether updates of the pipeline share calls: where each contact is read first, or the mail does not name it, they go by id. */
export const updatesInBulk = (pipeline: PipelineSettings): boolean =>
  pipeline.update_via === 'bulk' &&
  pipeline.duplicate_check_method === 'email' &&
  !needsActual(pipeline.update_method) &&
  !respectsHandEdits(pipeline)

export interface BulkMatch {
  /** The contact id by the mail's comparison form. */
  readonly matched: ReadonlyMap<string, number>
  /** Mails that the answer does not speak of, or speaks of in more than one way. */
  readonly unanswered: readonly string[]
  /** Mails that share one id, with it: the service merged them. */
  readonly merged: ReadonlyMap<string, number>
  /** How many members name a mail that was not sent. */
  readonly strangers: number
}

function idsByMail(members: readonly CreatedMember[]): Map<string, Set<number>> {
  const byMail = new Map<string, Set<number>>()
  for (const { id, email } of members) {
    const mail = mailKey(email)
    byMail.set(mail, (byMail.get(mail) ?? new Set()).add(id))
  }
  return byMail
}

/** `sent` are mails in their comparison form, each once. */
export function matchBulkAnswer(sent: readonly string[], members: readonly CreatedMember[]): BulkMatch {
  const answered = idsByMail(members)
  const owners = new Map<number, number>()
  for (const ids of answered.values()) for (const id of ids) owners.set(id, (owners.get(id) ?? 0) + 1)
  const matched = new Map<string, number>()
  const unanswered: string[] = []
  const merged = new Map<string, number>()
  for (const mail of sent) {
    const ids = answered.get(mail)
    const [id, ...more] = ids ?? []
    if (id === undefined || more.length > 0) unanswered.push(mail)
    else if ((owners.get(id) ?? 0) > 1) merged.set(mail, id)
    else matched.set(mail, id)
  }
  const wanted = new Set(sent)
  return {
    matched,
    unanswered,
    merged,
    strangers: [...answered.keys()].filter((mail) => !wanted.has(mail)).length,
  }
}
