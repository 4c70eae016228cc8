// Programs with one protocol bug each, as a change of the source that must apply exactly as often as it says. Every one
// must be noticed by the simulation: `npm run simulate:mutants`. A change that no longer applies is an error, too.

import { type Mutant, oneBug } from './mutant.ts'
import { CORRECTED, ERASED } from './mutants-of-decisions.ts'

const JOURNAL: readonly Mutant[] = [
  oneBug(22, 'a create leaves before "sending" is written', 'sync/send/send.ts', [
    'await context.state.markSending([operation])\n  const options',
    'const options',
  ]),
  oneBug(22, 'creates of a bulk call leave before "sending" is written', 'sync/send/send.ts', [
    'await context.state.markSending(operations)\n',
    '\n',
  ]),
  oneBug(22, 'small requests leave without having been written as "sending"', 'sync/send/together.ts', [
    'const marks = writes.flatMap((write) => write.marks)',
    'const marks: Marking[] = []',
  ]),
  oneBug(
    337,
    'after a crash a create that was on its way is simply sent again',
    'store/journal/left-open.ts',
    [
      "UPDATE operation SET state = 'in_doubt', not_before = ?",
      "UPDATE operation SET state = 'failed', not_before = ?",
    ],
  ),
  oneBug(4, 'after a crash nobody looks at what was on its way', 'sync/recover.ts', [
    'const inDoubt = await context.state.reopen(context.pipeline.name, context.clock.now())',
    'const inDoubt = 0',
  ]),
  oneBug(787, 'the terms that are about to be given are not noted', 'store/journal/sending.ts', [
    'if (marks.length > 0) doubtTerms',
    'if (marks.length > 1000) doubtTerms',
  ]),
  oneBug(164, 'a file that could not be moved is read again', 'sync/put-away.ts', [
    'failure === undefined ? undefined : { sha256, hasRejects }',
    'failure === undefined || sha256 !== undefined ? undefined : { sha256, hasRejects }',
  ]),
  oneBug(186, 'what is known is not brought up to date', 'core/change/after-step.ts', [
    'const known = nextKnown(ended.operation.known, fields)',
    'const known = ended.operation.known',
  ]),
  oneBug(4, 'what was given up is not tried again', 'sync/run.ts', ['await carryOver(context)\n', '\n']),
  oneBug(401, 'a newer record does not take the place of what was never sent', 'store/journal/staging.ts', [
    'AND input_id <> @id\n  AND (EXISTS (SELECT 1 FROM operation AS newer',
    'AND input_id <> @id AND 0\n  AND (EXISTS (SELECT 1 FROM operation AS newer',
  ]),
  oneBug(27, 'a newer record does not wait behind a doubt', 'core/change/diff.ts', [
    "if (known.inDoubt) return { kind: 'waiting' }",
    '',
  ]),
  oneBug(1, 'the sync log misses what was done', 'store/journal/settle.ts', [
    'append(ended.flatMap(({ entries }) => entries))',
    'void append',
  ]),
]

const ANSWERS: readonly Mutant[] = [
  oneBug(4, 'a lost answer counts as not applied', 'service/outcome.ts', [
    "verdict(evidence.sent ? 'unknown' : 'not_applied', 'yes')",
    "verdict('not_applied', 'yes')",
  ]),
  oneBug(27, '5xx counts as not applied', 'service/outcome.ts', [
    "if (status >= 500) return verdict('unknown', 'yes')",
    "if (status >= 500) return verdict('not_applied', 'yes')",
  ]),
  oneBug(43, 'a page with status 200 is a refusal', 'service/outcome.ts', [
    "return verdict('unknown', method === 'GET' ? 'yes' : 'no')",
    "return verdict('refused')",
  ]),
  oneBug(51, 'an answer that is not the interface’s is a refusal', 'service/outcome.ts', [
    "case 'json':\n    case 'oversized':\n      return verdict('unknown')",
    "case 'json':\n    case 'oversized':\n      return verdict('refused')",
  ]),
  oneBug(30, 'an answer that breaks off counts as not applied', 'service/outcome.ts', [
    "case 'broken':\n      return verdict('unknown', 'yes')",
    "case 'broken':\n      return verdict('not_applied', 'yes')",
  ]),
  oneBug(5, '429 is a refusal', 'service/outcome.ts', [
    "return { kind: 'not_applied', retriable: 'yes', throttled: true }",
    "return verdict('refused')",
  ]),
  oneBug(265, 'a delete of what is gone has failed', 'sync/send/former-status.ts', [
    "return { operation, request: seen.request, settlement: { kind: 'done', contactId } }",
    "return { operation, request: seen.request, settlement: { kind: 'failed', reason: 'gone' } }",
  ]),
  oneBug(2, 'the window of the rate limit is not kept', 'service/slot-ring.ts', [
    'const windowMs = perMs * 1.001 + 1',
    'const windowMs = perMs * 0.3',
  ]),
  oneBug(5, 'the pause of a 429 is not kept', 'service/rate-limiter.ts', [
    'pause(ms)\n      const nowMs',
    'const nowMs',
  ]),
]

