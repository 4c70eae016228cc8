// npm run kills -- [--kills 300] [--series 6] [--seed 1]: first processes that are killed at points drawn from a seed,
// then a line that disturbs half of all writes, with kills among them; every series must end as an undisturbed one.
// What the machine's own scheduling adds to a series does not come again with the seed.
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { allMet, type Campaign, playCampaign, rightEnds } from './campaign.ts'
import { killAnywhere } from './kill-points.ts'
import { halfOfWrites, withKills } from './script.ts'
import type { Story } from './series.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    series: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
  },
})
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const program = [process.execPath, fileURLToPath(new URL('../../dist/main.js', import.meta.url))] as const
const killed = (stories: readonly Story[]): number => stories.reduce((sum, { kills }) => sum + kills, 0)
const common = { seed: Number(values.seed), program, print }

const KILLS: Campaign = {
  ...common,
  replay: (seed) => `npm run kills -- --kills 1 --series 0 --seed ${seed}`,
  disturb: killAnywhere,
  isEnough: (stories) => killed(stories) >= Number(values.kills),
}

const DISTURBED: Campaign = {
  ...common,
  replay: (seed) => `npm run kills -- --kills 0 --series 1 --seed ${seed}`,
  disturb(workplace, random) {
    workplace.script = withKills(random, halfOfWrites(random))
    return {}
  },
  isEnough: (stories) => stories.length >= Number(values.series),
}

const started = performance.now()
const right = await rightEnds(program)
let wrong = 0
for (const [name, campaign] of Object.entries({ kills: KILLS, 'disturbed writes': DISTURBED })) {
  const ended = await playCampaign(campaign, right)
  wrong += ended.wrong
  const { stories } = ended
  print(
    `${name}: ${stories.length} series, ${killed(stories)} processes killed, ${ended.wrong} series ended wrong`,
  )
  print(JSON.stringify(allMet(stories)))
}
print(`${Math.round((performance.now() - started) / 1000)} s`)
process.exitCode = wrong === 0 ? 0 : 1
