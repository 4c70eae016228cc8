// Checks a tree against the schema: the values with defaults filled in, or every problem.
// It knows no key by name.
import type { z } from 'zod'
import { issueProblems } from './issues.ts'
import { schemasAt } from './schema/schema-walk.ts'
import type { ConfigProblem } from './text/problem.ts'
import { pathKey, type Path, type Tree, valueAt } from './text/tree.ts'

type Parsed<S extends z.ZodType> =
  | {
      readonly ok: true
      readonly values: z.output<S>
      /** As written, numbers from the environment being numbers. */
      readonly written: unknown
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

/** What a text from the environment stands for where a number or a truth value is wanted. */
function meant(expected: string, text: string): unknown {
  if (expected === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if (expected !== 'number' && expected !== 'int') return undefined
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
}

function replaced(value: unknown, path: Path, by: unknown): unknown {
  const copy: unknown = structuredClone(value)
  const parent = valueAt(copy, path.slice(0, -1))
  const last = path.at(-1)
  if (typeof parent === 'object' && parent !== null && last !== undefined)
    (parent as Record<PropertyKey, unknown>)[last] = by
  return copy
}

interface PlacedIssue {
  readonly issue: z.core.$ZodIssue
  readonly path: Path
}

/** With those of every branch of a union: of `max_deletes: ${MOST}` the text alone says whether it is a count. */
function withBranches(issue: z.core.$ZodIssue, before: Path): PlacedIssue[] {
  const path = [...before, ...issue.path]
  if (issue.code !== 'invalid_union') return [{ issue, path }]
  return issue.errors.flat().flatMap((inner) => withBranches(inner, path))
}

/** `port: ${PORT}` gives text; where a number is wanted, its number is meant. */
function withMeantValues(tree: Tree, issues: readonly z.core.$ZodIssue[]): unknown {
  let { value } = tree
  for (const { issue, path } of issues.flatMap((one) => withBranches(one, []))) {
    if (issue.code !== 'invalid_type' || tree.places.get(pathKey(path))?.substituted !== true) continue
    const text = valueAt(tree.value, path)
    const better = typeof text === 'string' ? meant(issue.expected, text) : undefined
    if (better !== undefined) value = replaced(value, path, better)
  }
  return value
}

/** An empty message asks issues.ts for the words. What is parsed once is not worth compiling a parser for. */
export const PARSING = { error: () => '', jitless: true } as const

/** A record's schema does not look at what stands under an invalid name: its issues are those of the value alone. */
function withIssuesBelow(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  value: unknown,
): z.core.$ZodIssue[] {
  const below = issues
    .filter(({ code }) => code === 'invalid_key')
    .flatMap(({ path }) =>
      schemasAt(schema, path, value)
        .flatMap((one) => one.safeParse(valueAt(value, path), PARSING).error?.issues ?? [])
        .map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
    )
  return [...issues, ...below]
}

/** Every problem at once. */
export function parseTree<S extends z.ZodType>(tree: Tree, schema: S): Parsed<S> {
  const first = schema.safeParse(tree.value, PARSING)
  if (first.success) return { ok: true, values: first.data, written: tree.value }
  const value = withMeantValues(tree, withIssuesBelow(first.error.issues, schema, tree.value))
  const second = value === tree.value ? first : schema.safeParse(value, PARSING)
  if (second.success) return { ok: true, values: second.data, written: value }
  const issues = withIssuesBelow(second.error.issues, schema, value)
  return { ok: false, problems: issueProblems(issues, { tree, schema }) }
}
