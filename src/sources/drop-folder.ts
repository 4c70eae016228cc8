// The drop folder that the kinds of files share: on this machine, or on another one.
import { createLocalFolder, type DropFolder, type Find } from './folder/drop-folder.ts'
import type { SourceDeps } from './kind.ts'
import type { FolderOptions } from './options.ts'
import { createRemoteFolder } from './remote/drop-folder.ts'
import { remoteOf } from './remote/open.ts'

export function createDropFolder(options: FolderOptions, deps: SourceDeps, find: Find): DropFolder {
  const remote = remoteOf({ ...options })
  return remote === undefined
    ? createLocalFolder(options, deps, find)
    : createRemoteFolder({ ...options, ...remote }, deps, find)
}
