// A command of one account, done for several: one after the other, each as if the others were not there. Texts come below the name
// of the account; JSON documents are joined into one.
import { EXIT } from '../../core/words/exit-codes.ts'
import { SyncError } from '../../core/words/errors.ts'
import { type RunStatus, worstStatus } from '../../core/outcome/summary.ts'
import type { Settings } from '../../core/settings.ts'
import { shareConnections } from '../../app/sharing-connections.ts'
import type { SeveralAccounts } from './chosen.ts'
import { captured } from '../captured.ts'
import type { CommandCall } from '../command-table/entry.ts'
import { type Io, print, printError, printJson } from '../io.ts'
import { errorMessage, Interrupted } from '../messages.ts'

/** Worse ones first. */
const WORST: readonly number[] = [
  EXIT.terminated,
  EXIT.interrupted,
  EXIT.fault,
  EXIT.locked,
  EXIT.noService,
  EXIT.refused,
  EXIT.held,
  EXIT.partial,
]

/** The arguments that name pipelines. */
function namedPipelines({ entry, names }: CommandCall): readonly string[] {
  const form = entry.arguments ?? ''
  if (form.startsWith('[PIPELINE')) return names
  return form.startsWith('<PIPELINE>') ? names.slice(0, 1) : []
}

const has = ({ pipelines }: Settings, name: string): boolean => pipelines.some((one) => one.name === name)

/** The accounts that the command is about, with the arguments for each. Throws USAGE, or the error where one has to be named. */
function shares(
  call: CommandCall,
  several: SeveralAccounts,
): readonly (readonly [Settings, readonly string[]])[] {
  const { entry, options, names } = call
  const { accounts, broken } = several
  const pipelines = namedPipelines(call)
  const unknown = pipelines.filter((name) => !accounts.some((one) => has(one, name)))
  if (unknown.length > 0)
    throw new SyncError('USAGE', `there is no pipeline ${unknown.join(', ')}`, {
      hint: `Pipelines: ${accounts.flatMap((one) => one.pipelines.map(({ name }) => name)).join(', ')}`,
    })
  const concerned = accounts.filter((one) => pipelines.some((name) => has(one, name)))
  const isWhole = entry.arguments?.startsWith('<PIPELINE>') === true
  if (isWhole || concerned.length === 1) return concerned.map((one) => [one, names] as const)
  // Where the others are broken it is clear which one is meant.
  const [first, ...others] = accounts
  if (others.length === 0 && broken.length > 0) return [[first, names]]
  const needsOne =
    entry.accounts === undefined || (entry.singleWith ?? []).some((name) => Object.hasOwn(options, name))
  if (needsOne) throw several
  if (pipelines.length > 0)
    return concerned.map((one) => [one, names.filter((name) => has(one, name))] as const)
  return accounts.filter((one) => one.pipelines.length > 0).map((one) => [one, names] as const)
}

