// The tokens of `server.users`. Two users with one token, or one name, could not be told apart in the sync log.
import { type FoundSecret, optionalSecret, type SecretOptions, type Secrets } from './secrets.ts'
import { isMapping, type Path, problemAt, type Tree, valueAt } from '../text/tree.ts'

/** Shorter ones can be guessed. */
const SHORTEST = 16
const CREATE = 'create another one: openssl rand -hex 24'

interface Asked extends FoundSecret {
  readonly at: Path
  readonly name: string
}

const literalOf = (at: Path): Path => [...at, 'token']
const fileOf = (at: Path): Path => [...at, 'token_file']

/** Names that are the same have the same one. */
const comparable = (name: string): string => name.normalize('NFC').toLowerCase()

/** By what they have in common: the first of each. Hundreds of users are read again for each account. */
function firstBy(asked: readonly Asked[], of: (user: Asked) => string): ReadonlyMap<string, Asked> {
  const first = new Map<string, Asked>()
  for (const user of asked) if (!first.has(of(user))) first.set(of(user), user)
  return first
}

/** What stands in the way of a token that could be read, or of its name. */
function userProblems(tree: Tree, asked: readonly Asked[], secrets: Secrets) {
  const others = [
    ['server.token', secrets.token],
    ['server.metrics_token', secrets.metricsToken],
    ['service.api_key', secrets.apiKey],
  ] as const
  const named = firstBy(asked, (user) => comparable(user.name))
  const withToken = firstBy(asked, (user) => user.value)
  return asked.flatMap((user) => {
    const { at, name, value } = user
    const path = valueAt(tree.value, literalOf(at)) === undefined ? fileOf(at) : literalOf(at)
    const names =
      named.get(comparable(name)) === user
        ? []
        : [
            problemAt(tree, [...at, 'name'], {
              message: `is used twice: ${name}`,
              hint: 'keep one of the two',
            }),
          ]
    if (value === '') return names
    const earlier = withToken.get(value)
    const shared = earlier === user ? others.find(([, other]) => other === value)?.[0] : earlier?.name
    if (shared !== undefined)
      return [...names, problemAt(tree, path, { message: `is the same as that of ${shared}`, hint: CREATE })]
    if (value.length >= SHORTEST) return names
    return [
      ...names,
      problemAt(tree, path, { message: `is shorter than ${SHORTEST} characters`, hint: CREATE }),
    ]
  })
}

function missingProblems(tree: Tree, at: Path) {
  const entry = valueAt(tree.value, at)
  if (!isMapping(entry) || entry['token'] !== undefined || entry['token_file'] !== undefined) return []
  const hint = 'add token_file with the path of a file that holds the token of this user'
  return [problemAt(tree, literalOf(at), { message: 'is missing', hint })]
}

/** A name for the variable of a user's token: `ANNA_TOKEN`. */
const variableFor = (name: string): string =>
  `${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_') || 'USER'}_TOKEN`

/** One for each entry of `server.users`, in order; with problems, what is given for them must not be used. */
export async function readUserTokens(
  tree: Tree,
  options: SecretOptions,
  secrets: Secrets,
): Promise<Omit<FoundSecret, 'value'> & { readonly values: readonly string[] }> {
  const users = valueAt(tree.value, ['server', 'users'])
  const asked: Asked[] = []
  for (const [place, entry] of (Array.isArray(users) ? users : []).entries()) {
    const at: Path = ['server', 'users', place]
    const name = isMapping(entry) && typeof entry['name'] === 'string' ? entry['name'] : ''
    const where = { literal: literalOf(at), file: fileOf(at), use: 'header' } as const
    const found = await optionalSecret(tree, { ...where, variable: variableFor(name) }, options)
    asked.push({ at, name, ...found })
  }
  return {
    values: asked.map(({ value }) => value),
    problems: [
      ...asked.flatMap(({ at, problems }) => [...problems, ...missingProblems(tree, at)]),
      ...userProblems(tree, asked, secrets),
    ],
    warnings: asked.flatMap(({ warnings }) => warnings),
  }
}