const DOUBTS: readonly Mutant[] = [
  oneBug(30, 'under none a lost create is sent again without looking', 'core/change/lookup/doubt.ts', [
    "check === 'email' && typeof contact['mail']",
    "check !== 'auto' && typeof contact['mail']",
  ]),
  oneBug(440, 'a doubt is sent again on the first look that finds nothing', 'sync/recover.ts', [
    'operation.absentReads >= context.service.doubt.absent_reads && context.clock.now() >= operation.notBefore',
    'operation.absentReads >= 0',
  ]),
  {
    seed: 449,
    bug: 'a lost request is given no time to land',
    edits: [
      {
        file: 'sync/send/send.ts',
        find: 'context.clock.now() + context.service.doubt.quiesce',
        put: 'context.clock.now()',
      },
      {
        file: 'sync/send/settle.ts',
        find: 'context.clock.now() + context.service.doubt.quiesce',
        put: 'context.clock.now()',
      },
    ],
  },
  oneBug(23, 'any contact of that mail is taken for ours', 'core/change/lookup/likeness.ts', [
    'export function looksLike(sent: Contact, shown: ServiceContact): boolean {\n',
    'export function looksLike(sent: Contact, shown: ServiceContact): boolean {\n  if (shown.id > 0) return true\n',
  ]),
  oneBug(13, 'doubts are never looked at', 'sync/recover.ts', [
    "kind === 'delete' || (mailKey !== undefined && guard !== REBUILD_GUARD)",
    'kind === undefined && mailKey === guard && guard === REBUILD_GUARD',
  ]),
  oneBug(657, 'a member that the bulk answer lacks has failed', 'sync/send/send.ts', [
    'if (operation !== undefined) await settleDoubt(once(operation), context, false)',
    "if (operation !== undefined) await settle([{ operation, request: result.request, settlement: { kind: 'failed', reason: 'missing' } }], context)",
  ]),
  oneBug(4, 'the bulk answer is read by position', 'core/change/bulk.ts', [
    'const ids = answered.get(mail)',
    'const at = members[sent.indexOf(mail)]\n    const ids = at === undefined ? undefined : new Set([at.id])',
  ]),
  oneBug(522, 'under none a refused bulk call is split and sent again without looking', 'sync/send/send.ts', [
    "if (context.pipeline.duplicate_check_method !== 'email' && !isTooLarge) {",
    'if (context.pipeline.duplicate_check_method === undefined) {',
  ]),
  oneBug(3820, 'a mail is taken while giving it up has failed', 'sync/send/free-mails.ts', [
    "return check === 'email' && key !== undefined ? context.state.mailOwners(operations) : new Map()",
    'return check === undefined && key !== undefined ? context.state.mailOwners(operations) : new Map()',
  ]),
]

