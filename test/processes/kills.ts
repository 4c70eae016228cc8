// npm run kills -- [--kills 300] [--series 6] [--seed 1]: first processes that are killed at points drawn from a seed,
// then a line that disturbs half of all writes, with kills among them; every series must end as an undisturbed one.
// What the machine's own scheduling adds to a series does not come again with the seed.
// With --faulty [--programs 2]: the same over (the first two of) programs that break one promise each, and every one of them must
// be noticed.
import { parseArgs } from 'node:util'
import { MAIN, type Program } from '../support/cli.ts'
import { allMet, type Campaign, playCampaign, rightEnds } from './campaign.ts'
import { FAULTY_PROGRAMS, type FaultyProgram } from './faulty-programs.ts'
import { killAnywhere } from './kill-points.ts'
import { mutant } from './mutant.ts'
import { halfOfWrites, mostDeletesLost, withKills } from './script.ts'
import type { Story } from './series.ts'

type RightEnds = Parameters<typeof playCampaign>[1]

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    series: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    faulty: { type: 'boolean', default: false },
    programs: { type: 'string', default: String(FAULTY_PROGRAMS.length) },
  },
})
/** A faulty program that got through so many series has got through. */
const FAULTY_SERIES = 12
const seed = Number(values.seed)
const built: Program = [process.execPath, MAIN]
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const killed = (stories: readonly Story[]): number => stories.reduce((sum, { kills }) => sum + kills, 0)

type Enough = Campaign['isEnough']

const kills = (program: Program, isEnough: Enough): Campaign => ({
  seed,
  program,
  print,
  replay: (one) => `npm run kills -- --kills 1 --series 0 --seed ${one}`,
  disturb: killAnywhere,
  isEnough,
})

const disturbed = (program: Program, isEnough: Enough): Campaign => ({
  seed,
  program,
  print,
  replay: (one) => `npm run kills -- --kills 0 --series 1 --seed ${one}`,
  disturb(workplace, random) {
    workplace.script = withKills(random, halfOfWrites(random))
    return {}
  },
  isEnough,
})

const lostDeletes = (program: Program, isEnough: Enough): Campaign => ({
  ...disturbed(program, isEnough),
  disturb(workplace, random) {
    workplace.script = withKills(random, mostDeletesLost(random, halfOfWrites(random)))
    return {}
  },
})

const CAMPAIGNS = { kills, disturbed, 'lost deletes': lostDeletes } as const

/** How many series ended wrong. */
async function playAll(right: RightEnds): Promise<number> {
  const campaigns = {
    kills: kills(built, (stories) => killed(stories) >= Number(values.kills)),
    'disturbed writes': disturbed(built, (stories) => stories.length >= Number(values.series)),
  }
  let wrong = 0
  for (const [name, campaign] of Object.entries(campaigns)) {
    const ended = await playCampaign(campaign, right)
    wrong += ended.wrong.length
    const { stories } = ended
    print(
      `${name}: ${stories.length} series, ${killed(stories)} processes killed, ${ended.wrong.length} series ended wrong`,
    )
    print(JSON.stringify(allMet(stories)))
  }
  return wrong
}

/** The seed by which it was noticed. */
async function noticingSeed(
  { replacements, noticedBy, seed: first }: FaultyProgram,
  right: RightEnds,
): Promise<number | undefined> {
  const { main, remove } = await mutant(replacements)
  try {
    const campaign = CAMPAIGNS[noticedBy](
      [process.execPath, main],
      (stories) => stories.length >= FAULTY_SERIES,
    )
    // What is wrong with it is known: one line each is enough.
    const quiet: Campaign = { ...campaign, seed: first, print: () => undefined }
    return (await playCampaign(quiet, right)).wrong[0]
  } finally {
    await remove()
  }
}

/** How many faulty programs got through. */
async function playFaulty(right: RightEnds): Promise<number> {
  let through = 0
  for (const faulty of FAULTY_PROGRAMS.slice(0, Number(values.programs))) {
    const by = await noticingSeed(faulty, right)
    if (by === undefined) through += 1
    print(`${by === undefined ? 'NOT NOTICED' : `noticed by seed ${by}`}: ${faulty.name}`)
  }
  return through
}

const started = performance.now()
const right = await rightEnds(built)
const wrong = values.faulty ? await playFaulty(right) : await playAll(right)
print(`${Math.round((performance.now() - started) / 1000)} s`)
// Not by exitCode: with hundreds of processes and sockets behind it, Node 24 was seen to turn for ever while it closed the
// handles of its end.
process.exit(wrong === 0 ? 0 : 1)
