// Many series, two at a time, each with a seed of its own and each held against an undisturbed one. Stops at the first
// that ends wrong and prints the command that plays it again.
import { isDeepStrictEqual } from 'node:util'
import type { Program } from '../support/cli.ts'
import { type Seeded, seeded } from '../support/seeded.ts'
import { type End, playSeries, type Series, type Story } from './series.ts'
import type { Check } from './workplace.ts'

const PEOPLE = 16
const AT_ONCE = 2

export interface Campaign {
  readonly seed: number
  readonly program: Program
  /** The command that plays the series of this seed again. */
  replay(seed: number): string
  disturb(
    workplace: Parameters<NonNullable<Series['disturb']>>[0],
    random: Seeded,
  ): ReturnType<NonNullable<Series['disturb']>>
  isEnough(stories: readonly Story[]): boolean
  print(line: string): void
}

interface Result {
  readonly seed: number
  readonly check: Check
  readonly story: Story | undefined
  /** What is wrong; undefined where all is well. */
  readonly problem: string | undefined
}

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

async function playDisturbed(campaign: Campaign, seed: number, right: End): Promise<Result> {
  const check = checkOf(seed)
  const random = seeded(seed)
  try {
    const story = await playSeries({
      check,
      people: PEOPLE,
      options: { program: campaign.program },
      disturb: (workplace) => campaign.disturb(workplace, random),
    })
    return { seed, check, story, problem: differences(story.end, right) }
  } catch (error) {
    return { seed, check, story: undefined, problem: error instanceof Error ? error.message : String(error) }
  }
}

function lineOf({ seed, check, story, problem }: Result): string {
  const { kills = 0, rounds = 0 } = story ?? {}
  return `seed ${seed}, check ${check}: ${rounds} processes, ${kills} of them killed, ${problem ?? 'ends right'}`
}

/** The stories of all series, and the seeds of those that ended wrong. `right`: how an undisturbed series ends. */
export async function playCampaign(
  campaign: Campaign,
  right: Readonly<Record<Check, End>>,
): Promise<{ stories: Story[]; wrong: number[] }> {
  const results: Result[] = []
  let nextSeed = campaign.seed
  const stories = (): Story[] => results.flatMap(({ story }) => story ?? [])
  const wrong = (): number[] =>
    results.filter(({ problem }) => problem !== undefined).map((result) => result.seed)
  const work = async (): Promise<void> => {
    while (wrong().length === 0 && !campaign.isEnough(stories())) {
      const seed = nextSeed++
      const result = await playDisturbed(campaign, seed, right[checkOf(seed)])
      results.push(result)
      campaign.print(lineOf(result))
      if (result.problem !== undefined) campaign.print(`again: ${campaign.replay(seed)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { stories: stories(), wrong: wrong() }
}

/** How both kinds of series end undisturbed, under the program as it is. */
export async function rightEnds(program: Program): Promise<Record<Check, End>> {
  const end = async (check: Check): Promise<End> =>
    (await playSeries({ check, people: PEOPLE, options: { program } })).end
  return { email: await end('email'), none: await end('none') }
}

/** How often each fault was met, over all stories. */
export function allMet(stories: readonly Story[]): Record<string, number> {
  const all: Record<string, number> = {}
  for (const { met } of stories)
    for (const [name, count] of Object.entries(met)) all[name] = (all[name] ?? 0) + count
  return all
}
