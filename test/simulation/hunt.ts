// Plays seed after seed until one ends badly, and prints which: run in a copy of the program that has a bug.
import { makeStateFolder } from './program.ts'
import { simulate } from './simulation.ts'

const [most = '100'] = process.argv.slice(2)
const folder = makeStateFolder()
try {
  let found: { seed: number; oracle: string; text: string } | undefined
  for (let seed = 1; seed <= Number(most) && found === undefined; seed += 1) {
    const [violation] = (await simulate(seed, folder)).violations
    if (violation !== undefined) found = { seed, ...violation }
  }
  process.stdout.write(`${JSON.stringify(found ?? null)}\n`)
} finally {
  folder.remove()
}
