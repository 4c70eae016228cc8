// Several services in one configuration (`accounts`): each of them with its pipelines is a configuration as if it were written
// alone, with `service` at the top. Everything after this sees one service. Places stay those of the file.
import { z } from 'zod'
import { accountsSchema, DEFAULT_ACCOUNT } from '../../core/settings/account-settings.ts'
import { suggestion } from '../../core/words/nearest.ts'
import { parseTree } from '../parse.ts'
import type { ConfigProblem } from '../text/problem.ts'
import { isMapping, pathKey, pathText, type Place, problemAt, type Tree, valueAt } from '../text/tree.ts'

/** One account as a configuration. */
export interface AccountTree {
  readonly account: string
  readonly tree: Tree
  /** Names of the users who may see and decide; undefined: all. */
  readonly users: readonly string[] | undefined
  /** The problem as the file has it: where the service of a named account stands. */
  inFile(problem: ConfigProblem): ConfigProblem
}

export interface SplitAccounts {
  /** The default account first. */
  readonly trees: readonly AccountTree[]
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

const FILE = z.looseObject({ accounts: accountsSchema.optional() })

const asItIs = (problem: ConfigProblem): ConfigProblem => problem

function inService(account: string) {
  return (problem: ConfigProblem): ConfigProblem =>
    problem.path === 'service' || problem.path.startsWith('service.')
      ? { ...problem, path: `${pathText(['accounts', account])}.${problem.path}` }
      : problem
}

type Values = Readonly<Record<string, unknown>>

/** Which account each pipeline names, and those that name none. */
function namedAccounts(tree: Tree, pipelines: Values, names: readonly string[]) {
  const problems: ConfigProblem[] = []
  const of = new Map<string, string>()
  for (const [name, pipeline] of Object.entries(pipelines)) {
    const at = ['pipelines', name, 'account']
    const written = isMapping(pipeline) ? pipeline['account'] : undefined
    if (typeof written === 'string' && names.includes(written)) of.set(name, written)
    else if (written === undefined && names.includes(DEFAULT_ACCOUNT)) of.set(name, DEFAULT_ACCOUNT)
    else if (written === undefined)
      problems.push(
        problemAt(tree, at, { message: 'is missing', hint: `name one of accounts: ${names.join(', ')}` }),
      )
    else
      problems.push(
        problemAt(tree, at, {
          message: 'names no account',
          hint: suggestion(typeof written === 'string' ? written : '', names),
        }),
      )
  }
  return { of, problems }
}

/** Without the key that only this file reads. */
function withoutAccount(pipeline: unknown): unknown {
  if (!isMapping(pipeline)) return pipeline
  const { account: _, ...rest } = pipeline
  return rest
}

function userProblems(tree: Tree, accounts: Values): ConfigProblem[] {
  const users = valueAt(tree.value, ['server', 'users'])
  const known = (Array.isArray(users) ? users : []).flatMap((user) =>
    isMapping(user) && typeof user['name'] === 'string' ? [user['name']] : [],
  )
  return Object.keys(accounts).flatMap((account) => {
    const named = valueAt(accounts, [account, 'users'])
    if (!Array.isArray(named)) return []
    return named.flatMap((name: unknown, index) => {
      if (typeof name !== 'string' || known.includes(name)) return []
      const hint = known.length === 0 ? 'describe it under server.users' : suggestion(name, known)
      return [
        problemAt(tree, ['accounts', account, 'users', index], {
          message: 'names no user of server.users',
          hint,
        }),
      ]
    })
  })
}

const namesAccounts = (pipelines: unknown): boolean =>
  isMapping(pipelines) &&
  Object.values(pipelines).some((one) => isMapping(one) && one['account'] !== undefined)

/** Where an account is described. */
const placeOfAccount = (name: string, accounts: Values): readonly string[] =>
  Object.hasOwn(accounts, name) ? ['accounts', name] : ['service']

const hasService = (name: string, accounts: Values): boolean =>
  !Object.hasOwn(accounts, name) || isMapping(valueAt(accounts, [name, 'service']))

/** One tree where the file has one service. Problems of an account that are found later must pass its `inFile`. */
export function accountTrees(tree: Tree): SplitAccounts {
  const { value } = tree
  const pipelines = valueAt(value, ['pipelines'])
  const written = valueAt(value, ['accounts'])
  if (!isMapping(value) || (written === undefined && !namesAccounts(pipelines))) {
    const only = { account: DEFAULT_ACCOUNT, tree, users: undefined, inFile: asItIs }
    return { trees: [only], problems: [], warnings: [] }
  }
  const accounts = isMapping(written) ? written : {}
  const parsed = parseTree(tree, FILE)
  const hasTop = value['service'] !== undefined && !Object.hasOwn(accounts, DEFAULT_ACCOUNT)
  const names = [...(hasTop ? [DEFAULT_ACCOUNT] : []), ...Object.keys(accounts)]
  const named = namedAccounts(tree, isMapping(pipelines) ? pipelines : {}, names)
  const twice = {
    message: 'is what service at the top describes',
    hint: 'keep one of the two',
    at: 'key',
  } as const
  const unused = {
    message: 'no pipeline uses this account',
    hint: 'name it in a pipeline, account: NAME, or remove it',
    at: 'key',
  } as const
  return {
    // One without a service has been reported.
    trees: names
      .filter((name) => hasService(name, accounts))
      .map((name) => accountTree(name, { tree, accounts, accountOf: named.of })),
    problems: [
      ...(parsed.ok ? [] : parsed.problems),
      ...(hasTop || value['service'] === undefined
        ? []
        : [problemAt(tree, ['accounts', DEFAULT_ACCOUNT], twice)]),
      ...userProblems(tree, accounts),
      ...named.problems,
    ],
    warnings: names
      .filter((name) => ![...named.of.values()].includes(name))
      .map((name) => problemAt(tree, placeOfAccount(name, accounts), unused)),
  }
}

/** Its service at the top, and its pipelines alone. */
function accountTree(
  account: string,
  { tree, accounts, accountOf }: { tree: Tree; accounts: Values; accountOf: ReadonlyMap<string, string> },
): AccountTree {
  const { accounts: _, pipelines, service: top, ...common } = tree.value as Values
  const isTop = !Object.hasOwn(accounts, account)
  const own = Object.entries(isMapping(pipelines) ? pipelines : {}).filter(
    ([name]) => accountOf.get(name) === account,
  )
  const users = valueAt(accounts, [account, 'users'])
  return {
    account,
    users: Array.isArray(users) ? users.filter((name) => typeof name === 'string') : undefined,
    inFile: isTop ? asItIs : inService(account),
    tree: {
      value: {
        ...common,
        service: isTop ? top : valueAt(accounts, [account, 'service']),
        pipelines: Object.fromEntries(own.map(([name, pipeline]) => [name, withoutAccount(pipeline)])),
      },
      places: isTop ? tree.places : placesWithin(tree, account),
    },
  }
}

/** The places of all but `service`, which is that of the account. */
function placesWithin(tree: Tree, account: string): ReadonlyMap<string, Place> {
  const [top, below] = [pathKey(['service', '']), pathKey(['accounts', account, 'service'])]
  const places = new Map<string, Place>()
  for (const [key, place] of tree.places) {
    if (key === below || key.startsWith(`${below}\u0000`))
      places.set(`service${key.slice(below.length)}`, place)
    else if (key !== 'service' && !key.startsWith(top) && !key.startsWith('accounts')) places.set(key, place)
  }
  return places
}
