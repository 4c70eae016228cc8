// OAuth tokens of sources, sealed by those who use them, in a small database beside the state: `plan` renews them as well,
// beside a daemon that owns the state, and a backup must not bring back a refresh token that was replaced since.
import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { serverPlace, type StateLocation, statePlaceOf } from '../core/state-place.ts'
import type { KeptToken, TokenVault } from '../core/token-vault.ts'
import { SyncError } from '../core/words/errors.ts'
import { statePlace } from './file/place.ts'
import { createServerVault } from './postgres/vault.ts'

const SCHEMA =
  'CREATE TABLE IF NOT EXISTS token (name TEXT PRIMARY KEY, box TEXT NOT NULL) STRICT, WITHOUT ROWID'
/** Another process renews its token: how often it is asked whether it has finished, and how often at most. */
const POLL_MS = 50
const MOST_POLLS = 12_000

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

const unusable = (path: string, what: string, cause?: unknown): SyncError =>
  new SyncError('SOURCE_TOKENS', `${path} ${what}`, { cause })

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code'
}

const tokensPath = (statePath: string): string => `${statePlace(statePath)}.tokens`

function openFile(path: string): Database.Database {
  mkdirSync(dirname(path), { recursive: true })
  // Readable by its owner only from the first moment on; and never through a link that another user has made.
  closeSync(openSync(path, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600))
  // Waiting is done outside: the driver would stop the whole process.
  const db = new Database(path, { timeout: 0 })
  // A token is replaced at the server before it is here: after a power cut, too, the newest has to be read.
  db.pragma('synchronous = EXTRA')
  return db
}

/** Whether it is this process's turn now. */
function hasBegun(db: Database.Database): boolean {
  try {
    db.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

function heldToken(db: Database.Database, name: string): KeptToken {
  db.exec(SCHEMA)
  const kept = db.prepare<[string], string>('SELECT box FROM token WHERE name = ?').pluck().get(name)
  const put = db.prepare('INSERT OR REPLACE INTO token VALUES (?, ?)')
  return { kept, keep: (text) => void put.run(name, text) }
}

/** All that are kept beside the state in a file; none where there is no such file. */
export function keptTokens(statePath: string): readonly { readonly name: string; readonly box: string }[] {
  const path = tokensPath(statePath)
  if (!existsSync(path)) return []
  const db = openFile(path)
  try {
    db.exec(SCHEMA)
    return db.prepare<[], { name: string; box: string }>('SELECT name, box FROM token ORDER BY name').all()
  } finally {
    db.close()
  }
}

/** In place of those that are there. */
export function putTokens(statePath: string, tokens: ReturnType<typeof keptTokens>): void {
  if (tokens.length === 0) return
  const db = openFile(tokensPath(statePath))
  try {
    db.exec(SCHEMA)
    const put = db.prepare('INSERT OR REPLACE INTO token VALUES (?, ?)')
    for (const { name, box } of tokens) put.run(name, box)
  } finally {
    db.close()
  }
}

/** Beside a file, or at the server with the state. */
export function createTokenVault(where: StateLocation): TokenVault {
  const server = serverPlace(where)
  return server === undefined ? createFileVault(statePlaceOf(where).path) : createServerVault(server)
}

/** Opens the file for each turn: they are rare, and the file may be removed in between. */
function createFileVault(statePath: string): TokenVault {
  return {
    async exclusive(name, { clock, signal }, work) {
      const path = tokensPath(statePath)
      let db: Database.Database | undefined
      try {
        db = openFile(path)
        for (let polls = 0; !hasBegun(db); polls += 1) {
          if (signal.aborted || polls === MOST_POLLS) throw unusable(path, 'is in use by another process')
          await clock.sleep(POLL_MS, signal)
        }
        const given = await work(heldToken(db, name))
        db.exec('COMMIT')
        return given
      } catch (error) {
        if (error instanceof SyncError) throw error
        if (codeOf(error) === 'no code') throw error
        throw unusable(path, `cannot be used (${codeOf(error)})`, error)
      } finally {
        // What was begun and not committed is undone by that.
        db?.close()
      }
    },
  }
}
