// Reads one file of a configuration as a tree, or says why there is none.
import type { LoadOptions } from './load-tree.ts'
import { type ConfigProblem, sentenceParts } from './text/problem.ts'
import { readSmallFile, readText } from './text/read-text.ts'
import type { Tree } from './text/tree.ts'
import { readYaml } from './text/yaml-tree.ts'

const howToMakeOne = ({ namedBy = '--config' }: LoadOptions): string =>
  `copy config/contact-sync.example.yaml, or name another file with ${namedBy}`

export async function readConfig(
  options: LoadOptions,
): Promise<{ tree?: Tree; problems: readonly ConfigProblem[] }> {
  const { file, env } = options
  const whole = { file, line: 1, column: 1, path: '' }
  const read = await readText(file, options.readFile ?? readSmallFile)
  if ('problem' in read) {
    const { message, hint } = sentenceParts(read.problem)
    return { problems: [{ ...whole, message, hint: read.missing ? howToMakeOne(options) : hint }] }
  }
  const { tree, problems } = readYaml(read.text, { file, env })
  if (tree?.value === null)
    return { problems: [{ ...whole, message: 'is empty', hint: howToMakeOne(options) }] }
  return tree === undefined ? { problems } : { tree, problems }
}
