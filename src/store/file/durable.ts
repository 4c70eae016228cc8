// Brings files to the disk, and not only into the memory of the operating system: a power cut must not undo them.
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

function sync(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export const syncFile = (path: string): void => sync(path, 'r+')

/** A name that was given in a folder outlives a power cut only once the folder is written, too. */
export const syncFolder = (path: string): void => sync(dirname(path), 'r')

/** Replaces the file as a whole or not at all; only its owner may read it. */
export function replaceFile(path: string, text: string): void {
  const part = `${path}.new`
  writeFileSync(part, text, { mode: 0o600 })
  syncFile(part)
  renameSync(part, path)
  syncFolder(path)
}
