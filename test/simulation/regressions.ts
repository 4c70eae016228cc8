// Courses that once ended badly, and must not again. A seed counts for the world as it is drawn now: when the drawing
// changes, its course is another one, and only tests that were written for what it found (named here) still show that.
import type { Schedule } from './simulation.ts'

interface Regression {
  readonly seed: number
  readonly schedule?: Schedule
  /** What went wrong. */
  readonly why: string
}

export const REGRESSIONS: readonly Regression[] = [
  { seed: 18, why: 'two exports held in one run could never be released (test/sync/overlap.test.ts)' },
  {
    seed: 71,
    why: 'a key named twice kept an old change alive, which overwrote the new one (overlap.test.ts)',
  },
  {
    seed: 76,
    why: 'a lost create under none was doubled once somebody had edited the contact (overlap.test.ts)',
  },
  { seed: 293, why: 'as 76, with two pipelines at a time (overlap.test.ts)' },
  { seed: 156, why: 'a mail was taken before it was dropped: two people in one contact (overlap.test.ts)' },
  { seed: 186, why: 'as 156, with a mail that is shared for good' },
  {
    seed: 131,
    why: 'terms of an older record stayed for ever once its doubt was settled behind a newer one',
  },
  {
    seed: 13,
    why: 'terms given just before a crash were in no entry of the sync log (test/store/state.test.ts)',
  },
  {
    seed: 7974,
    why: 'another pipeline named a contact in a row whose key nobody could read (missing.test.ts)',
  },
  {
    seed: 8064,
    why: 'an export that was to be read again had been counted, and a contact went (missing.test.ts)',
  },
  {
    seed: 2530,
    why: 'a lost create was doubled once a create without a mail had met its contact (overlap.test.ts)',
  },
  {
    seed: 3188,
    why: 'a lost create came when its contact had got another mail: a second one (late.test.ts)',
  },
  {
    seed: 3005,
    why: 'an update by mail made a contact again and again in place of one that had gone (identity.test.ts)',
  },
  {
    seed: 7368,
    why: 'what replace took away was in no entry when the answer was lost (test/store/state.test.ts)',
  },
  {
    seed: 144,
    why: 'a mail was waited for whose owner, deleted at the service, never gave it up (overlap.test.ts)',
  },
  {
    seed: 8578,
    why: 'a create that was sent again and cut off by a crash went out once more at once (late.test.ts)',
  },
  {
    seed: 9051,
    why: 'a term that could not be given counted as ours once others had given it (terms.test.ts)',
  },
  {
    seed: 5216,
    why: 'a delete that was settled by a later run was in no control total (run-account.ts)',
  },
  {
    seed: 22482,
    why: 'a 2 was linked to the contact of a lost create of another record with its mail (status-by-mail.test.ts)',
  },
  { seed: 332, why: 'an update cut off by a crash, and overtaken, was in no entry of the sync log' },
  {
    seed: 20667,
    why: 'a create was merged into a contact whose delete was on its way (overlap.test.ts)',
  },
  {
    seed: 50588,
    schedule: { isPulled: true },
    why: 'a released change that its status held was taken again in the same run (contracts/state.ts)',
  },
  {
    seed: 51888,
    schedule: { isPulled: true },
    why: 'a contact without a mail was deleted while a create of its name was in doubt (overlap.test.ts)',
  },
  {
    seed: 60834,
    why: 'a user set the mail_status that a create had carried, and the key was taken to have the permission',
  },
  { seed: 22500, why: 'as 20667, while the looks before the delete were tried again and again' },
  {
    seed: 80955,
    why: 'unreadable answers to look-ups counted as a create that the service had taken and lost',
  },
  {
    seed: 82492,
    why: 'a bulk update by mail reached the second contact that another pipeline had just made of it',
  },
  {
    seed: 83966,
    why: 'a contact without a mail was deleted while a create that was merged into it was on its way',
  },
  { seed: 84526, why: 'a second request that was not carried out hid that the first one had been' },
  {
    seed: 85880,
    schedule: { isPulled: true },
    why: 'a decision about a doubt was lost when the record came again',
  },
  {
    seed: 90496,
    schedule: { isPulled: true },
    why: 'a create was taken back before an earlier request of it had landed',
  },
  {
    seed: 617,
    schedule: { isCorrected: true },
    why: 'a corrected value took the place of a contact that was still to be taken back',
  },
  {
    seed: 875,
    schedule: { isCorrected: true },
    why: 'a correction was bound to the value of an earlier one that was dropped before it was sent',
  },
  {
    seed: 20951,
    schedule: { isErased: true },
    why: 'a person who had got the address of one who was erased counted as erased, and as missing: their contact was deleted',
  },
]
