// One thing that is wrong with a configuration, as data and as the line that a person reads.
// Nothing here knows what can be wrong.

export interface ConfigProblem {
  readonly file: string
  /** From 1, as `column`. */
  readonly line: number
  readonly column: number
  /** `pipelines.shop.map.mail`; empty for the file as a whole. */
  readonly path: string
  /** What is wrong, behind the path: `is missing`. Never a secret. */
  readonly message: string
  /** What would be right; may be empty. */
  readonly hint: string
}

export interface Said {
  readonly message: string
  readonly hint: string
}

/** Splits a sentence of the schema, "what is wrong; what would be right". */
export function sentenceParts(sentence: string): Said {
  const at = sentence.indexOf('; ')
  return at < 0
    ? { message: sentence, hint: '' }
    : { message: sentence.slice(0, at), hint: sentence.slice(at + 2) }
}

/** `file:line:column: path: what is wrong, and what would be right`. */
export function problemText(problem: ConfigProblem): string {
  const where = `${problem.file}:${problem.line}:${problem.column}: `
  const path = problem.path === '' ? '' : `${problem.path}: `
  const hint = problem.hint === '' ? '' : `; ${problem.hint}`
  return where + path + problem.message + hint
}

/** Each problem once, in the order of the file; those in other files (presets) come last. */
export function inOrder(problems: readonly ConfigProblem[], mainFile: string): ConfigProblem[] {
  const once = new Map(problems.map((problem) => [problemText(problem), problem]))
  const rank = ({ file }: ConfigProblem) => (file === mainFile ? '' : file)
  return [...once.values()].sort(
    (a, b) => rank(a).localeCompare(rank(b), 'en') || a.line - b.line || a.column - b.column,
  )
}