const POLICIES: readonly Mutant[] = [
  oneBug(5, 'a Retry-After is cut at five seconds', 'service/wait-hints.ts', [
    'const LONGEST_MS = 900_000',
    'const LONGEST_MS = 5_000',
  ]),
  oneBug(487, 'one mail twice in a bulk call', 'sync/send/apply.ts', [
    'if (mails.has(mail)) yield* full()\n',
    '\n',
  ]),
  {
    seed: 260,
    bug: 'an empty export means that everybody has gone',
    edits: [
      {
        file: 'sync/plan/commit-plan.ts',
        find: 'const isWhole = counts.read > 0 && staged',
        put: 'const isWhole = staged',
      },
    ],
  },
  oneBug(451, 'deletes go though a key cannot be read', 'core/change/waiting/guard.ts', [
    'if (unidentified > 0) {',
    'if (unidentified > 1000) {',
  ]),
  oneBug(234, 'the delete guard lets one more go', 'core/change/waiting/guard.ts', [
    'if (deletes <= allowedBy(limit, links)) return undefined',
    'if (deletes <= allowedBy(limit, links) + 1) return undefined',
  ]),
  oneBug(86, 'the delete guard is asleep', 'core/change/waiting/guard.ts', [
    'if (deletes <= allowedBy(limit, links)) return undefined',
    'if (deletes >= 0) return undefined',
  ]),
  oneBug(73, 'what a guard held goes without a release', 'store/journal/holds.ts', [
    "state = 'held' AND released = 1 AND cause = 'missing'",
    "state = 'held' AND cause = 'missing'",
  ]),
  {
    seed: 30,
    bug: 'a contact that another pipeline names is deleted',
    edits: [
      {
        file: 'store/journal/missing.ts',
        find: "AND other.pipeline <> link.pipeline AND ${mayBeNamed('other')})",
        put: 'AND other.pipeline IS NULL)',
      },
      {
        file: 'store/journal/contacts/others.ts',
        find: 'elsewhere.get(contactId, pipeline, contactId) !== undefined',
        put: 'elsewhere.get(-1, pipeline, -1) !== undefined',
      },
    ],
  },
  oneBug(8, 'a term is given by setting the whole list', 'sync/send/send-terms.ts', [
    'context.session.addContactTerms(contactId, idsOf(terms))',
    'context.session.setContactTerms(contactId, idsOf(terms))',
  ]),
  oneBug(83, 'every term that a contact has counts as ours', 'core/mapping/terms.ts', [
    'ours: oursBefore.has(key) || addedNow.has(key)',
    'ours: oursBefore.has(key) || addedNow.size >= 0',
  ]),
  oneBug(71, 'a second row of a key counts, too', 'sync/plan/stage.ts', [
    "earlier === undefined || context.pipeline.on_duplicate_key === 'last'",
    'earlier === undefined || context.pipeline.on_duplicate_key !== undefined',
  ]),
  oneBug(664, 'a contact that is gone is written to again', 'core/change/diff.ts', [
    "if (link.gone) return { kind: 'held', reason: GONE_REASON }",
    '',
  ]),
  oneBug(5, 'rejects are not counted', 'sync/plan/stage.ts', [
    "else if (verdict.kind === 'rejected') counts.rejected += 1",
    "else if (verdict.kind === 'rejected') counts.rejected += 0",
  ]),
]

const OUTSIDE: readonly Mutant[] = [
  oneBug(10, 'the first page of any list counts as all of it', 'service/pages.ts', [
    'while (isNew && !whole && list',
    'while (isNew && isDocumented && list',
  ]),
  oneBug(5, 'a list of terms ends with its first page', 'service/pages.ts', [
    'while (isNew && !whole && list',
    'while (isNew && !whole && !isDocumented && list',
  ]),
  oneBug(9, 'a state without its mark is taken', 'store/file/mark.ts', [
    'return isNew\n',
    'return isNew || db.open\n',
  ]),
  {
    seed: 26,
    bug: 'a state that is older than its mark is taken',
    edits: [
      {
        file: 'store/file/mark.ts',
        find: 'if (mark.runs > now.runs || mark.entries > now.entries) {',
        put: 'if (mark.runs < 0) {',
      },
      { file: 'store/file/mark.ts', find: 'if (!isInLog(db, mark)) return', put: 'if (!db.open) return' },
    ],
  },
  oneBug(10, 'whoever a look-up by mail gives has that mail', 'core/change/lookup/mail-lookup.ts', [
    'contacts: found.filter(isAsked)',
    'contacts: [...found]',
  ]),
  {
    seed: 13,
    bug: 'the lock goes by the path that is named',
    edits: [
      { file: 'store/file/place.ts', find: 'return realpathSync.native(path)', put: 'return path' },
      { file: 'store/file/place.ts', find: 'file.nlink <= 1', put: 'file.nlink > 0' },
    ],
  },
]

const CONSENT: readonly Mutant[] = [
  oneBug(
    6,
    'what a new contact shows in any case counts as a mail_status that was taken',
    'sync/send/status-of-create.ts',
    [
      "if (wanted === UNKNOWN_STATUS || (!isWithdrawn(wanted) && isTaken(wanted, context) === true)) return 'taken'",
      "if (!isWithdrawn(wanted) && isTaken(wanted, context) === true) return 'taken'",
    ],
  ),
  oneBug(4, 'a mail_status is believed without reading it back', 'sync/send/consent.ts', [
    "if (!verify) return { kind: 'taken', request }",
    "if (verify || !verify) return { kind: 'taken', request }",
  ]),
  oneBug(6, 'a create whose mail_status was not taken stays', 'sync/send/consent.ts', [
    "...(isFresh ? { next: 'delete' } : {}),",
    '...(isFresh ? {} : {}),',
  ]),
  oneBug(31, 'a consent is raised without further words', 'sync/send/consent.ts', [
    'if (isWithdrawn(status) && !context.pipeline.allow_consent_raise) {',
    'if (isWithdrawn(status) && context.pipeline.name.length === 0) {',
  ]),
]

