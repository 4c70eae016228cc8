// Plays seed after seed of the fleet until one ends badly, and prints which: run in a copy of the program that has a bug.
import { simulateFleet } from './fleet.ts'
import { openPlace } from './place.ts'

const [most = '40', hint = '1'] = process.argv.slice(2)
const seeds = [Number(hint), ...Array.from({ length: Number(most) }, (_, index) => index + 1)]
const place = await openPlace()
try {
  let found: { seed: number; oracle: string; text: string } | undefined
  for (let seed = seeds.shift(); seed !== undefined && found === undefined; seed = seeds.shift()) {
    const [violation] = (await simulateFleet(seed, place)).violations
    if (violation !== undefined) found = { seed, ...violation }
  }
  process.stdout.write(`${JSON.stringify(found ?? null)}\n`)
} finally {
  await place.close()
}
