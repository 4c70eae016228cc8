// Whose export a file is, by its header. Each preset names under `detect` the columns that tell its vendor; how sure they
// make it stands beside them, because `Name, Email, Phone` is written by many, and `LEID, EUID` by one.
import { join } from 'node:path'
import { z } from 'zod'
import { foldedColumn } from '../core/mapping/columns.ts'
import { text } from '../core/words/scalars.ts'
import { presetNames, type PresetOptions } from './presets.ts'
import { problemText } from './text/problem.ts'
import { readText } from './text/read-text.ts'
import { readYaml } from './text/yaml-tree.ts'

/** Of columns without a given confidence. */
const SURE = 0.95

const columns = z.array(text).min(1)

const vendorMark = z
  .union([columns, z.strictObject({ columns, confidence: z.number().min(0).max(1) })])
  .transform((mark) => (Array.isArray(mark) ? { columns: mark, confidence: SURE } : mark))

const presetHead = z.looseObject({
  description: text,
  detect: z.array(vendorMark).min(1),
  leaves_out: z.array(text).prefault([]),
})

/** A preset, and what tells that a file is for it. */
export interface Vendor {
  readonly preset: string
  readonly description: string
  /** A header that has all columns of one mark is of this vendor, with its confidence. */
  readonly marks: readonly { readonly columns: readonly string[]; readonly confidence: number }[]
  /** Columns that seem to say something about the person, and do not: what the vendor guessed. */
  readonly leavesOut: readonly string[]
}

export interface VendorGuess {
  readonly preset: string
  /** From 0 to 1. */
  readonly confidence: number
  /** A sentence. */
  readonly why: string
}

/** Every preset with its marks. Throws where one has none: the presets belong to the program. */
export async function readVendors({
  presetFolder,
  readFile,
  env,
}: PresetOptions): Promise<readonly Vendor[]> {
  const names = await presetNames(presetFolder)
  return Promise.all(
    names.map(async (preset) => {
      const file = join(presetFolder, `${preset}.yaml`)
      const read = await readText(file, readFile)
      if ('problem' in read) throw new Error(`${file}: ${read.problem}`)
      const { tree, problems } = readYaml(read.text, { file, env })
      if (tree === undefined) throw new Error(problems.map(problemText).join('\n'))
      const { description, detect, leaves_out: leavesOut } = presetHead.parse(tree.value)
      return { preset, description, marks: detect, leavesOut }
    }),
  )
}

/** The presets that a header fits, the likeliest first; of equals the one that names more columns. */
export function detectVendor(header: readonly string[], vendors: readonly Vendor[]): readonly VendorGuess[] {
  const names = new Set(header.map(foldedColumn))
  return vendors
    .flatMap(({ preset, marks }) => {
      const fitting = marks
        .filter((mark) => mark.columns.every((column) => names.has(foldedColumn(column))))
        .sort(byWeight)
      return fitting.slice(0, 1).map((mark) => ({ preset, ...mark }))
    })
    .sort(byWeight)
    .map(({ preset, confidence, columns: found }) => ({
      preset,
      confidence,
      why: `the header has ${found.map((column) => JSON.stringify(column)).join(', ')}, as exports for the preset ${preset} do`,
    }))
}

type Weighed = Vendor['marks'][number]

const byWeight = (one: Weighed, other: Weighed): number =>
  other.confidence - one.confidence || other.columns.length - one.columns.length