/** Standard output that begins with the account's name, if anything comes. */
function below(account: string, io: Io): Io {
  let isNamed = false
  const write = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (!isNamed) print(io, `account ${account}:`)
    isNamed = true
    return (io.stdout.write as (...args: unknown[]) => boolean).call(io.stdout, chunk, ...rest)
  }
  const stdout = new Proxy(io.stdout, {
    get(target, name): unknown {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { ...io, stdout }
}

type Document = Readonly<Record<string, unknown>>
type OfAccount = readonly [account: string, document: Document]

const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lists follow one another, and their members say which account they are of; all else stands below `accounts`. */
function joinedDocuments(documents: readonly OfAccount[]): Document {
  const keys = [...new Set(documents.flatMap(([, document]) => Object.keys(document)))]
  const lists = keys.filter((key) =>
    documents.every(([, one]) => one[key] === undefined || Array.isArray(one[key])),
  )
  const joined = lists.map((key) => [
    key,
    documents.flatMap(([account, document]) =>
      ((document[key] ?? []) as unknown[]).map((member) =>
        isObject(member) ? { account, ...member } : member,
      ),
    ),
  ])
  const statuses = documents.flatMap(([, { status }]) =>
    typeof status === 'string' ? [status as RunStatus] : [],
  )
  const answers = documents.flatMap(([, { ok }]) => (typeof ok === 'boolean' ? [ok] : []))
  const rest = documents.map(([account, document]) => [
    account,
    Object.fromEntries(Object.entries(document).filter(([key]) => !lists.includes(key))),
  ])
  return {
    ...(statuses.length > 0 ? { status: worstStatus(statuses) } : {}),
    ...(answers.length > 0 ? { ok: answers.every(Boolean) } : {}),
    ...(Object.fromEntries(joined) as Document),
    accounts: Object.fromEntries(rest) as Document,
  }
}

interface Answer {
  readonly account: string
  /** Undefined where the command ended by an error. */
  readonly code: number | undefined
  readonly error: unknown
  /** With `--json`, of several. */
  readonly document: Document | undefined
}

const TOO_LONG = new SyncError(
  'USAGE',
  'the document is too long to be joined with those of other accounts',
  {
    hint: 'Ask for one account: --account NAME.',
  },
)

async function answerOf(
  account: string,
  io: Io,
  { isJoined, act }: { isJoined: boolean; act: (io: Io) => Promise<number> },
): Promise<Answer> {
  const output = captured()
  try {
    const code = await act(isJoined ? { ...io, stdout: output.stream } : io)
    const text = output.text()
    if (text === undefined) throw TOO_LONG
    const document = text.trim() === '' ? undefined : (JSON.parse(text) as Document)
    return { account, code, error: undefined, document }
  } catch (error) {
    return { account, code: undefined, error, document: undefined }
  }
}

/** What is not known in one account may be known in another. */
const isUnknownHere = ({ code, error }: Answer): boolean =>
  code === undefined &&
  error instanceof SyncError &&
  error.code === 'USAGE' &&
  !(error instanceof Interrupted)

/** Prints the error, if it ended by one; gives its exit code. */
function endOf({ account, code, error }: Answer, io: Io): number {
  if (code !== undefined) return code
  const { lines, exitCode } = errorMessage(error)
  printError(
    io,
    lines.map((line) => `account ${account}: ${line}`),
  )
  return exitCode
}

/** Gives the worst exit code. What ends the command in one account does not keep it from the others. */
export async function overAccounts(several: SeveralAccounts, call: CommandCall): Promise<number> {
  const { entry, io, options, tree } = call
  const parts = shares(call, several)
  const action = await entry.load()
  const act = (settings: Settings, names: readonly string[]) => async (own: Io) =>
    action(own, { ...options, account: settings.account, settings } as never, [...names], tree)
  const [only, ...others] = parts
  if (only !== undefined && others.length === 0 && several.broken.length === 0) return act(...only)(io)
  const isJoined = options.json === true
  const answers: Answer[] = []
  const { sharing, close } = shareConnections()
  for (const [settings, names] of parts) {
    if (io.signal.aborted) break
    const { account } = settings
    const own = isJoined || parts.length === 1 ? io : below(account, io)
    const answer = await answerOf(account, own, { isJoined, act: act(sharing(settings), names) })
    answers.push(answer)
    if (answer.error instanceof Interrupted) break
  }
  close()
  const known = entry.accounts === 'found' ? answers.filter((one) => !isUnknownHere(one)) : answers
  const meant = known.length === 0 ? answers : known
  const isAboutAll = entry.accounts === 'each' && namedPipelines(call).length === 0
  const broken = isAboutAll ? several.broken : []
  const codes = [...meant.map((one) => endOf(one, io)), ...broken.map(() => EXIT.refused)]
  const documents = meant.flatMap(({ account, document }): OfAccount[] =>
    document === undefined ? [] : [[account, document]],
  )
  const [first] = documents
  const isAlone = documents.length === 1 && (entry.accounts !== 'each' || parts.length === 1)
  if (first !== undefined)
    printJson(io, {
      ...(isAlone ? first[1] : joinedDocuments(documents)),
      ...(broken.length > 0 ? { broken } : {}),
    })
  return WORST.find((code) => codes.includes(code)) ?? EXIT.done
}
