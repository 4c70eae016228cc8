// First pushes and re-runs beside plain scripts that do the same without the program's promises.
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Compared, compared, measured, type Report } from '../measure.ts'
import { FIELDS, writePeople } from '../people-file.ts'
import { type Bench, COST_HEAD, costLines, grouped, peakMb } from './bench.ts'
import { newPlace, type Place } from './place.ts'
import { SCRIPTS } from './scripts.ts'

export interface SizeCosts {
  readonly rows: number
  readonly push: Compared
  readonly rerun: Compared
}

const script = (file: string, { service }: Bench, what: 'create' | 'id' | 'bulk'): Promise<Report> =>
  measured(tmpdir(), [SCRIPTS['plain-push'], file, service.url, FIELDS.join(','), what])

const parse = (file: string): Promise<Report> => measured(tmpdir(), [SCRIPTS.plain, file])

/** The place in which a file of so many rows has been pushed and sent again; the last file lies in it as `other.csv`. */
async function costsOf(rows: number, rounds: number, bench: Bench): Promise<SizeCosts & { place: Place }> {
  const file = join(bench.folder, `${rows}.csv`)
  await writePeople(file, { rows })
  let place: Place | undefined
  const push = await compared(rounds, async () => {
    await place?.remove()
    place = await newPlace(bench.folder, bench.service.url)
    await place.drop(file)
    return place.run()
  }, [() => script(file, bench, 'create')])
  if (place === undefined) throw new Error('--pairs must be at least 1')
  const last = place
  const other = join(last.folder, 'other.csv')
  // Other bytes, the same records and one more.
  let more = rows
  const again = async (): Promise<Report> => {
    more += 1
    await writePeople(other, { rows: more })
    await last.drop(other)
    return last.run()
  }
  const rerun = await compared(rounds, again, [() => parse(file)])
  return { rows, push, rerun, place: last }
}

/** What a further row takes of memory, in bytes, between two sizes. */
const growth = (small: Report, large: Report, rows: number): number =>
  ((peakMb(large) - peakMb(small)) * 1e6) / rows

function judgeSize({ push, rerun }: SizeCosts, { sheet }: Bench): void {
  sheet.judge('push', push.beside[0]?.ratio ?? NaN)
  sheet.judge('unchanged', rerun.beside[0]?.ratio ?? NaN)
  sheet.judge('push_peak', peakMb(push.own))
  sheet.judge('rerun_peak', peakMb(rerun.own))
  sheet.judge('push_delay', push.own.delay_p99_ms)
  sheet.judge('rerun_delay', rerun.own.delay_p99_ms)
}

/** The same bytes again, then 1 % changed by id, in a place that has pushed the rows. */
async function benchAgain(place: Place, bench: Bench, add: (...cells: string[]) => void): Promise<void> {
  const { rows, rounds, sheet, folder } = bench
  const other = join(place.folder, 'other.csv')
  const plain = (): Promise<Report> => parse(join(folder, `${rows}.csv`))
  const again = async (): Promise<Report> => {
    await place.drop(other)
    return place.run()
  }
  const same = await compared(rounds, again, [plain])
  for (const line of costLines('the same bytes again', rows, same, ['plain parse'])) add(...line)
  sheet.judge('same_bytes', same.beside[0]?.ratio ?? NaN)
  await benchChanged(place, 'id', bench, add)
}

async function benchChanged(
  place: Place,
  via: 'id' | 'bulk',
  bench: Bench,
  add: (...cells: string[]) => void,
): Promise<void> {
  const { rows, rounds, sheet, folder } = bench
  const changed = join(place.folder, 'changed.csv')
  let version = 0
  const own = async (): Promise<Report> => {
    version += 1
    await writePeople(changed, { rows, changed: 100, version })
    await place.drop(changed)
    return place.run()
  }
  const others = [() => script(changed, bench, via), () => parse(join(folder, `${rows}.csv`))]
  const found = await compared(rounds, own, others)
  const names = ['the same requests', 'plain parse']
  for (const line of costLines(`1 % changed, by ${via}`, rows, found, names)) add(...line)
  sheet.judge(`update_${via}`, found.beside[0]?.ratio ?? NaN)
  sheet.judge(`changed_${via}`, found.beside[1]?.ratio ?? NaN)
}

/**
 * Measures the sizes before that of the bench once and that itself in rounds. `further`: a larger size, for the memory that
 * a further row takes. `use` gets the place whose state has the rows.
 */
export async function benchCosts(
  bench: Bench,
  { before, further }: { before: readonly number[]; further: number | undefined },
  use: (place: Place) => Promise<void>,
): Promise<readonly SizeCosts[]> {
  const { rows, rounds, sheet, service, folder } = bench
  const add = sheet.begin(COST_HEAD)
  const show = (costs: SizeCosts): void => {
    const of = grouped(costs.rows)
    for (const line of costLines(`first push of ${of}`, costs.rows, costs.push, ['plain script']))
      add(...line)
    for (const line of costLines(`unchanged re-run of ${of}`, costs.rows, costs.rerun, ['plain parse']))
      add(...line)
  }
  const measureOnce = async (size: number): Promise<SizeCosts> => {
    const { place, ...costs } = await costsOf(size, 1, bench)
    await place.remove()
    await rm(join(folder, `${size}.csv`))
    show(costs)
    return costs
  }
  const small: SizeCosts[] = []
  for (const size of before) small.push(await measureOnce(size))
  const { place, ...whole } = await costsOf(rows, rounds, bench)
  show(whole)
  judgeSize(whole, bench)
  await benchAgain(place, bench, add)
  const bulk = await newPlace(folder, service.url, { updateVia: 'bulk' })
  await bulk.drop(join(folder, `${rows}.csv`))
  await bulk.run()
  await benchChanged(bulk, 'bulk', bench, add)
  await bulk.remove()
  await use(place)
  await place.remove()
  const large = further === undefined ? [] : [await measureOnce(further)]
  const sizes = [...small, whole, ...large]
  showGrowth(sizes, bench, further !== undefined)
  return sizes
}

/** Between the two largest sizes; judged only where the larger was asked for, since less is mostly noise. */
function showGrowth(sizes: readonly SizeCosts[], { sheet }: Bench, isJudged: boolean): void {
  const [small, large] = sizes.slice(-2)
  if (small === undefined || large === undefined) return
  const between = `from ${grouped(small.rows)} to ${grouped(large.rows)} rows`
  const add = sheet.begin(['bytes of memory for each further row', 'first push', 'unchanged re-run'])
  const rows = large.rows - small.rows
  const push = growth(small.push.own, large.push.own, rows)
  const rerun = growth(small.rerun.own, large.rerun.own, rows)
  add(between, push.toFixed(0), rerun.toFixed(0))
  if (!isJudged) return
  sheet.judge('push_growth', push)
  sheet.judge('rerun_growth', rerun)
}
