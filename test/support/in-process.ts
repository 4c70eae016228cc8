// Commands run in this process, in a folder of their own: quicker than a process each, with the same files and the same
// standard output. The service is a sandbox where one is given.
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { runCommandLine } from '../../src/cli/program.ts'

export interface Told {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Place {
  readonly folder: string
  path(...names: string[]): string
  write(name: string, text: string): Promise<void>
  cli(...args: string[]): Promise<Told>
  /** As at a terminal, with an answer a line. */
  cliAnswering(answers: readonly string[], ...args: string[]): Promise<Told>
  /** As at a terminal, where Ctrl-C is typed at the first question. */
  cliInterrupted(...args: string[]): Promise<Told>
  /** What the command prints with `--json`. */
  json(...args: string[]): Promise<Record<string, unknown>>
  close(): Promise<void>
}

async function textOf(stream: PassThrough): Promise<string> {
  const parts: Buffer[] = []
  stream.on('data', (part: Buffer) => parts.push(part))
  await once(stream, 'end')
  return Buffer.concat(parts).toString()
}

/** `env`: all that the command finds of an environment. `--config config.yaml` is added. */
export async function openPlace(env: Readonly<Record<string, string>> = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'place-'))
  const path = (...names: string[]): string => join(folder, ...names)
  const place: Place = {
    folder,
    path,
    async write(name, text) {
      await mkdir(dirname(path(name)), { recursive: true })
      await writeFile(path(name), text)
    },
    cli: (...args) => started(args),
    cliAnswering: (answers, ...args) => started(args, answers),
    cliInterrupted: (...args) => started(args, ['\u0003'], { isTTY: true }),
    json: async (...args) => JSON.parse((await place.cli(...args, '--json')).stdout) as never,
    close: () => rm(folder, { recursive: true }),
  }
  async function started(
    args: readonly string[],
    answers?: readonly string[],
    screen: { readonly isTTY?: boolean } = {},
  ): Promise<Told> {
    const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), screen)]
    const texts = Promise.all([textOf(stdout), textOf(stderr)])
    const code = await runCommandLine([...args, '--config', path('config.yaml')], {
      ...{ stdin: Readable.from((answers ?? []).map((line) => `${line}\n`)), stdout, stderr },
      ...{ env, cwd: folder, pid: process.pid, isTerminal: false, isInteractive: answers !== undefined },
      signal: new AbortController().signal,
      onHangup: () => undefined,
      outlastReader: () => undefined,
    })
    stdout.end()
    stderr.end()
    const [out, error] = await texts
    return { code, stdout: out, stderr: error }
  }
  return place
}
