#!/usr/bin/env node
// The process: arguments, exit code, signals; with system.ts the only file that touches it.
// It must load nothing before it knows that this Node can run it: the database driver dies under an older one. Parts of Node
// that only some starts need are loaded by those: a short answer would take twice as long with them.
import { join } from 'node:path'
import type { Io } from './cli/io.ts'

const OLDEST = [22, 22, 2] as const
/** Supervisors kill after ten seconds. */
const LONGEST_END_MS = 9_500
/** What has been said already may still be read for so long after a signal. */
const UNREAD_MS = 1_000
const HANDED_OVER = 'CONTACT_SYNC_HANDED_OVER'

function isTooOld(version: string): boolean {
  const parts = version.split('.').map(Number)
  const index = OLDEST.findIndex((least, place) => parts[place] !== least)
  return index >= 0 && (parts[index] ?? 0) < (OLDEST[index] ?? 0)
}

/** The Node that the installation brought along, if it did. */
async function bundledNode(): Promise<string | undefined> {
  const { createRequire } = await import('node:module')
  const system = process.platform === 'win32' ? 'win' : process.platform
  const binary = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  try {
    return createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/${binary}`)
  } catch {
    return undefined
  }
}

/** With these Node itself writes the headers of requests to standard error, and the key with them. */
const isDebugged = (): boolean => ['NODE_DEBUG', 'NODE_DEBUG_NATIVE'].some((name) => process.env[name])

/** Runs this very command under another Node, or without Node's own debug output: arguments, signals and exit code are passed on. */
async function handOver(node: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  const { constants } = await import('node:os')
  const child = spawn(node, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, NODE_DEBUG: undefined, NODE_DEBUG_NATIVE: undefined, [HANDED_OVER]: '1' },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  )
}

/** Commands that load the program, show a page of text and end. What they make lives as long as they do. */
const SHORT: readonly (string | undefined)[] = ['check', 'status', 'test']

const MIB = 1024 * 1024
const NURSERY_MIB = 8
/** More than enough to make the nursery grow once; each makes 100 kB. */
const MOST_PIECES = 100
const PIECE_OBJECTS = 2000

/**
 * A run streams: nearly all it makes is short-lived. V8 would let nursery and heap grow to many times of what is in use;
 * kept small, the process stays small. With the nursery of 1 MiB that V8 begins with, a run of a batch would copy
 * half of its records several times, for a tenth of its processor time: it grows once, here, and then stays as it is.
 * It grows when enough of what is in it is still in use.
 * In a short command every collection of a small nursery only copies what stays: it grows with the first one.
 */
async function fitHeap(command: string | undefined): Promise<void> {
  const { getHeapSpaceStatistics, setFlagsFromString } = await import('node:v8')
  if (SHORT.includes(command)) return setFlagsFromString('--semi-space-growth-factor=32')
  const isSmall = (): boolean =>
    getHeapSpaceStatistics().some(
      (space) => space.space_name === 'new_space' && space.space_size < NURSERY_MIB * MIB,
    )
  setFlagsFromString(`--semi-space-growth-factor=${NURSERY_MIB}`)
  const inUse: object[] = []
  while (isSmall() && inUse.length < MOST_PIECES)
    inUse.push(Array.from({ length: PIECE_OBJECTS }, (_, index) => ({ index })))
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=100')
  // There is little to copy in so small a nursery: waking other threads for it takes longer.
  setFlagsFromString('--no-parallel-scavenge')
}

/** Node opens a debugger on SIGUSR1, and a client that connects to it sees keys and personal data. */
const refuseDebugger = (): unknown => process.on('SIGUSR1', () => undefined)

/**
 * What was compiled is kept beside the installation and need not be compiled by the next start. Where nothing may be written
 * there, or NODE_COMPILE_CACHE names another place, this does nothing. Loaded late: an older Node does not have it.
 */
async function keepCompiled(): Promise<void> {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/contact-sync'))
}

/** The exit code; undefined where the command line has to be read. */
async function answerQuickly(args: readonly string[]): Promise<number | undefined> {
  const { quickAnswer } = await import('./cli/quick.ts')
  return quickAnswer(args, { stdout: process.stdout, env: process.env, cwd: process.cwd() })
}

async function runCommand(args: readonly string[], outlastReader: () => void): Promise<void> {
  await fitHeap(args[0])
  const { constants } = await import('node:os')
  const ending = new AbortController()
  let endedBy: number | undefined
  let isDone = false
  const end = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void => {
    const code = 128 + constants.signals[signal]
    // The first signal ends in good order; a second one at once, and so does patience that is over.
    if (endedBy !== undefined) process.exit(code)
    endedBy = code
    ending.abort()
    setTimeout(() => process.exit(code), isDone ? UNREAD_MS : LONGEST_END_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal))
  let onHangup = (): void => end('SIGHUP')
  process.on('SIGHUP', () => onHangup())
  // A log that cannot be written is no reason to end.
  process.stderr.on('error', () => undefined)
  const io: Io = {
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    pid: process.pid,
    isTerminal: process.stderr.isTTY,
    get isInteractive() {
      return process.stdin.isTTY && process.stderr.isTTY
    },
    signal: ending.signal,
    outlastReader,
    onHangup: (listener) => {
      onHangup = listener
    },
  }
  // Standard output is for answers alone: what a source module prints must not get between them.
  globalThis.console = new console.Console(process.stderr)
  await keepCompiled()
  const { runCommandLine } = await import('./cli/program.ts')
  const { exitOfUnhandled } = await import('./cli/messages.ts')
  process.on('uncaughtException', (error) => {
    const fault = exitOfUnhandled(error, io)
    if (fault !== undefined) process.exit(fault)
  })
  const code = await runCommandLine(args, io)
  isDone = true
  process.exitCode = endedBy ?? (code === 0 ? (process.exitCode ?? 0) : code)
  // What a source module left running does not keep the process. What was said may still be read, but not for long after a signal:
  // without a reader of the log, Node would wait for one.
  const leave = (): void => {
    if (endedBy !== undefined || process.stdout.writableLength + process.stderr.writableLength === 0)
      process.exit()
    setTimeout(leave, UNREAD_MS).unref()
  }
  setTimeout(leave, UNREAD_MS).unref()
}

/**
 * Node writes to a file once, and takes the part that there was room for for the whole: an answer that a full disk cut off would be
 * told as done. What is left is written, or its error told.
 */
function writeWholly({ stdout }: NodeJS.Process): void {
  const { fstatSync, writeFileSync } = process.getBuiltinModule('node:fs')
  if (!fstatSync(stdout.fd).isFile()) return
  stdout._write = (text: Buffer, _encoding, done) => {
    try {
      writeFileSync(stdout.fd, text)
    } catch (error) {
      return done(error as Error)
    }
    done()
  }
}

/**
 * What becomes of a command whose output cannot be written. One that shows something ends; one that does something has it done
 * first: `run | head -1` runs every pipeline, and ends with what came of it. Gives what a command calls that does something.
 */
function watchOutput(command: string | undefined): () => void {
  let mayEnd = true
  let isReported = false
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A reader that goes away early (`| head`) is no error, except where it is to keep what it reads.
    const exitCode = code === 'EPIPE' && command !== 'target' ? 0 : 1
    if (code !== 'EPIPE' && !isReported)
      process.stderr.write(`standard output cannot be written: ${message}\n`)
    isReported = true
    if (mayEnd) process.exit(exitCode)
    process.exitCode ||= exitCode
  })
  return () => {
    mayEnd = false
  }
}

function hasCurrentFolder(): boolean {
  try {
    process.cwd()
    return true
  } catch {
    return false
  }
}

async function start(args: readonly string[]): Promise<void> {
  if (!hasCurrentFolder()) {
    process.stderr.write('The current folder no longer exists. Change to one that exists, and try again.\n')
    process.exitCode = 2
    return
  }
  writeWholly(process)
  const outlastReader = watchOutput(args[0])
  const code = await answerQuickly(args)
  if (code === undefined) await runCommand(args, outlastReader)
  else process.exitCode = code
}

refuseDebugger()
const older = isTooOld(process.versions.node)
const bundled = older && process.env[HANDED_OVER] === undefined ? await bundledNode() : undefined
if (bundled !== undefined) await handOver(bundled)
else if (older) {
  process.stderr.write(
    `contact-sync needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}. Install Node 24, or run "npm ci" in the checkout, which brings it along.\n`,
  )
  process.exitCode = 2
} else if (isDebugged()) {
  process.stderr.write('NODE_DEBUG is ignored: Node would print the key and the headers of every request.\n')
  await handOver(process.execPath)
} else await start(process.argv.slice(2))
