// The transforms that a mapping may name: small functions from text to text, each with its options' schema.
// To add one, add an entry to the table. Nothing here may depend on a locale, fail on odd text, or take
// more than linear time: patterns are RE2, never JavaScript's own.
import { RE2JS } from 're2js'
import { z } from 'zod'
import { characterCount } from '../contact.ts'
import { type Note, noted, ruleText } from '../values/noted.ts'
import { re2Problem, re2Text } from '../../words/pattern.ts'

/** A transform by its name, with the options that its own schema has checked. */
export interface TransformCall {
  readonly name: string
  readonly options: unknown
}

export interface Transform {
  /** One sentence for the manual. */
  readonly help: string
  /** As it is written in YAML. */
  readonly example: string
  /** What stands behind the name; `z.undefined()` where nothing may. */
  readonly options: z.ZodType
  /** Throws a ZodError where the options do not fit the schema. */
  compile(options: unknown): (value: string) => string
}

interface TransformSpec<T> {
  readonly help: string
  readonly example: string
  readonly options: z.ZodType<T>
  compile(options: T): (value: string) => string
}

function transform<T>(spec: TransformSpec<T>): Transform {
  return { ...spec, compile: (options) => spec.compile(spec.options.parse(options)) }
}

function plain(name: string, help: string, apply: (value: string) => string): Transform {
  return transform({ help, example: name, options: z.undefined(), compile: () => apply })
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const LETTER = /^\p{L}\p{M}*$/u
const APOSTROPHES = "'’ʼ"

function capitalised(word: string): string {
  const [first = ''] = word
  const [initial = '', ...more] = first.toUpperCase()
  return initial + more.join('').toLowerCase() + word.slice(first.length).toLowerCase()
}

/** McDonald and DeVito were written with care and stay; ANNA, anna and aNNA were not. */
function isWrittenWithCare(word: string): boolean {
  return /^\p{Lu}/u.test(word) && word !== word.toUpperCase() && word !== word.toLowerCase()
}

/** A letter alone behind an apostrophe begins no name: O'Neill, but the driver's seat. */
function isSuffix(value: string, word: string, at: number): boolean {
  return at > 1 && APOSTROPHES.includes(value.charAt(at - 1)) && LETTER.test(word)
}

function titleCase(value: string): string {
  return value.replace(WORD, (word: string, at: number) => {
    if (isSuffix(value, word, at)) return word.toLowerCase()
    return isWrittenWithCare(word) ? word : capitalised(word)
  })
}

/** The highest `$1` in the replacement that the pattern has no group for. */
function missingGroup(pattern: string, replacement: string): number | undefined {
  if (re2Problem(pattern) !== undefined) return undefined
  const groups = RE2JS.compile(pattern).groupCount()
  const named = [...replacement.matchAll(/(?<!\\)\$(\d)/g)].map(([, digit]) => Number(digit))
  return named.find((group) => group > groups)
}

const replaceOptions = z
  .strictObject({
    find: z.string().min(1).optional().describe('The text to look for, literally.'),
    pattern: re2Text.optional().describe('Or an RE2 pattern to look for.'),
    with: z.string().describe('The replacement, everywhere; $1 is the first group of a pattern.'),
  })
  .check((ctx) => {
    const { find, pattern, with: replacement } = ctx.value
    if ((find === undefined) === (pattern === undefined)) {
      const message = 'needs exactly one of find and pattern; find is taken literally, pattern is RE2'
      ctx.issues.push({ code: 'custom', input: ctx.value, message })
    }
    const group = pattern === undefined ? undefined : missingGroup(pattern, replacement)
    if (group !== undefined) {
      const message = `names $${group}, which the pattern has no group for; put the part that is meant in ( )`
      ctx.issues.push({ code: 'custom', input: ctx.value, path: ['with'], message })
    }
  })

function compileReplace({ find, pattern, with: to }: z.output<typeof replaceOptions>) {
  if (find !== undefined) return (value: string) => value.replaceAll(find, () => to)
  const compiled = RE2JS.compile(pattern ?? '')
  return (value: string) => compiled.matcher(value).replaceAll(to)
}

const splitOptions = z.strictObject({
  separator: z.string().min(1).describe('The separator of the parts.'),
  part: z
    .int()
    .refine((part) => part !== 0, { error: 'is 0; 1 is the first part, -1 the last' })
    .describe('Which part to keep: 1 is the first, -1 the last. A missing part is blank.'),
})

function compileSplit({ separator, part }: z.output<typeof splitOptions>) {
  return (value: string) => (value.split(separator).at(part > 0 ? part - 1 : part) ?? '').trim()
}

/** Whole graphemes are kept or dropped, so that no letter loses its accent and no flag is halved. */
function compileTruncate(limit: number) {
  const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })
  return (value: string) => {
    if (characterCount(value) <= limit) return value
    let kept = ''
    let count = 0
    for (const { segment } of segmenter.segment(value)) {
      count += characterCount(segment)
      if (count > limit) return kept
      kept += segment
    }
    return kept
  }
}

/** Every transform by its name in the mapping. */
export const TRANSFORMS: Readonly<Record<string, Transform>> = {
  trim: plain('trim', 'Removes white space at both ends.', (value) => value.trim()),
  lower: plain('lower', 'Lower case.', (value) => value.toLowerCase()),
  upper: plain('upper', 'Upper case.', (value) => value.toUpperCase()),
  title_case: plain(
    'title_case',
    "A capital at the start of each word, also behind hyphen and apostrophe (Jean-Luc, O'Neill); mixed words such as McDonald stay.",
    titleCase,
  ),
  digits: plain('digits', 'Keeps the digits 0 to 9 only.', (value) => value.replace(/[^0-9]/g, '')),
  collapse_spaces: plain(
    'collapse_spaces',
    'Replaces every run of white space, line breaks included, by one space.',
    (value) => value.replace(/\s+/gu, ' ').trim(),
  ),
  replace: transform({
    help: 'Replaces a text, or what a pattern finds, everywhere in the value.',
    example: '{ replace: { find: "&amp;", with: "&" } }',
    options: replaceOptions,
    compile: compileReplace,
  }),
  split: transform({
    help: 'Keeps one part of a value with several parts.',
    example: '{ split: { separator: ",", part: 1 } }',
    options: splitOptions,
    compile: compileSplit,
  }),
  truncate: transform({
    help: 'Truncates to this number of characters, never inside one.',
    example: '{ truncate: 40 }',
    options: z.int().min(1).describe('The number of characters to keep.'),
    compile: compileTruncate,
  }),
}

/**
 * One function of several transforms, applied in order.
 * Throws for a name or options that the configuration would have refused.
 */
export function compileTransforms(calls: readonly TransformCall[]): (value: string, note?: Note) => string {
  const steps = calls.map(({ name, options }) => {
    const found = Object.hasOwn(TRANSFORMS, name) ? TRANSFORMS[name] : undefined
    if (found === undefined) throw new Error(`there is no transform "${name}"`)
    return { rule: `transform: ${ruleText(name, options)}`, apply: found.compile(options) }
  })
  return (value, note) => steps.reduce((text, { rule, apply }) => noted(note, rule, text, apply(text)), value)
}
