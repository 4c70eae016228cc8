// The schema of the rules for texts: full names, lists of e-mail addresses, values to leave out, expressions.
import { z } from 'zod'
import { compileExpression } from '../cel/condition.ts'
import { re2Text } from '../../words/pattern.ts'
import { text } from '../../words/scalars.ts'

const NAME_PARTS = ['title', 'title2', 'first', 'family'] as const
/** What of a full name a field is. */
export type NamePart = (typeof NAME_PARTS)[number]

const expression = text.check((ctx) => {
  const compiled = ctx.value === '' ? undefined : compileExpression(ctx.value)
  if (compiled === undefined || !('problem' in compiled)) return
  // A problem with its own hint needs no other.
  const hint = compiled.problem.includes(';')
    ? ''
    : '; write CEL, as in record["Position"] + ", " + record["Department"]'
  const message = `${compiled.problem}${hint}`
  ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

/** The keys of a field's mapping. */
export const textRuleKeys = {
  name: z
    .enum(NAME_PARTS)
    .optional()
    .describe(
      'Takes a part of a full name, "Dr. Anna von der Heide" or "Heide, Anna": `title` (m or f), `title2` (dr or prof), `first`, `family`. A name that can be read in two ways is invalid. Default: the whole text.',
    ),
  address: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Takes the n-th e-mail address of a text, each counted once: `address: 2` of "Nea <n@x.example>; m@x.example" is m@x.example. Blank where there are fewer. Default: the whole text.',
    ),
  unless: re2Text
    .optional()
    .describe(
      'An RE2 pattern: a value in which it is found is blank, `^(privat|-)$`. It is compared with each column, and with what the transforms make of them. Default: every value counts.',
    ),
  expression: expression
    .optional()
    .describe(
      'In place of a column: a CEL expression over the columns, `record["Position"] + ", " + record["Department"]`. Its cost is bounded as that of `where`.',
    ),
}

type Written = Readonly<Partial<Record<string, unknown>>>

interface KeyProblem {
  readonly key: string
  readonly message: string
}

/** Rules that make a text of another form, of which a field has one. */
const RULES = ['name', 'address', 'date', 'country', 'phone', 'number'] as const

/** What is wrong between the keys of one mapping. */
export function textRuleProblems(written: Written): KeyProblem[] {
  const isSet = (key: string): boolean => written[key] !== undefined && written[key] !== false
  const [first, second] = RULES.filter(isSet)
  // The schemas of two other rules check these.
  if (first === 'name' || first === 'address')
    if (second !== undefined)
      return [{ key: second, message: `stands beside ${first}; a field has one of them` }]
  if (written['phone_type_of'] === undefined) return []
  return ['name', 'address', 'unless']
    .filter(isSet)
    .map((key) => ({ key, message: 'has no effect with phone_type_of; leave it out' }))
}

/** Salutation and title are for the fields of that name, and for custom fields. */
export function misplacedNames(field: string, { name }: Written): KeyProblem[] {
  if (name === undefined) return []
  if (name === 'title' || name === 'title2')
    return field === name
      ? []
      : [{ key: 'name', message: `takes ${name}, which is for the field ${name}; take first or family` }]
  return field === 'title' || field === 'title2'
    ? [{ key: 'name', message: `takes a name, which ${field} cannot hold; write name: ${field}` }]
    : []
}
