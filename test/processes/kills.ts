// npm run kills -- [--kills 300] [--seed 1]: kills processes at points drawn from a seed, in series that must end as an
// undisturbed one does. Ends with 1 and the command that plays a failed series again; what the machine's own
// scheduling adds to a series does not come again with the seed.
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { seeded } from '../support/seeded.ts'
import { killAnywhere } from './kill-points.ts'
import { type End, playSeries, type Series, type Story } from './series.ts'
import type { Check } from './workplace.ts'

const PEOPLE = 16
const AT_ONCE = 2
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

interface Result {
  readonly seed: number
  readonly check: Check
  readonly story: Story | undefined
  /** What is wrong; undefined where all is well. */
  readonly problem: string | undefined
}

const series = (check: Check): Series => ({
  check,
  people: PEOPLE,
  options: { program: [process.execPath, MAIN] },
})

const checkOf = (seed: number): Check => (seed % 2 === 0 ? 'none' : 'email')

/** Every text of a value, with where it stands: short enough to be read when few of them differ. */
function leaves(value: unknown, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => leaves(item, place))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => leaves(item, `${place} ${name}`))
  return [`${place}: ${JSON.stringify(value)}`]
}

/** What is too much and what is missing; undefined where the two are the same. */
function differences(end: End, right: End): string | undefined {
  if (isDeepStrictEqual(end, right)) return undefined
  const [is, should] = [leaves(end, ''), leaves(right, '')]
  const count = (all: readonly string[], leaf: string): number => all.filter((one) => one === leaf).length
  const beyond = (some: readonly string[], others: readonly string[]): string[] =>
    some.filter((leaf) => count(some, leaf) > count(others, leaf))
  return [
    'ends wrong',
    ...beyond(is, should).map((leaf) => `  too much${leaf}`),
    ...beyond(should, is).map((leaf) => `  missing${leaf}`),
  ].join('\n')
}

async function playKilled(seed: number, right: End, places: Record<string, number>): Promise<Result> {
  const check = checkOf(seed)
  const random = seeded(seed)
  const planned = (place: string): void => void (places[place] = (places[place] ?? 0) + 1)
  try {
    const story = await playSeries({
      ...series(check),
      disturb: (workplace) => killAnywhere(workplace, random, planned),
    })
    return { seed, check, story, problem: differences(story.end, right) }
  } catch (error) {
    return { seed, check, story: undefined, problem: error instanceof Error ? error.message : String(error) }
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

function report({ seed, check, story, problem }: Result): void {
  const { kills = 0, rounds = 0 } = story ?? {}
  print(`seed ${seed}, check ${check}: ${kills} of ${rounds} processes killed, ${problem ?? 'ends right'}`)
  if (problem !== undefined) print(`again: npm run kills -- --kills 1 --seed ${seed}`)
}

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
})
const wanted = Number(values.kills)
let nextSeed = Number(values.seed)
const started = performance.now()
const right = {
  email: (await playSeries(series('email'))).end,
  none: (await playSeries(series('none'))).end,
}
const places: Record<string, number> = {}
const results: Result[] = []
const killed = (): number => results.reduce((sum, { story }) => sum + (story?.kills ?? 0), 0)

async function work(): Promise<void> {
  while (killed() < wanted && results.every(({ problem }) => problem === undefined)) {
    const seed = nextSeed++
    const result = await playKilled(seed, right[checkOf(seed)], places)
    results.push(result)
    report(result)
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work))
const failed = results.filter(({ problem }) => problem !== undefined)
const seconds = Math.round((performance.now() - started) / 1000)
print(`${killed()} kills in ${results.length} series, ${failed.length} of them ended wrong, ${seconds} s`)
print(`processes meant to end at: ${JSON.stringify(places)}`)
process.exitCode = failed.length === 0 ? 0 : 1
