// npm run simulate:fleet -- [--seeds 50] [--first 1]: plays seeds of the fleet, prints those that ended badly and the command to
// play one again, and ends with 1 then. npm run simulate:fleet -- --seed N [--trace] plays one.
import { parseArgs } from 'node:util'
import { simulateFleet } from './fleet.ts'
import { openPlace } from './place.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '50' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
})

/** Every so many seeds one is played twice: the same course, to the last line. */
const TWICE = 25

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const started = performance.now()
const place = await openPlace()
const sum = { starts: 0, deaths: 0, pauses: 0, asks: 0, files: 0, requests: 0, contacts: 0 }
let failed = 0
const seeds =
  values.seed === undefined
    ? Array.from({ length: Number(values.seeds) }, (_, index) => Number(values.first) + index)
    : [Number(values.seed)]
try {
  for (const seed of seeds) {
    const { violations, trace, figures, hash } = await simulateFleet(seed, place)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += figures[name]
    if (values.trace) trace.forEach(print)
    const isOther = seed % TWICE === 0 && (await simulateFleet(seed, place)).hash !== hash
    if (violations.length === 0 && !isOther) continue
    failed += 1
    print(`FAILED seed ${seed}${isOther ? ': played twice, it took two courses' : ''}`)
    for (const { oracle, text } of violations.slice(0, 5)) print(`  ${oracle}: ${text.slice(0, 400)}`)
    print(`  again: npm run simulate:fleet -- --seed ${seed} --trace`)
  }
} finally {
  await place.close()
}
print(
  `${seeds.length} courses (${sum.starts} starts, ${sum.deaths} deaths, ${sum.pauses} pauses, ${sum.files} exports, ${sum.requests} requests, ` +
    `${sum.asks} asks of the database, ${sum.contacts} contacts): ${failed} failed, ${Math.round((performance.now() - started) / 1000)} s`,
)
process.exitCode = failed === 0 ? 0 : 1
