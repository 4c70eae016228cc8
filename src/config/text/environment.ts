// What of the process's environment would undo what the configuration says: a connection that is encrypted and checked.
import type { ConfigProblem } from './problem.ts'
import { type Path, problemAt, type Tree, valueAt } from './tree.ts'

const BASE_URL: Path = ['service', 'base_url']

/** `env`: of the process. */
export function environmentProblems(
  tree: Tree,
  env: Readonly<Record<string, string | undefined>>,
): ConfigProblem[] {
  const url = valueAt(tree.value, BASE_URL)
  if (typeof url !== 'string' || !url.startsWith('https:')) return []
  const problems: ConfigProblem[] = []
  const say = (message: string, hint: string) => problems.push(problemAt(tree, BASE_URL, { message, hint }))
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    say(
      'is https, but the environment disables the check of certificates (NODE_TLS_REJECT_UNAUTHORIZED=0)',
      "remove that variable; for your own certificate set NODE_EXTRA_CA_CERTS to its issuer's file",
    )
  if (/--insecure-http-parser\b/.test(env['NODE_OPTIONS'] ?? ''))
    say(
      'would be read by a parser that accepts forged answers (--insecure-http-parser in NODE_OPTIONS)',
      'remove that option',
    )
  return problems
}
