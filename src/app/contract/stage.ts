// Where a check takes place: a folder, a sandbox for a service, a configuration with the source, and the program.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect, isDeepStrictEqual } from 'node:util'
import { startSandbox } from '../../sandbox/server.ts'
import { nodeProgram, systemClock } from '../../system.ts'
import type { ContractOptions, ContractPerson, ContractSource, OpenContractSource } from './types.ts'

const KEY = 'contract'
const NOT_FOUND = 404
const COMMAND_MS = 60_000

export type Mode = 'full' | 'incremental'
type Person = Omit<ContractPerson, 'changed' | 'id'>

export interface RunCounts extends Readonly<Record<string, unknown>> {
  readonly status: string
}

export interface Stage {
  readonly source: ContractSource
  /** Runs the program; what the run counted. */
  run(mode?: Mode): Promise<RunCounts>
  command(...args: readonly string[]): Promise<{ code: number; stdout: string }>
  /** Kills a run after so many milliseconds; how long it lasted. */
  killedRun(afterMs: number): Promise<number>
  /** Throws where the service does not have exactly one contact for each of these, and none for the others. */
  expectContacts(people: readonly ContractPerson[], others?: readonly ContractPerson[]): Promise<void>
  /** Every file of the folder, and of the source where it has them elsewhere, as text. */
  texts(): Promise<readonly (readonly [name: string, text: string])[]>
}

/** Throws where the two differ. */
export function expectEqual(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return
  throw new Error(`${what}: ${inspect(found)}, and not ${inspect(expected)}`)
}

/** Of the counts of a run those that are expected. */
export function expectCounts(
  what: string,
  counts: RunCounts,
  expected: Readonly<Record<string, unknown>>,
): void {
  const names = Object.keys(expected)
  const problem = typeof counts['error'] === 'string' ? ` (${counts['error']})` : ''
  expectEqual(what + problem, Object.fromEntries(names.map((name) => [name, counts[name]])), expected)
}

/** Beside the bundle, or at the root of the source. */
const ownProgram = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../main.ts' : './main.js', import.meta.url))

const inProcess =
  (program: string): NonNullable<ContractOptions['command']> =>
  (args, folder) =>
    new Promise((resolve) => {
      const options = { cwd: folder, timeout: COMMAND_MS, maxBuffer: 1 << 26 }
      const child = execFile(nodeProgram, [program, ...args], options, (_error, stdout) =>
        resolve({ code: child.exitCode ?? -1, stdout }),
      )
    })

function configuration(url: string, { source, columns = {} }: ContractSource, mode: Mode): string {
  const { id = 'id', ...named } = columns
  const fields = { mail: 'mail', first_name: 'first_name', family_name: 'family_name', phone: 'phone' }
  const deletes =
    mode === 'full' ? { on_missing: 'delete', guards: { max_deletes: '100%', max_deletes_per: 'off' } } : {}
  // JSON is YAML.
  return JSON.stringify({
    service: {
      ...{ base_url: url, api_key: KEY, bulk: { size: 3 } },
      rate_limit: { requests: 500, per: '1s' },
      doubt: { quiesce: '200ms', absent_reads: 1 },
    },
    state: { path: 'state/contract.db' },
    log: { folder: 'logs' },
    pipelines: { people: { source, mode, ...deletes, key: id, map: { ...fields, ...named } } },
  })
}

async function contactsOf(url: string, mail: string): Promise<readonly Person[]> {
  const fields = 'mail,first_name,family_name,phone'
  const answer = await fetch(`${url}/public/api/V1/contact/${encodeURIComponent(mail)}?fields=${fields}`, {
    headers: { authorization: `Bearer ${KEY}` },
  })
  if (answer.status === NOT_FOUND) return []
  const found = (await answer.json()) as readonly Record<keyof Person, string | null>[]
  return found.map((one) => ({
    mail: one.mail ?? '',
    first_name: one.first_name ?? '',
    family_name: one.family_name ?? '',
    phone: one.phone ?? '',
  }))
}

const filesOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

function killed(program: string, { folder, afterMs }: { folder: string; afterMs: number }): Promise<number> {
  const begun = systemClock.monotonic()
  const child = spawn(nodeProgram, [program, 'run', '--config', join(folder, 'sync.yaml')], {
    ...{ cwd: folder, stdio: 'ignore' },
  })
  const ended = new AbortController()
  void systemClock.sleep(afterMs, ended.signal).then(() => child.kill('SIGKILL'))
  return new Promise((resolve) =>
    child.once('close', () => {
      ended.abort()
      resolve(systemClock.monotonic() - begun)
    }),
  )
}

/** Does the work in a temporary folder, and removes it. */
export async function onStage(
  open: OpenContractSource,
  { program = ownProgram(), command = inProcess(program) }: ContractOptions,
  work: (stage: Stage) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'contact-sync-contract-'))
  const sandbox = await startSandbox({ port: 0, apiKey: KEY, clock: systemClock })
  const source = await open(folder)
  const config = join(folder, 'sync.yaml')
  const configure = (mode: Mode) => writeFile(config, configuration(sandbox.url, source, mode))
  const typed = (...args: readonly string[]) => command([...args, '--config', config], folder)
  try {
    await configure('incremental')
    await work({
      source,
      command: typed,
      async run(mode = 'incremental') {
        await configure(mode)
        const { stdout } = await typed('run', '--json')
        const [counts] = (JSON.parse(stdout) as { pipelines: readonly RunCounts[] }).pipelines
        if (counts === undefined) throw new Error('the run did not begin')
        return counts
      },
      killedRun: (afterMs) => killed(program, { folder, afterMs }),
      async expectContacts(people, others = []) {
        const all = await Promise.all([...people, ...others].map(({ mail }) => contactsOf(sandbox.url, mail)))
        const expected = people.map(({ mail, first_name, family_name, phone }) => [
          { mail, first_name, family_name, phone },
        ])
        expectEqual('contacts at the service', all, [...expected, ...others.map(() => [])])
      },
      async texts() {
        const files = (await filesOf(folder)).filter((file) => !file.startsWith(config))
        const text = source.plainText ?? ((_: string, bytes: Uint8Array) => Buffer.from(bytes).toString())
        const here = files.map(async (file) => [file, text(file, await readFile(file))] as const)
        return [...(await Promise.all(here)), ...(source.filesElsewhere?.() ?? [])]
      },
    })
  } finally {
    await source.close?.()
    await sandbox.close()
    await rm(folder, { recursive: true, force: true })
  }
}