const PULLED: readonly Mutant[] = [
  oneBug(2, 'the cursor moves before its records have their outcome', 'store/journal/staging.ts', [
    'return { id: Number(id), runId, pipeline, input, header }\n',
    `if (input.cursor !== undefined)
        db.prepare("INSERT OR REPLACE INTO meta VALUES ('cursor:' || ?, ?)").run(pipeline, JSON.stringify(input.cursor))
      return { id: Number(id), runId, pipeline, input, header }\n`,
  ]),
  oneBug(70, 'a fetch that broke off is taken for a whole export', 'sync/plan/read.ts', [
    'input.isPart === true || isMended()',
    'isMended()',
  ]),
  oneBug(11, 'a full fetch begins at the cursor', 'sync/run.ts', [
    'cursor: isFull ? undefined : await state.cursor(pipeline.name)',
    'cursor: await state.cursor(pipeline.name)',
  ]),
].map((mutant) => ({ ...mutant, kind: 'pulled' as const }))

const EDITED: readonly Mutant[] = [
  oneBug(8, 'a contact is not read before it is updated', 'sync/send/send-update.ts', [
    'if (!needsActual(method) && rules === undefined) return',
    'if (!needsActual(method)) return',
  ]),
  oneBug(8, 'every value at the service counts as sent', 'core/change/others/hand-edits.ts', [
    "if (rule === 'overwrite' || isOurs) send",
    "if (rule === 'overwrite' || isOurs || values.length >= 0) send",
  ]),
  oneBug(26, 'a contact that was edited is deleted', 'sync/hand-edits.ts', [
    'if (found.value.length === 0) return undefined',
    'if (found.value.length >= 0) return undefined',
  ]),
  oneBug(5, 'what others sent is forgotten when a create meets it', 'store/journal/contacts/hand-edits.ts', [
    "operation.kind === 'create' ? [",
    "operation.kind === 'create' && id === 0 ? [",
  ]),
  oneBug(142, 'edits are never looked at again', 'sync/run.ts', [
    'const before = isAsked ? started : started - context.pipeline.recheck',
    'const before = isAsked ? 0 : started * 0 - context.pipeline.recheck',
  ]),
  oneBug(265, 'what a user filled in, and was never sent, is deleted', 'core/change/others/hand-edits.ts', [
    "const filled = fields.filter((field) => ruleOf(field) !== 'overwrite')",
    "const filled = fields.filter((field) => ruleOf(field) === 'overwrite')",
  ]),
  oneBug(165, 'a list of terms gives again what a user took', 'core/change/others/hand-edits.ts', [
    'const keptAway = lost.filter((name) =>',
    "const keptAway = lost.filter((name) => name === '' &&",
  ]),
  oneBug(13, 'a list of terms takes away what a user gave', 'core/change/others/hand-edits.ts', [
    'filter((name) => !isReleased(name, name))',
    "filter((name) => name === '' && !isReleased(name, name))",
  ]),
  oneBug(7, 'every term that a changed record names is given again', 'core/mapping/terms.ts', [
    'const add = termsBeyond(wanted, sure)',
    'const add = termsBeyond(wanted, sure).length >= 0 ? wanted : []',
  ]),
  oneBug(8, 'a contact is raised without evidence', 'core/change/consents/evidence.ts', [
    "if (evidence === undefined) return 'missing'",
    'if (evidence === undefined) return undefined',
  ]),
  oneBug(5, 'evidence from before a withdrawal raises a contact', 'core/change/consents/evidence.ts', [
    "? 'earlier' : undefined",
    '? undefined : undefined',
  ]),
  oneBug(5, 'when a contact was seen to withdraw is not noted', 'sync/reads/status-notes.ts', [
    'if (isProven) await state.noteWithdrawal(',
    'if (isProven && at < 0) await state.noteWithdrawal(',
  ]),
  oneBug(16, 'what was seen since the plan was made counts for nothing', 'sync/send/evidence.ts', [
    'if (!isAsked(operation, context)) return undefined\n  const { contactId',
    'if (operation.kind !== undefined) return undefined\n  const { contactId',
  ]),
  oneBug(5, 'who unsubscribed at the service is not told', 'store/journal/contacts/opt-outs.ts', [
    "if (news !== 'report') return",
    "if (news === 'report') return",
  ]),
].map((mutant) => ({ ...mutant, kind: 'edited' as const }))

export const MUTANTS: readonly Mutant[] = [
  ...JOURNAL,
  ...ANSWERS,
  ...DOUBTS,
  ...POLICIES,
  ...OUTSIDE,
  ...CONSENT,
  ...PULLED,
  ...EDITED,
  ...ERASED,
  ...CORRECTED,
]
