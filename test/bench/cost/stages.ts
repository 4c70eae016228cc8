// Where the time of a run goes: a table of microseconds a record by stage, and the functions that take most where an aim is
// not reached. The shares are those of a CPU profile, which goes by the clock; the whole is the processor time of the run.
import { join } from 'node:path'
import { writePeople } from '../people-file.ts'
import type { LimitName } from '../limits.ts'
import { type Bench, grouped } from './bench.ts'
import { newPlace } from './place.ts'
import { hottest, type Profile, readProfile, STAGES, stageTimes } from './profile.ts'
import { isOver } from './sheet.ts'

/** More would take long, and say the same. */
const MOST_ROWS = 100_000
const SHOWN = 15

interface Profiled {
  readonly what: string
  /** What it tells more about. */
  readonly figures: readonly LimitName[]
  readonly profile: Profile
  /** Microseconds of the processor for each record, by each millisecond of the profile. */
  readonly scale: number
}

const sum = (times: ReadonlyMap<string, number>): number =>
  [...times.values()].reduce((all, ms) => all + ms, 0)

async function profiledRuns({ service, folder }: Bench, rows: number): Promise<readonly Profiled[]> {
  const place = await newPlace(folder, service.url)
  const file = join(place.folder, 'profiled.csv')
  const runOf = async (
    what: string,
    figures: readonly LimitName[],
    people: Parameters<typeof writePeople>[1],
  ): Promise<Profiled> => {
    await writePeople(file, people)
    await place.drop(file)
    const into = join(place.folder, what)
    const { cpu_s } = await place.profiledRun(into)
    const profile = readProfile(into)
    return { what, figures, profile, scale: (cpu_s * 1e6) / rows / sum(stageTimes(profile)) }
  }
  const push = await runOf('first push', ['push'], { rows })
  const rerun = await runOf('unchanged', ['unchanged'], { rows: rows + 1 })
  const changes = { rows: rows + 1, changed: 100 }
  const changed = await runOf('1 % changed, by id', ['update_id', 'changed_id'], changes)
  await place.remove()
  return [push, rerun, changed]
}

function showStages(runs: readonly Profiled[], rows: number, { sheet }: Bench): void {
  const add = sheet.begin([`µs a record, of ${grouped(rows)}`, ...runs.map(({ what }) => what)])
  const columns = runs.map(({ profile, scale }) => ({ times: stageTimes(profile), scale }))
  for (const stage of STAGES)
    add(stage, ...columns.map(({ times, scale }) => ((times.get(stage) ?? 0) * scale).toFixed(1)))
  add('all', ...columns.map(({ times, scale }) => (sum(times) * scale).toFixed(1)))
}

/** `withFunctions`: also what takes most where one of a run's figures is not what is aimed at. */
export async function benchStages(bench: Bench, withFunctions: boolean): Promise<void> {
  const { sheet, rows } = bench
  const profiled = Math.min(rows, MOST_ROWS)
  const runs = await profiledRuns(bench, profiled)
  showStages(runs, profiled, bench)
  if (!withFunctions) return
  const missed = new Set(
    sheet
      .figures()
      .filter((figure) => isOver(figure) || figure.verdict === 'not reached')
      .map(({ name }) => name),
  )
  for (const { what, profile, scale } of runs.filter((run) => run.figures.some((name) => missed.has(name)))) {
    const add = sheet.begin([`${what}: where the rest goes`, 'µs a record'])
    for (const [name, ms] of hottest(profile, SHOWN)) add(name, (ms * scale).toFixed(1))
  }
}
