// Where the state really lies: the file that a path leads to, through links of folders and of the file itself. Lock, mark and
// whatever else lies beside the state go by it, or one state would have an owner for each of its names.
import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SyncError } from '../../core/words/errors.ts'
import { stateError } from './trouble.ts'

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const leadsNowhere = (link: string): SyncError =>
  new SyncError('STATE_UNUSABLE', `the state cannot be found: ${link} is a link to a missing target`, {
    hint: 'Mount the disk, or correct the link or state.path. No new state is created behind a link: the old one may only be unreachable.',
  })

/** Of what is there, or of what will be made in the folders that are. */
function realPlace(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    if (isThere(path)) throw leadsNowhere(path)
    return join(realPlace(dirname(path)), basename(path))
  }
}

function assertOneName(place: string): void {
  const file = statSync(place, { throwIfNoEntry: false })
  if (file?.isDirectory() === true)
    throw new SyncError('STATE_UNUSABLE', `the state ${place} is a folder`, {
      hint: `Name a file in it as state.path: ${join(place, 'contact-sync.db')}`,
    })
  if (file === undefined || !file.isFile() || file.nlink <= 1) return
  throw new SyncError(
    'STATE_UNUSABLE',
    `the state ${place} has ${file.nlink} names (hard links): two processes could own it, each under its own name`,
    {
      hint: `Nothing was changed. Find the other names with find -samefile ${place}, remove them, and start again. contact-sync state backup makes a copy.`,
    },
  )
}

/**
 * The one path of the state to which `path` leads, whether it is there yet or not. Throws STATE_UNUSABLE where a link leads
 * nowhere, where it is a folder, and where the file has several names.
 */
export function statePlace(path: string): string {
  try {
    const place = realPlace(path)
    assertOneName(place)
    return place
  } catch (error) {
    throw stateError(error, path)
  }
}

/** The nearest that is there: itself, or a folder above it. */
const nearestThere = (path: string): string => (isThere(path) ? path : nearestThere(dirname(path)))

/** Of the state and its folder, or where they are still to be made, the first that this user cannot write to. */
export function closedPlace(place: string): string | undefined {
  return [place, dirname(place)].map(nearestThere).find((path) => {
    try {
      accessSync(path, constants.W_OK)
      return false
    } catch {
      return true
    }
  })
}

/**
 * Throws STATE_UNUSABLE once the file at the path is not the one that was there at first: what is written to a file that was
 * removed, or replaced by a copy, is gone when its process ends.
 */
export function keepsPlace(place: string): () => void {
  const look = () => statSync(place, { throwIfNoEntry: false, bigint: true })
  const first = look()
  return () => {
    const now = look()
    if (now !== undefined && now.ino === first?.ino && now.dev === first.dev) return
    throw new SyncError(
      'STATE_UNUSABLE',
      `the state ${place} was ${now === undefined ? 'removed' : 'replaced'} while this process was using it`,
      {
        hint: 'Nothing more was sent. If it was a mistake, put that file back, and start again. Otherwise see "Restore" in state/README.md.',
      },
    )
  }
}
