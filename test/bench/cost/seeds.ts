// How long 10,000 seeds of the simulation would take, from two short runs of it: what both have in common is its start.
import { once } from 'node:events'
import { resolve } from 'node:path'
import { startScript } from '../measure.ts'
import { type Bench, grouped } from './bench.ts'

const MAIN = resolve(import.meta.dirname, '../../simulation/main.ts')
const FEW = 50
const MORE = 450
const ALL = 10_000

async function secondsOf(seeds: number, folder: string): Promise<number> {
  const start = performance.now()
  const child = startScript(folder, [MAIN, '--seeds', String(seeds), '--single-faults', 'no'])
  child.stdout?.resume()
  child.stderr?.resume()
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`the simulation of ${seeds} seeds ended with ${code}`)
  return (performance.now() - start) / 1000
}

export async function benchSeeds({ sheet, folder }: Bench): Promise<void> {
  const few = await secondsOf(FEW, folder)
  const more = await secondsOf(MORE, folder)
  const all = few + ((more - few) * (ALL - FEW)) / (MORE - FEW)
  const add = sheet.begin(['seeds of the simulation, two threads', 's'])
  add(grouped(FEW), few.toFixed(0))
  add(grouped(MORE), more.toFixed(0))
  add(`${grouped(ALL)}, extrapolated`, all.toFixed(0))
  sheet.judge('seeds', all)
}
