// npm run simulate:mutants [-- --seeds 600] [--only TEXT] [--fleet]: puts one bug after the other into a copy of the program, and plays seeds in it
// until one ends badly. Ends with 1 when a bug is not noticed, or its change does not apply any more.
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FLEET_MUTANTS } from './fleet/mutants.ts'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    only: { type: 'string', default: '' },
    fleet: { type: 'boolean', default: false },
  },
})

/** A course of the fleet costs as much as a hundred others. */
const SEEDS = values.seeds ?? (values.fleet ? '40' : '600')

/** A copy of the program and of the simulation, with the packages of this one. */
async function copyProgram(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mutant-'))
  await cp(join(ROOT, 'src'), join(folder, 'src'), { recursive: true })
  await cp(join(ROOT, 'test/simulation'), join(folder, 'test/simulation'), { recursive: true })
  await cp(join(ROOT, 'test/support'), join(folder, 'test/support'), { recursive: true })
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Takes the change back. */
async function restore(folder: string, { edits }: Mutant): Promise<void> {
  for (const { file } of edits) await cp(join(ROOT, 'src', file), join(folder, 'src', file))
}

/** Applies the change; says what does not fit. */
async function mutate(folder: string, { edits }: Mutant): Promise<string | undefined> {
  for (const { file, find, put, times = 1 } of edits) {
    const path = join(folder, 'src', file)
    const parts = (await readFile(path, 'utf8')).split(find)
    if (parts.length - 1 !== times)
      return `${file}: ${JSON.stringify(find.slice(0, 60))} is there ${parts.length - 1} times`
    await writeFile(path, parts.join(put))
  }
  return undefined
}

interface Find {
  readonly seed: number
  readonly oracle: string
  readonly text: string
}

/** `seeds`: how many are played behind the one that is named. */
async function hunt(
  folder: string,
  { seed, kind }: { readonly seed: number; readonly kind?: Mutant['kind'] | undefined },
  seeds = SEEDS,
): Promise<Find | null> {
  const script = values.fleet ? 'test/simulation/fleet/hunt.ts' : 'test/simulation/hunt.ts'
  const args = [script, seeds, String(seed), kind ?? '']
  // Of a program but one of its files nothing is compiled a second time.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const child = spawn(process.execPath, args, { cwd: folder, env })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  await new Promise((done) => child.once('close', done))
  try {
    return JSON.parse(stdout) as Find | null
  } catch {
    // A program that cannot even live is noticed by everybody.
    return { seed: 0, oracle: 'ended', text: stderr.trim().split('\n')[0] ?? '' }
  }
}

async function judge(mutant: Mutant, folder: string): Promise<{ line: string; isCaught: boolean }> {
  try {
    const misfit = await mutate(folder, mutant)
    if (misfit !== undefined) return { line: `does not apply: ${misfit}`, isCaught: false }
    const found = await hunt(folder, mutant)
    if (found === null) return { line: `NOT NOTICED in ${SEEDS} seeds`, isCaught: false }
    const what = `${found.oracle}: ${found.text.split('\n')[0]?.slice(0, 100) ?? ''}`
    // A change that makes the program break at its first step shows nothing of the simulation.
    if (found.seed === 0) return { line: `does not live: ${what}`, isCaught: false }
    await restore(folder, mutant)
    const { kind } = mutant
    const isBadAnyway = (await hunt(folder, { seed: found.seed, kind }, '0')) !== null
    return isBadAnyway
      ? { line: `seed ${found.seed} ends badly without it, too`, isCaught: false }
      : { line: `seed ${found.seed}, ${what}`, isCaught: true }
  } finally {
    await restore(folder, mutant)
  }
}

const chosen = (values.fleet ? FLEET_MUTANTS : MUTANTS).filter(({ bug }) => bug.includes(values.only))
const waiting = [...chosen]
let caught = 0
const started = performance.now()
const worker = async (): Promise<void> => {
  const folder = await copyProgram()
  try {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { line, isCaught } = await judge(mutant, folder)
      if (isCaught) caught += 1
      process.stdout.write(`${isCaught ? '  ' : '! '}${mutant.bug}: ${line}\n`)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker))
const seconds = Math.round((performance.now() - started) / 1000)
process.stdout.write(`${caught} of ${chosen.length} bugs noticed, ${seconds} s\n`)
process.exitCode = caught === chosen.length ? 0 : 1
