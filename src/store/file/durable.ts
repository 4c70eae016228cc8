// Brings files to the disk, and not only into the memory of the operating system: a power cut must not undo them.
import {
  closeSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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

/**
 * What root makes beside the state belongs to the owner of the folder, as what SQLite makes belongs to that of the database: a
 * command that root called must not keep the daemon from its state.
 */
export function giveToOwner(handle: number, path: string): void {
  if (fstatSync(handle).uid !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid === 0) return
  try {
    fchownSync(handle, uid, gid)
  } catch {
    // Not every root may give files away: it stays as it was made.
  }
}

/** Replaces the file as a whole or not at all; only its owner may read it. */
export function replaceFile(path: string, text: string): void {
  const part = `${path}.new`
  const handle = openSync(part, 'w', 0o600)
  try {
    giveToOwner(handle, path)
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(part, path)
  syncFolder(path)
}
