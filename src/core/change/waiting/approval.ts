// Which part of a plan waits for approvers, and what one more approval makes of a change. Pure.
//
//   condition    applies from      what waits
//   deletes      number or share   the deletes
//   changes      number or share   all of the plan
//   new_terms    number            all of the plan
//   terms        one               the changes that give one of them
//
//   approvals of a change            one more by an approver
//   fewer than needed, not theirs    counts; released where that makes enough
//   theirs among them                counts for nothing
//   of users who approve no longer   do not count
//
// An approval is of one form of a change (printOfChange): whatever is different about it later, it is not approved.
import { hash } from 'node:crypto'
import { distinctTerms, presentNames, type TermAliases, termKey } from '../../mapping/terms.ts'
import { number, plural } from '../../words/format.ts'
import { limitText } from '../../words/limit.ts'
import type { Limit } from '../../words/scalars.ts'
import type { Operation } from '../operation.ts'
import type { ApprovalRule } from './approval-settings.ts'
import { goneText, type PlanNumbers } from './guard.ts'

/** What a rule requires of a plan. */
export interface RequiredApproval {
  /** given: the changes that give one of `terms`, spelled as in the plan. */
  readonly of: 'all' | 'deletes' | 'given'
  readonly terms: readonly string[]
  /** How many different approvers. */
  readonly by: number
  /** As the configuration has it: `deletes 1, by 2`. */
  readonly threshold: string
  readonly reason: string
}

/** The least number that a limit stands for; at least one. */
const least = (limit: Limit, base: number): number =>
  'count' in limit ? limit.count : Math.max(1, Math.ceil(base * limit.share - 1e-9))

const reached = (number: number, limit: Limit | undefined, base: number): limit is Limit =>
  limit !== undefined && number >= least(limit, base)

const asWritten = (limit: Limit, base: number): string =>
  'share' in limit ? limitText(limit, base) : String(limit.count)

/** `given`: the terms that the plan gives, each once. */
type Judged = Pick<PlanNumbers, 'links' | 'changes' | 'deletes' | 'newTerms' | 'isUndo'> & {
  readonly given: readonly string[]
}

function requiredBy({ when, by }: ApprovalRule, plan: Judged, aliases: TermAliases): RequiredApproval[] {
  const { links, changes, deletes, newTerms } = plan
  const approvers = plural(by, 'approver')
  const required = (
    of: RequiredApproval['of'],
    condition: string,
    what: string,
    terms: readonly string[] = [],
  ): RequiredApproval => ({
    of,
    terms,
    by,
    threshold: `${condition}, by ${by}`,
    reason: `${what}: ${approvers} must release ${of === 'all' ? 'the plan' : 'them'} (approvals: ${condition})`,
  })
  const wanted = new Set(presentNames(when.terms ?? [], aliases).map(termKey))
  const given = plan.given.filter((name) => wanted.has(termKey(name)))
  const named = distinctTerms(given).join(', ')
  return [
    ...(reached(deletes, when.deletes, links)
      ? [
          required(
            'deletes',
            `deletes ${asWritten(when.deletes, links)}`,
            `${number(deletes)} of ${plural(links, 'contact')} ${goneText(plan)}`,
          ),
        ]
      : []),
    ...(reached(changes, when.changes, links)
      ? [
          required(
            'all',
            `changes ${asWritten(when.changes, links)}`,
            `${plural(changes, 'contact')} would be created or changed, with ${number(links)} linked`,
          ),
        ]
      : []),
    ...(when.new_terms !== undefined && newTerms >= when.new_terms
      ? [required('all', `new_terms ${when.new_terms}`, `${plural(newTerms, 'term')} would be created`)]
      : []),
    ...(given.length > 0
      ? [required('given', `terms ${named}`, `contacts would be given ${named}`, given)]
      : []),
  ]
}

/** What the rules of a pipeline require of a plan, in their order. A rule may name a term by a former name. */
export function requiredApprovals(
  plan: Judged,
  rules: readonly ApprovalRule[],
  aliases: TermAliases,
): readonly RequiredApproval[] {
  if (plan.changes + plan.deletes === 0) return []
  return rules.flatMap((rule) => requiredBy(rule, plan, aliases))
}

/**
 * The form of a held change that an approval is bound to: the contact, what is done to it, from what, to what, its terms, and
 * the settings of the pipeline. SHA-256, the first 32 hexadecimal digits.
 */
export function printOfChange(
  { pipeline, key, cause, kind, contactId, known, fields, terms, consent, undoes }: Operation,
  settings: string,
): string {
  const from = Object.keys(fields)
    .toSorted()
    .map((field) => [field, known[field] ?? null, fields[field]])
  const names = terms === undefined ? null : [terms.add.toSorted(), terms.remove.toSorted()]
  const all = [pipeline, key, cause, kind, contactId ?? null, from, names, consent ?? null, undoes ?? null]
  return hash('sha256', JSON.stringify([...all, settings]), 'hex').slice(0, 32)
}

/** What an approval makes of a change: released, one more of those that are needed, or nothing. */
export type Approved = 'released' | 'approved' | 'again'

/** `before`: names of those who have approved this form of it. `approvers`: users who may approve now. */
export function approvedBy(
  name: string,
  { needed, before, approvers }: { needed: number; before: readonly string[]; approvers: readonly string[] },
): Approved {
  const valid = new Set([...before, name].filter((one) => approvers.includes(one)))
  if (valid.size >= needed) return 'released'
  return before.includes(name) ? 'again' : 'approved'
}
