// The sync log as a file: for auditors, and for a person who asks what is held about them. Part of the composition.
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { SyncError } from '../core/errors.ts'
import { everyEntry, exportLine, tableHead, tableRows } from '../core/log-lines.ts'
import type { LogFilter, SyncLog } from '../core/sync-log.ts'
import { readMark } from '../store/mark.ts'

export type LogFormat = 'jsonl' | 'csv'

/** How far the log had come by the mark beside the state; undefined where nothing can be known by it. */
export function knownHead(statePath: string): { readonly entries: number } | undefined {
  const mark = readMark(statePath)
  return typeof mark === 'object' ? mark : undefined
}

/** Only its owner may read it: it holds what the log holds. Throws USAGE where it cannot be written. */
export async function writeText(
  path: string,
  parts: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const file = createWriteStream(path, { mode: 0o600 })
  const written = finished(file)
  written.catch(() => undefined)
  try {
    for await (const part of parts) if (!file.write(part)) await Promise.race([once(file, 'drain'), written])
    file.end()
    await written
  } catch (error) {
    file.destroy()
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    if (code === undefined || error instanceof SyncError) throw error
    throw new SyncError('USAGE', `${path} cannot be written (${code})`, {
      hint: 'Name a file in a folder that is there, and in which this user may write.',
      cause: error,
    })
  }
}

/** Writes what fits the filter, oldest first; gives how many entries, and the hash of the last of them. */
export async function exportLog(
  log: SyncLog,
  path: string,
  { filter, format }: { filter: LogFilter; format: LogFormat },
): Promise<{ readonly entries: number; readonly hash: string | null }> {
  const done = { entries: 0, hash: null as string | null }
  async function* parts(): AsyncGenerator<string> {
    // A byte order mark, so that spreadsheets take it for UTF-8.
    if (format === 'csv') yield `\ufeff${tableHead()}`
    for await (const entry of everyEntry(log, filter)) {
      done.entries += 1
      done.hash = entry.hash
      yield format === 'csv' ? tableRows(entry) : `${JSON.stringify(exportLine(entry))}\n`
    }
  }
  await writeText(path, parts())
  return done
}
