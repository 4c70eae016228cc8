// Plays seed after seed until one ends badly, and prints which: run in a copy of the program that has a bug. The seed
// that noticed it before comes first.
import { makeStateFolder } from './program.ts'
import { simulate } from './simulation.ts'

const [most = '100', hint = '1', kind = ''] = process.argv.slice(2)
const seeds = [Number(hint), ...Array.from({ length: Number(most) }, (_, index) => index + 1)]
const folder = makeStateFolder()
try {
  let found: { seed: number; oracle: string; text: string } | undefined
  for (let seed = seeds.shift(); seed !== undefined && found === undefined; seed = seeds.shift()) {
    const [violation] = (
      await simulate(seed, folder, {
        isPulled: kind === 'pulled',
        isEdited: kind === 'edited',
        isErased: kind === 'erased',
        isCorrected: kind === 'corrected',
      })
    ).violations
    if (violation !== undefined) found = { seed, ...violation }
  }
  process.stdout.write(`${JSON.stringify(found ?? null)}\n`)
} finally {
  folder.remove()
}
