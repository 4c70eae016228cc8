// What a fetch was, in a hidden file beside what it brought: written first, so that no records lie there without it.
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeptCursor } from '../../core/cursor.ts'
import { ERRORS, type ErrorCode } from '../../core/words/errors.ts'
import { faultCode } from '../fault.ts'

export interface FetchNote {
  readonly records: number
  /** Whether everything was asked for. */
  readonly isFull: boolean
  readonly before: KeptCursor | undefined
  /** When the last input before it was accepted; null: none was. Not there where that was not known. */
  readonly accepted?: number | null | undefined
  readonly cursor: KeptCursor | undefined
  /** Why it ended before its end. */
  readonly problem: { readonly code: ErrorCode; readonly message: string } | undefined
}

const pathOf = (folder: string, name: string): string => join(folder, `.${name}.fetch`)

export async function writeNote(folder: string, name: string, note: FetchNote): Promise<void> {
  const file = await open(pathOf(folder, name), 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(note)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

const isNote = (value: unknown): value is FetchNote =>
  typeof value === 'object' && value !== null && 'records' in value && 'isFull' in value

/** Undefined where there is none, or what is there is none: then nothing is concluded from what the records lack. */
export async function readNote(folder: string, name: string): Promise<FetchNote | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(pathOf(folder, name), 'utf8'))
    if (!isNote(value)) return undefined
    const { problem } = value
    return problem === undefined || Object.hasOwn(ERRORS, problem.code) ? value : undefined
  } catch (error) {
    if (faultCode(error) !== undefined || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What the disk keeps from being removed is no fault of the records beside it: the next fetch removes it. */
export const removeNote = (folder: string, name: string): Promise<void> =>
  rm(pathOf(folder, name), { force: true }).catch((error: unknown) => {
    if (faultCode(error) === undefined) throw error
  })
