// `init`: looks at sample files and proposes a configuration. It asks at a terminal where it is not sure, writes the file and
// the schema for editors beside it, and ends with the plan of the samples where the service can be asked.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { configurationSchema } from '../../app/config-schema.ts'
import { proposeFrom } from '../../app/init/proposing.ts'
import { proposedSettings, tryMapping } from '../../app/init/trying.ts'
import { configurationText, EDITOR_SCHEMA } from '../../app/init/written.ts'
import { FULL_ADDRESS_FIELDS } from '../../core/mapping/contact.ts'
import { type Proposal, sureFields } from '../../core/proposal/proposal.ts'
import type { Settings } from '../../core/settings.ts'
import { ERRORS, SyncError } from '../../core/words/errors.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { configFile } from '../config-file.ts'
import { confirm } from '../confirm.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { proposalJson } from './init-json.ts'
import { planLines } from './init-plan.ts'
import { proposalLines, triedLines } from './init-text.ts'
import { askAll } from './questions.ts'

interface InitOptions extends CommonOptions {
  readonly pipeline?: string
  readonly output?: string
  readonly yes?: boolean
}

/** Writes to standard output. */
const STDOUT = '-'
const VARIABLES = ['CONTACT_SYNC_BASE_URL', 'CONTACT_SYNC_API_KEY'] as const
/** Stands in for a variable that is not set while the proposal is tried: no request is sent with it. */
const STAND_INS = { CONTACT_SYNC_BASE_URL: 'https://contacts.example', CONTACT_SYNC_API_KEY: 'not-set' }

const PIPELINE_NAME = /^[A-Za-z0-9_-]{1,64}$/

function pipelineName(
  { pipeline }: InitOptions,
  { known }: Proposal,
  [file = '']: readonly string[],
): string {
  const name = basename(file, extname(file))
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64)
  const chosen = pipeline ?? known?.preset ?? (name === '' ? 'people' : name)
  if (PIPELINE_NAME.test(chosen)) return chosen
  throw new SyncError('USAGE', `${JSON.stringify(chosen)} is not a name for a pipeline`, {
    hint: 'Use up to 64 letters, digits, - and _.',
  })
}

/** An output that is there is replaced only after a question. */
async function assertWritable(io: Io, output: string, { yes = false }: InitOptions): Promise<void> {
  if (output === STDOUT || !existsSync(output)) return
  if (yes || !io.isInteractive)
    throw new SyncError(
      'USAGE',
      `${output} exists already; init replaces a configuration only when confirmed`,
      {
        hint: 'Name another file with --output, or - for standard output, and copy the pipeline from there.',
      },
    )
  await confirm(io, `${output} exists already. Replace it?`, false)
}

function assertUsable(proposal: Proposal): void {
  const fields = sureFields(proposal)
  const hint =
    'See what was found with --json. Have the missing columns exported, too, or write the configuration by hand.'
  if (!fields.has('mail') && !fields.has('key'))
    throw new SyncError(
      'USAGE',
      'no column identifies records: neither e-mail addresses nor an identifier were found',
      { hint },
    )
  if (!fields.has('mail') && !FULL_ADDRESS_FIELDS.every((field) => fields.has(field)))
    throw new SyncError(
      'USAGE',
      'the service accepts no contact without an e-mail address, or a name with a complete postal address; neither was found',
      { hint },
    )
}

interface Written {
  readonly file: string
  readonly text: string
  readonly settings: Settings
}

/** Writes a file that is no secret: the daemon may run as another user. */
async function writeText(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new SyncError('USAGE', `${path} cannot be written (${code})`, {
      hint: 'Name a file with --output in a folder that this user can write to.',
      cause: error,
    })
  }
}

async function writeBoth(io: Io, { file, text }: Written): Promise<void> {
  if (file === STDOUT) {
    io.stdout.write(text)
    return
  }
  await writeText(file, text)
  const schema = `${JSON.stringify(await configurationSchema(), undefined, 2)}\n`
  await writeText(join(dirname(file), EDITOR_SCHEMA), schema)
}

/** What is to be done next, and the plan where the service can be asked. */
async function lastLines(io: Io, { file, settings }: Written, files: readonly string[]): Promise<void> {
  const missing = VARIABLES.filter((name) => (io.env[name] ?? '') === '')
  const [pipeline] = settings.pipelines
  const folder = String(pipeline?.source['folder'])
  const check = `contact-sync check --config ${relative(io.cwd, file)}`
  print(io, [
    '',
    `Written: ${relative(io.cwd, file)}. Read it, then put an export into ${relative(io.cwd, folder)}, and: ${check}`,
  ])
  if (missing.length > 0 || pipeline === undefined)
    print(
      io,
      `For a plan of the samples set ${missing.join(' and ')} and run init again, or contact-sync plan.`,
    )
  else await planLines(io, settings, { pipeline, files })
}

/** Undefined where nothing is written: standard output holds the JSON alone. */
function outputOf(io: Io, options: InitOptions): string | undefined {
  if (options.output === STDOUT) return options.json === true ? undefined : STDOUT
  if (options.output !== undefined) return resolve(io.cwd, options.output)
  return options.json === true ? undefined : configFile(io, options)
}

/** A sample that cannot be read is a mistake of the command line: there is no run that it could belong to. */
function refusedSample(error: unknown): never {
  if (!(error instanceof SyncError) || ERRORS[error.code].class !== 'input') throw error
  const isMissing = error.message.includes('ENOENT')
  throw new SyncError('USAGE', `${error.message} (${error.code})`, {
    hint: isMissing ? 'Name a sample that is there.' : error.hint,
  })
}

export async function init(io: Io, options: InitOptions, names: readonly string[]): Promise<number> {
  const files = names.map((name) => resolve(io.cwd, name))
  const isAsking = options.yes !== true && options.json !== true
  if (isAsking && !io.isInteractive)
    throw new SyncError('USAGE', 'no confirmation possible: standard input is not a terminal', {
      hint: '--yes accepts only certain guesses; with --json the proposal is printed and nothing is written.',
    })
  const output = outputOf(io, options)
  if (output !== undefined) await assertWritable(io, output, options)
  const found = await proposeFrom(files).catch(refusedSample)
  if (options.json === true) printJson(io, proposalJson(found))
  if (output === undefined) return EXIT.done
  const isPlain = options.json !== true && output !== STDOUT
  if (isPlain) print(io, proposalLines(found))
  const proposal = isAsking ? await askAll(io, found) : found
  assertUsable(proposal)
  const name = pipelineName(options, proposal, files)
  const file = output === STDOUT ? resolve(io.cwd, 'config/contact-sync.yaml') : output
  const text = configurationText(proposal, {
    cwd: io.cwd,
    folder: dirname(file),
    pipeline: name,
    samples: files,
  })
  const set = Object.fromEntries(
    VARIABLES.map((variable) => [
      variable,
      (io.env[variable] ?? '') === '' ? STAND_INS[variable] : io.env[variable],
    ]),
  )
  const settings = await proposedSettings(file, text, { ...io.env, ...set })
  const [pipeline] = settings.pipelines
  if (isPlain && pipeline !== undefined) print(io, ['', ...triedLines(await tryMapping(pipeline, files))])
  await writeBoth(io, { file: output, text, settings })
  if (isPlain) await lastLines(io, { file: output, text, settings }, files)
  return EXIT.done
}
