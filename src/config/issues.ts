// From zod's issues to problems with a place and words that a person can act on.
// Values are quoted only where they stand in the file itself: what came from the environment may be a secret.
import type { z } from 'zod'
import { NEEDS_QUOTES } from '../core/mapping/cel/constants.ts'
import { type ConfigProblem, type Said, sentenceParts } from './text/problem.ts'
import { descriptionAt, knownKeys, placeFor } from './schema/schema-walk.ts'
import { meantName, nearName, suggestion } from '../core/words/nearest.ts'
import { isMapping, type Path, pathKey, type Place, problemAt, type Tree, valueAt } from './text/tree.ts'

type Issue = z.core.$ZodIssue

interface Checked {
  readonly tree: Tree
  readonly schema: z.ZodType
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys',
  record: 'a mapping of keys',
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (isMapping(value)) return 'a mapping of keys'
  if (typeof value === 'string') return 'text'
  return typeof value === 'boolean' ? 'true or false' : 'a number'
}

/** Whether the issue says that the value has another form than this branch of a union is about. */
function isOtherForm(issue: Issue, path: Path, tree: Tree): boolean {
  if (issue.path.length > 0) return false
  const value = valueAt(tree.value, path)
  if (issue.code === 'invalid_type') return true
  if (issue.code === 'invalid_value') return typeof value !== typeof issue.values[0]
  if (issue.code !== 'invalid_union') return false
  return issue.errors.every((branch) => branch.some((inner) => isOtherForm(inner, path, tree)))
}

/** A union's issues are those of the branch that was meant; the union's own sentence where none was. */
function flattened(issue: Issue, before: Path, tree: Tree): { issue: Issue; path: Path }[] {
  const path = [...before, ...issue.path]
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ issue, path }]
  const meant = issue.errors
    .filter((branch) => !branch.some((inner) => isOtherForm(inner, path, tree)))
    .sort((a, b) => a.length - b.length)[0]
  if (meant === undefined) return [{ issue, path }]
  return meant.flatMap((inner) => flattened(inner, path, tree))
}

const SECRETS: readonly unknown[] = ['api_key', 'token', 'metrics_token', 'secret', 'password', 'webhook']

function typeSentence(
  expected: string,
  value: unknown,
  { place, isSecret, isItem }: { place: Place | undefined; isSecret: boolean; isItem: boolean },
): Said {
  const wanted = EXPECTED[expected] ?? expected
  // In a list of texts, a null was written for a word: `null_values: [NULL]`.
  const isWord = value !== null || (isItem && place?.source !== '')
  if (expected === 'string' && place?.source !== undefined && isWord) {
    const message = `is ${value === null ? 'nothing' : kindOf(value)} to YAML, but text is expected`
    return { message, hint: isSecret ? 'write it in quotes' : `write it in quotes: "${place.source}"` }
  }
  const hint = value === null ? `write ${wanted}, or leave the key out` : `write ${wanted}`
  return { message: `is ${kindOf(value)}`, hint }
}

function choiceSentence(values: readonly unknown[], value: unknown, place: Place | undefined): Said {
  const choices = values.map(String)
  const possible = `possible: ${choices.join(', ')}`
  if (typeof value !== 'string' || place?.substituted === true)
    return { message: 'is not one of the possible values', hint: possible }
  const near = nearName(value, choices)
  return {
    message: `is ${JSON.stringify(value)}`,
    hint: near === undefined ? possible : `did you mean ${near}? ${possible}`,
  }
}

function missing({ tree, schema }: Checked, path: Path): Said {
  const description = descriptionAt(schema, path, tree.value)
  const name = String(path.at(-1) ?? 'it')
  return { message: 'is missing', hint: `add ${name}${description === undefined ? '' : `: ${description}`}` }
}

function discriminatorSentence(issue: Issue, checked: Checked, path: Path): Said {
  const value = valueAt(checked.tree.value, path)
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : []
  if (value === undefined) return { message: 'is missing', hint: `possible: ${options.join(', ')}` }
  return choiceSentence(options, value, checked.tree.places.get(pathKey(path)))
}

const EMPTY: Said = { message: 'is empty', hint: 'write a value, or leave the key out' }
const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0)

function sentence(issue: Issue, checked: Checked, path: Path): Said {
  const value = valueAt(checked.tree.value, path)
  const place = checked.tree.places.get(pathKey(path))
  if (value === undefined && issue.code !== 'custom') return missing(checked, path)
  const name = path.at(-1)
  const asText = { place, isSecret: SECRETS.includes(name), isItem: typeof name === 'number' }
  if (issue.message === NEEDS_QUOTES) return typeSentence('string', value, asText)
  if (value === null && issue.code === 'invalid_union')
    return { message: 'is empty', hint: sentenceParts(issue.message).hint }
  if (issue.message !== '') return sentenceParts(issue.message)
  switch (issue.code) {
    case 'invalid_type':
      return typeSentence(issue.expected, value, asText)
    case 'invalid_value':
      return choiceSentence(issue.values, value, place)
    case 'too_small':
      return isEmpty(value) ? EMPTY : { message: 'is too small', hint: `at least ${String(issue.minimum)}` }
    case 'too_big':
      return { message: 'is too large', hint: `at most ${String(issue.maximum)}` }
    default:
      return { message: 'has the wrong form', hint: '' }
  }
}

function unknownKeyHint(key: string, checked: Checked, path: Path): string {
  if (key === '<<') return 'merge keys are not available, write the values out'
  if (key.startsWith('\u00a0'))
    return 'it begins with a no-break space (U+00A0), which does not indent; use plain spaces'
  const { schema, tree } = checked
  const known = knownKeys(schema, path, tree.value)
  const place = meantName(key, known) === undefined ? placeFor(key, schema, path, tree.value) : undefined
  if (place === undefined) return suggestion(key, known)
  return place.length === 0 ? 'it belongs at the top of the file' : `it belongs under ${place.join('.')}`
}

function problemsOf(issue: Issue, checked: Checked, path: Path): ConfigProblem[] {
  const { tree } = checked
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const what =
        issue.message === ''
          ? { message: 'is not a known key', hint: unknownKeyHint(key, checked, path) }
          : sentenceParts(issue.message)
      return problemAt(tree, [...path, key], { ...what, at: 'key' })
    })
  if (issue.code === 'invalid_key')
    return [
      problemAt(tree, path, {
        ...sentenceParts(issue.issues[0]?.message ?? 'is not a valid name'),
        at: 'key',
      }),
    ]
  if (issue.code === 'invalid_union' && issue.errors.length === 0)
    return [problemAt(tree, path, discriminatorSentence(issue, checked, path))]
  return [problemAt(tree, path, sentence(issue, checked, path))]
}

/** Every issue as problems. What follows from a value that is already known to be broken is left out. */
export function issueProblems(issues: readonly Issue[], checked: Checked): ConfigProblem[] {
  const all = issues.flatMap((issue) => flattened(issue, [], checked.tree))
  const pathsWith = (code: Issue['code']) =>
    new Set(all.filter(({ issue }) => issue.code === code).map(({ path }) => pathKey(path)))
  const mistyped = pathsWith('invalid_type')
  const misspelt = pathsWith('unrecognized_keys')
  return all
    .filter(({ path }) => checked.tree.places.get(pathKey(path))?.broken !== true)
    .filter(({ issue, path }) => issue.code === 'invalid_type' || !mistyped.has(pathKey(path)))
    .filter(({ issue, path }) => issue.code !== 'custom' || !misspelt.has(pathKey(path)))
    .flatMap(({ issue, path }) => problemsOf(issue, checked, path))
}
