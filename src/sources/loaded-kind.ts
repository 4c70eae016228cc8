// A kind of files in a drop folder whose code is loaded with the first file: no start of another command pays for it. Rejects
// of its files are CSV, and are read as such when they are corrected and dropped again.
import type { z } from 'zod'
import type { InputReader, OpenOptions, Source } from '../core/ports.ts'
import type { Sought } from '../core/erasing.ts'
import { csvKind } from './csv/kind.ts'
import { csvOptions } from './csv/options.ts'
import { createDropFolder } from './drop-folder.ts'
import type { Found, StoredFile } from './folder/erasing.ts'
import type { InputFile } from './input-file.ts'
import { type SourceKind, sourceKind } from './kind.ts'
import type { FolderOptions } from './options.ts'
import { REMOTE_SECRETS } from './remote/options.ts'

/** What is loaded. */
interface Reading<Options> {
  find(file: StoredFile, options: Options, sought: Sought): Promise<Found>
  read(file: InputFile, options: Options, asked: OpenOptions): Promise<InputReader>
}

interface LoadedKind<S extends z.ZodObject> {
  readonly help: string
  readonly example: string
  readonly schema: S
  /** Whether rejects are also written as they came, one record a line. */
  readonly jsonLines?: boolean
  load(): Promise<Reading<z.output<S>>>
}

const OWN_REJECTS = /\.rejects\.csv$/i

const ownCsv = () => csvOptions.parse({ folder: '.' })

export function loadedKind<S extends z.ZodObject>({
  load,
  jsonLines = false,
  ...kind
}: LoadedKind<S>): SourceKind {
  type Options = z.output<S>
  const find = async (file: StoredFile, options: Options, sought: Sought): Promise<Found> =>
    OWN_REJECTS.test(file.name)
      ? csvKind.find(file, ownCsv(), sought)
      : (await load()).find(file, options, sought)
  const read = async (file: InputFile, options: Options, asked: OpenOptions): Promise<InputReader> =>
    OWN_REJECTS.test(file.name)
      ? csvKind.read(file, ownCsv(), asked)
      : (await load()).read(file, options, asked)
  return sourceKind<S>({
    ...kind,
    secrets: REMOTE_SECRETS,
    find,
    read,
    create(options, deps): Source {
      const folder = createDropFolder(options as unknown as FolderOptions, deps, (file, theirs) =>
        find(file, options, theirs),
      )
      const { list, isUnclaimed, isWaiting, archive, giveBack, clearLeftovers } = folder
      return {
        ...{ list, isUnclaimed, isWaiting, archive, giveBack, clearLeftovers },
        open: async (input, asked) => read(await folder.openFile(input), options, asked),
        writeRejects(input, to, header, rows) {
          const layout = { header, delimiter: ',', jsonLines: jsonLines && !OWN_REJECTS.test(input.name) }
          return folder.writeRejects(input, to, layout, rows)
        },
      }
    },
  })
}
