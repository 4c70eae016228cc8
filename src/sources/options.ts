// Options that every drop-folder source has, and the shapes that several share.
import { z } from 'zod'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `500ms`, `2s`, `5m`, `1h`, `30d` as milliseconds. */
const durationOption = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'is no duration; write 500ms, 2s, 5m or 1h')
  .transform((text) => {
    const unit = text.replace(/^\d+/, '') as keyof typeof UNITS
    return Number.parseInt(text, 10) * UNITS[unit]
  })

const globs = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
  error: 'is no file pattern; write "*.csv" or a list of such',
})

/** The options of the folder; `files` is the kind's own default. */
export const folderOptions = (files: readonly string[]) => ({
  folder: z
    .string()
    .min(1)
    .meta({ path: true })
    .describe('The folder in which files are dropped; relative to the configuration file.'),
  files: globs
    .default([...files])
    .transform((value) => (typeof value === 'string' ? [value] : value))
    .describe('Which files are taken: a pattern such as "*.csv", or a list of patterns.'),
  settle: durationOption
    .default(2000)
    .describe('A file that was modified less than this ago is still growing, and left for later.'),
})
