// What the parts of a benchmark share, and how they write a comparison down.
import type { Compared, Report, Server } from '../measure.ts'
import type { Sheet } from './sheet.ts'

export interface Bench {
  readonly sheet: Sheet
  readonly service: Server
  /** Of the file that is judged. */
  readonly rows: number
  /** How often each comparison is made. */
  readonly rounds: number
  /** For files. */
  readonly folder: string
}

const MB_OF_A_MIB = 1.048576

export const peakMb = ({ peak_mib }: Report): number => peak_mib * MB_OF_A_MIB

export const grouped = (value: number): string => Math.round(value).toLocaleString('en-US')

export const COST_HEAD = [
  'processor time',
  'CPU s',
  'rows/s',
  'peak MB',
  'loop p99 ms',
  'beside',
  'CPU s',
  'ratio',
] as const

/** A line for each thing that it is beside. */
export function costLines(
  what: string,
  rows: number,
  { own, beside }: Compared,
  names: readonly string[],
): string[][] {
  return beside.map(({ report, ratio }, index) => [
    what,
    own.cpu_s.toFixed(2),
    grouped(rows / own.wall_s),
    peakMb(own).toFixed(0),
    own.delay_p99_ms.toFixed(0),
    names[index] ?? '',
    report.cpu_s.toFixed(2),
    ratio.toFixed(2),
  ])
}
