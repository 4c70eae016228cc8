// The secrets of a configuration: the key of the service, the tokens of console and metrics, and (alert-secrets.ts) those
// of receivers.
// Messages name the variable or the file that a secret comes from, and never a part of its value.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ConfigProblem, type Said, sentenceParts } from '../text/problem.ts'
import { type ReadFile, readText } from '../text/read-text.ts'
import { isMapping, type Path, pathKey, placeOf, problemAt, type Tree, valueAt } from '../text/tree.ts'

export interface Secrets {
  readonly apiKey: string
  readonly token: string | undefined
  readonly metricsToken: string | undefined
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

export interface FoundSecret {
  readonly value: string
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

/** Placeholders that are often left in examples. */
const PLACEHOLDER =
  /^(change[-_ ]?(me|it|this)|todo|x{3,}|\*+|\.{3,}|<.*>|your[-_ ].*|placeholder|null|undefined)$/i

const API_KEY: Path = ['service', 'api_key']
const API_KEY_FILE: Path = ['service', 'api_key_file']
const TOKEN: Path = ['server', 'token']
const TOKEN_FILE: Path = ['server', 'token_file']
const METRICS_TOKEN: Path = ['server', 'metrics_token']
const METRICS_TOKEN_FILE: Path = ['server', 'metrics_token_file']
const NOTHING: FoundSecret = { value: '', problems: [], warnings: [] }

/** `header`: it is sent as a header of HTTP. */
function secretProblem(value: string, use: 'header' | 'text'): string | undefined {
  if (value.trim() === '') return 'is empty'
  if (PLACEHOLDER.test(value.trim())) return 'still holds a placeholder'
  // A header takes printable ASCII alone: anything else was pasted along by accident.
  if (use === 'header' && !/^[\x21-\x7e]+$/.test(value))
    return 'contains white space or other characters that no key has'
  // `KEY="..."` in a file of variables that no shell reads.
  if (use === 'header' && /^(["']).*\1$/.test(value)) return 'stands in quotes, which would be sent with it'
  // A line of such a file in place of the key.
  if (use === 'header' && /^[A-Z0-9_]*(?:KEY|TOKEN|SECRET)=./.test(value))
    return 'is written as NAME=value, of which all would be sent'
  return undefined
}

interface Advice {
  readonly variable: string
  readonly otherwise: string
  readonly use: 'header' | 'text'
}

function literalSecret(tree: Tree, path: Path, advice: Advice): FoundSecret {
  const value = valueAt(tree.value, path)
  const place = tree.places.get(pathKey(path))
  if (typeof value !== 'string' || place?.broken === true) return NOTHING
  const [variable] = place?.variables ?? []
  const problem = secretProblem(value, advice.use)
  if (problem !== undefined) {
    const message = variable === undefined ? problem : `${problem} (environment variable ${variable})`
    const hint = `set ${variable ?? advice.variable} to the real one${advice.otherwise}`
    return { value, problems: [problemAt(tree, path, { message, hint })], warnings: [] }
  }
  if (variable !== undefined) return { value, problems: [], warnings: [] }
  const message = 'is plain text in this file'
  const hint = `take it from the environment: \${${advice.variable}}`
  return { value, problems: [], warnings: [problemAt(tree, path, { message, hint })] }
}

/** Where a container's engine mounts secrets: readable for all, within a container that is one user's alone. */
const MOUNTED = /^(\/var)?\/run\/secrets\//

function openFileWarnings(tree: Tree, path: Path, file: string): readonly ConfigProblem[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o004) === 0 || MOUNTED.test(file)) return []
  const message = `the file ${file} is readable by every user of this machine`
  return [problemAt(tree, path, { message, hint: `chmod 600 ${file}` })]
}

interface SecretFile {
  readonly path: Path
  /** What belongs into it. */
  readonly holds: string
  readonly use: 'header' | 'text'
}

/** A file's one trailing newline is no part of the secret: editors add it. */
async function fileSecret(
  tree: Tree,
  { path, holds, use }: SecretFile,
  options: SecretOptions,
): Promise<FoundSecret> {
  const named = valueAt(tree.value, path)
  if (typeof named !== 'string' || named === '' || placeOf(tree, path)?.broken === true) return NOTHING
  const file = resolve(options.folder, named)
  const read = await readText(file, options.readFile)
  const value = 'text' in read ? read.text.replace(/\r?\n$/, '') : ''
  const problem = 'problem' in read ? read.problem : secretProblem(value, use)
  if (problem === undefined) return { value, problems: [], warnings: openFileWarnings(tree, path, file) }
  const { message, hint } = sentenceParts(problem)
  const what: Said = {
    message: `the file ${file}: ${message}`,
    hint: hint === '' ? `write ${holds} into it, and nothing else` : hint,
  }
  return { value, problems: [problemAt(tree, path, what)], warnings: [] }
}

/** A secret that may be left out, in the configuration or in a file. */
export async function optionalSecret(
  tree: Tree,
  where: { readonly literal: Path; readonly file: Path } & Omit<Advice, 'otherwise'>,
  options: SecretOptions,
): Promise<FoundSecret> {
  const { literal, file, variable, use } = where
  const name = String(literal.at(-1))
  if (valueAt(tree.value, file) === undefined)
    return literalSecret(tree, literal, { variable, use, otherwise: `, or leave ${name} out` })
  if (valueAt(tree.value, literal) === undefined)
    return fileSecret(tree, { path: file, holds: `the ${name}`, use }, options)
  const what = { message: `stands beside ${name}`, hint: 'keep one of the two' }
  return { ...NOTHING, problems: [problemAt(tree, file, what)] }
}

async function apiKey(tree: Tree, options: SecretOptions): Promise<FoundSecret> {
  const service = valueAt(tree.value, ['service'])
  if (!isMapping(service)) return NOTHING
  const none = (path: Path, what: Said): FoundSecret => ({
    value: '',
    problems: [problemAt(tree, path, what)],
    warnings: [],
  })
  const hasKey = service['api_key'] !== undefined
  const hasFile = service['api_key_file'] !== undefined
  if (hasKey && hasFile)
    return none(API_KEY_FILE, { message: 'is set together with api_key', hint: 'keep one of the two' })
  if (!hasKey && !hasFile) {
    const hint = 'add api_key: ${CONTACT_SYNC_API_KEY}, or api_key_file with the path of a file'
    return none(API_KEY, { message: 'is missing', hint })
  }
  if (hasFile)
    return fileSecret(tree, { path: API_KEY_FILE, holds: 'the key of the service', use: 'header' }, options)
  return literalSecret(tree, API_KEY, { variable: 'CONTACT_SYNC_API_KEY', otherwise: '', use: 'header' })
}

export interface SecretOptions {
  readonly readFile: ReadFile
  /** The configuration's own folder. */
  readonly folder: string
}

/** A token for metrics that opened anything else, too, would be no protection. */
function sharedProblems(
  tree: Tree,
  metrics: string,
  others: readonly (readonly [key: string, value: string])[],
) {
  const shared = others.find(([, value]) => metrics !== '' && value === metrics)
  if (shared === undefined) return []
  const path = valueAt(tree.value, METRICS_TOKEN) === undefined ? METRICS_TOKEN_FILE : METRICS_TOKEN
  const hint = 'create another one, for metrics only: openssl rand -hex 24'
  return [problemAt(tree, path, { message: `is the same as ${shared[0]}`, hint })]
}

/** Reads key and tokens; with problems, what is given for them must not be used. */
export async function readSecrets(tree: Tree, options: SecretOptions): Promise<Secrets> {
  const key = await apiKey(tree, options)
  const token = await optionalSecret(
    tree,
    { literal: TOKEN, file: TOKEN_FILE, variable: 'CONTACT_SYNC_TOKEN', use: 'header' },
    options,
  )
  const metrics = await optionalSecret(
    tree,
    {
      literal: METRICS_TOKEN,
      file: METRICS_TOKEN_FILE,
      variable: 'CONTACT_SYNC_METRICS_TOKEN',
      use: 'header',
    },
    options,
  )
  const shared = sharedProblems(tree, metrics.value, [
    ['server.token', token.value],
    ['service.api_key', key.value],
  ])
  return {
    apiKey: key.value,
    token: token.value === '' ? undefined : token.value,
    metricsToken: metrics.value === '' ? undefined : metrics.value,
    problems: [key, token, metrics].flatMap(({ problems }) => problems).concat(shared),
    warnings: [key, token, metrics].flatMap(({ warnings }) => warnings),
  }
}
