// The sync log as a file: for auditors, and for a person who asks what is held about them. Part of the composition.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { planEntry } from '../core/log/other-entries.ts'
import { everyEntry, exportLine, tableHead, tableRows } from '../core/log/log-lines.ts'
import type { LogFilter, SyncLog } from '../core/log/sync-log.ts'
import { type Mark, readMark } from '../store/file/mark.ts'
import type { Desk } from './run/desk.ts'
import { writeExport } from './export-file.ts'

export type LogFormat = 'jsonl' | 'csv'

/** How far the log had come by the mark beside the state; undefined where there is none. */
export const knownHead = (
  statePath: string,
): Pick<Mark, 'instance' | 'entries' | 'hash'> | 'unreadable' | undefined => readMark(statePath)

/** Throws USAGE where it cannot be written; `replaced`: a file of that name was there. */
export const writeText = (
  path: string,
  parts: AsyncIterable<string> | Iterable<string>,
): Promise<{ readonly replaced: boolean }> =>
  writeExport(path, (file) => pipeline(parts, createWriteStream(file, { mode: 0o600 })))

/** Rebuilds the indexes of the sync log from its entries, which stay as they are. No run is active. */
export async function rebuildLogIndexes(desk: Desk): Promise<null> {
  desk.state.rebuildLogIndexes()
  const reason = 'the indexes of the sync log were rebuilt from its entries'
  await desk.conclude([], [planEntry({ action: 'rebuild', reason }, desk.about(null))])
  return null
}

/** Writes what fits the filter, oldest first; gives how many entries, and the hash of the last of them. */
export async function exportLog(
  log: SyncLog,
  path: string,
  { filter, format }: { filter: LogFilter; format: LogFormat },
): Promise<{ readonly entries: number; readonly hash: string | null; readonly replaced: boolean }> {
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
  const { replaced } = await writeText(path, parts())
  return { ...done, replaced }
}
