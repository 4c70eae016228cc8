// npm run simulate [-- --seeds 10000] [--first 1] [--single-faults no]: kept regressions, seeds, then every single fault at
// every point. npm run simulate -- --year [--seeds 40] [--first 1]: a year of each seed, with users who edit contacts.
// npm run simulate -- --undone: a person undoes runs. npm run simulate -- --erased: people ask to be erased. npm run simulate -- --corrected: a person sets values right. npm run simulate -- --restored: an older backup takes the place of the state.
// npm run simulate -- --seed N [--pulled] [--edited] [--changed] [--undone] [--erased] [--corrected] [--restored] [--year] [--trace] plays one again. Ends with 1 when anything ended badly.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { type Failure, type Job, ONLY, replayOfSeed, type Report, YEAR } from './jobs.ts'
import { makeStateFolder, type StateFolder } from './program.ts'
import { REGRESSIONS } from './regressions.ts'
import { type Outcome, simulate } from './simulation.ts'
import { oneSingleFault } from './single-faults.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    story: { type: 'string' },
    fault: { type: 'string' },
    pulled: { type: 'boolean', default: false },
    edited: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    undone: { type: 'boolean', default: false },
    erased: { type: 'boolean', default: false },
    corrected: { type: 'boolean', default: false },
    restored: { type: 'boolean', default: false },
    year: { type: 'boolean', default: false },
    'single-faults': { type: 'string', default: 'yes' },
    trace: { type: 'boolean', default: false },
  },
})

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const SHOWN = 20

function show({ name, replay, violations }: Failure): void {
  print(`FAILED ${name}`)
  for (const { oracle, text } of violations.slice(0, 5)) print(`  ${oracle}: ${text.slice(0, 300)}`)
  print(`  again: ${replay}`)
}

function showOne(outcome: Outcome): number {
  if (values.trace) for (const line of outcome.trace) print(line)
  const { violations, hash, figures } = outcome
  for (const { oracle, text } of violations) print(`${oracle}: ${text}`)
  print(`${violations.length === 0 ? 'all well' : 'FAILED'}, course ${hash}, ${JSON.stringify(figures)}`)
  return violations.length === 0 ? 0 : 1
}

async function inThread(job: Job): Promise<Report> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: job,
    // A seed leaves much that is short-lived behind: collected rarely, it costs less.
    resourceLimits: { maxYoungGenerationSizeMb: 192 },
  })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function playRegressions(folder: StateFolder): Promise<Failure[]> {
  const failures: Failure[] = []
  for (const { seed, schedule, why } of REGRESSIONS) {
    const { violations } = await simulate(seed, folder, schedule)
    if (violations.length > 0)
      failures.push({ name: `seed ${seed} (${why})`, replay: replayOfSeed(seed), violations })
  }
  return failures
}

async function playAll(folder: StateFolder): Promise<number> {
  const started = performance.now()
  const threads = Math.min(2, availableParallelism())
  const jobs = Array.from({ length: threads }, (_, part): Job => ({
    first: Number(values.first),
    seeds: Number(values.seeds),
    part,
    of: threads,
    withSingleFaults: !values.year && values['single-faults'] === 'yes',
    only: ONLY.find((kind) => values[kind]),
  }))
  const kept = values.year ? [] : await playRegressions(folder)
  const reports = await Promise.all(jobs.map(inThread))
  const failures = [...kept, ...reports.flatMap((report) => report.failures)]
  failures.slice(0, SHOWN).forEach(show)
  const sum = (name: Exclude<keyof Report, 'failures'>): number =>
    reports.reduce((total, report) => total + report[name], 0)
  print(
    `${sum('courses')} courses (${sum('runs')} runs, ${sum('requests')} requests, ${sum('points')} points, ${sum('crashes')} crashes), ` +
      `${sum('singleFaults')} single faults, ${values.year ? 0 : REGRESSIONS.length} regressions: ${failures.length} failed, ` +
      `${Math.round((performance.now() - started) / 1000)} s`,
  )
  return failures.length === 0 ? 0 : 1
}

const folder = makeStateFolder()
try {
  if (values.story !== undefined)
    process.exitCode = showOne(await oneSingleFault(folder, values.story, values.fault ?? ''))
  else if (values.seed !== undefined)
    process.exitCode = showOne(
      await simulate(Number(values.seed), folder, {
        ...{
          isPulled: values.pulled,
          isEdited: values.edited,
          isChanged: values.changed,
          isUndone: values.undone,
          isErased: values.erased,
          isCorrected: values.corrected,
          isRestored: values.restored,
        },
        ...(values.year ? YEAR : {}),
      }),
    )
  else process.exitCode = await playAll(folder)
} finally {
  folder.remove()
}
