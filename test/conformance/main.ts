// `npm run conformance -- --base-url URL`, with the options below: holds a service against its interface. Exit codes: 0 all holds, 2 usage, 3 something does not hold, 5 not reached or key refused.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createClient, Unreachable } from './client.ts'
import { reportText } from './report.ts'
import { CASES, type Verdict, verdictOn } from './suite.ts'
import { createWorld, MANY, type World } from './world.ts'

const USAGE = `npm run conformance -- --base-url URL [--api-key-file FILE] [--rate N] [--many N]
                              [--choices FIELD=A,B]... [--json]
  --base-url      the service's address, without /public/api
  --api-key-file  a file that holds the key; CONTACT_SYNC_API_KEY without it
  --rate          requests per second, 5 without it; 0 for no limit
  --many          how many terms and contacts the cases on pages make (60); 501 shows whole pages
  --choices       FIELD=A,B: values that a custom field of a selection allows; once for each such field
  --json          one JSON document instead of the table
It makes contacts and terms named conformance-..., and deletes the contacts again. Terms cannot be deleted: they stay,
those of the cases on pages (conformance-page-1 ...) for the next run, too.
`

class Usage extends Error {}

interface Settings {
  readonly baseUrl: string
  readonly apiKey: string
  readonly rate: number
  readonly json: boolean
  readonly many: number
  readonly choices: ReadonlyMap<string, readonly string[]>
}

function keyFrom(file: string | undefined): string {
  if (file === undefined) return process.env['CONTACT_SYNC_API_KEY'] ?? ''
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new Usage(`The key file ${file} cannot be read.`)
  }
}

const OPTIONS = {
  'base-url': { type: 'string' },
  'api-key-file': { type: 'string' },
  rate: { type: 'string', default: '5' },
  many: { type: 'string', default: String(MANY) },
  choices: { type: 'string', multiple: true, default: [] as string[] },
  json: { type: 'boolean', default: false },
} as const

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, strict: true }).values
  } catch (error) {
    throw new Usage((error as Error).message)
  }
}

function choicesIn(texts: readonly string[]): Map<string, string[]> {
  return new Map(
    texts.map((text) => {
      const [name = '', ...values] = text.split(/[=,]/).map((part) => part.trim())
      if (name === '' || values.length === 0 || values.includes(''))
        throw new Usage(`--choices ${text}: write FIELD=A,B.`)
      return [name, values]
    }),
  )
}

function settingsFrom(args: string[]): Settings {
  const values = parsed(args)
  const baseUrl = values['base-url'] ?? ''
  const rate = Number(values.rate)
  const apiKey = keyFrom(values['api-key-file'])
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl))
    throw new Usage('--base-url must be an http(s) address.')
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new Usage('The key goes over https only; http is for loopback hosts.')
  if (!(rate >= 0)) throw new Usage('--rate must be a number of requests per second.')
  if (apiKey === '') throw new Usage('There is no key: name --api-key-file, or set CONTACT_SYNC_API_KEY.')
  const many = Number(values.many)
  if (!Number.isInteger(many) || many < 5 || many > 2000)
    throw new Usage('--many must be a number from 5 to 2000.')
  return { baseUrl, apiKey, rate, json: values.json, many, choices: choicesIn(values.choices) }
}

/** The verdicts so far, also where an interrupt ends the run early. */
async function judge(world: World, onVerdict: (count: number) => void): Promise<Verdict[]> {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  const verdicts: Verdict[] = []
  for (const one of CASES) {
    if (interrupted.signal.aborted) break
    verdicts.push(await verdictOn(one, world))
    onVerdict(verdicts.length)
  }
  return verdicts
}

async function run({ baseUrl, apiKey, rate, json, many, choices }: Settings): Promise<number> {
  const client = createClient({ baseUrl, apiKey, rate })
  const hello = await client.call('GET', '/terms?limit=1')
  if (hello.status === 401 || hello.status === 403)
    throw new Unreachable(`the key was refused with ${hello.status}`)
  const world = createWorld(client, baseUrl, { many, choices })
  process.stderr.write(`Everything made carries the token ${world.token}.\n`)
  const showProgress = (count: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${count} of ${CASES.length}`)
  }
  try {
    const verdicts = await judge(world, showProgress)
    const isWhole =
      verdicts.length === CASES.length && verdicts.every(({ verdict }) => verdict !== 'does not hold')
    process.stdout.write(
      json ? `${JSON.stringify({ base_url: baseUrl, verdicts }, null, 2)}\n` : reportText(verdicts),
    )
    return isWhole ? 0 : 3
  } finally {
    const { deleted, left, terms } = await world.tidy()
    process.stderr.write(
      `Deleted ${deleted} contacts made here, ${left} are left. ${terms} terms named conformance-${world.token}-... stay: terms cannot be deleted.\n`,
    )
  }
}

try {
  process.exitCode = await run(settingsFrom(process.argv.slice(2)))
} catch (error) {
  if (error instanceof Usage) process.stderr.write(`${error.message}\n\n${USAGE}`)
  else if (error instanceof Unreachable)
    process.stderr.write(`The service cannot be examined: ${error.message}\n`)
  else throw error
  process.exitCode = error instanceof Usage ? 2 : 5
}
