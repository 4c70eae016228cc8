// What a kind of source provides: help, example, the schema of its options, and how it is made.
// A kind reads its options from here only after its schema has checked them; it never validates again.
import type { z } from 'zod'
import type { Clock, InputReader, OpenOptions, Source } from '../core/ports.ts'
import type { Sought } from '../core/erasing.ts'
import type { TokenVault } from '../core/token-vault.ts'
import type { Found, StoredFile } from './folder/erasing.ts'
import type { InputFile } from './input-file.ts'

export interface SourceDeps {
  readonly clock: Clock
  /** For sources that fetch; without it tokens are kept in memory. */
  readonly tokens?: TokenVault
  /** Who claims files on other machines: by the id of its state. Without it, none is claimed. */
  readonly owner?: {
    readonly pipeline: string
    /** Under which it may have claimed files, too. */
    formerNames(): Promise<readonly string[]>
    state(): Promise<string>
  }
}

/** A kind of source as the registry lists it and the manual shows it. */
export interface SourceKind {
  /** One or two sentences for admins. */
  readonly help: string
  /** A `source:` block in YAML. */
  readonly example: string
  /** The kind's own options: all but `type`, `preset` and `null_values`. */
  readonly schema: z.ZodObject
  /** Its records are asked for, and spooled: the configuration gives it a folder for that. */
  readonly isPulled?: boolean
  /** Options that are secrets, by their path; each may be read from a file by the option `<name>_file` beside it. */
  readonly secrets?: readonly (readonly string[])[]
  /** Options whose content is free, by their path: what of it comes from the environment is not shown. */
  readonly freeForm?: readonly (readonly string[])[]
  /** `options` is the output of `schema`. */
  create(options: unknown, deps: SourceDeps): Source
  /**
   * Finds a person's records in a file of this kind, and gives the file without them, the others on their lines.
   * Throws a SyncError of class `input`, or a SyntaxError, for a file that cannot be read as records.
   */
  find(file: StoredFile, options: unknown, sought: Sought): Promise<Found>
  /** Reads an open file of this kind. Throws a SyncError of class `input` or `later`. */
  read(file: InputFile, options: unknown, asked: OpenOptions): Promise<InputReader>
}

interface TypedKind<S extends z.ZodObject> extends Omit<SourceKind, 'schema' | 'create' | 'find' | 'read'> {
  readonly schema: S
  create(options: z.output<S>, deps: SourceDeps): Source
  find(file: StoredFile, options: z.output<S>, sought: Sought): Promise<Found>
  read(file: InputFile, options: z.output<S>, asked: OpenOptions): Promise<InputReader>
}

/** A kind whose `create`, `find` and `read` are written against its own schema, in the form that the registry holds. */
export function sourceKind<S extends z.ZodObject>(kind: TypedKind<S>): SourceKind {
  // The configuration has checked the options with this very schema: the cast states that, once, for all kinds.
  return {
    ...kind,
    create: (options, deps) => kind.create(options as z.output<S>, deps),
    find: (file, options, sought) => kind.find(file, options as z.output<S>, sought),
    read: (file, options, asked) => kind.read(file, options as z.output<S>, asked),
  }
}
