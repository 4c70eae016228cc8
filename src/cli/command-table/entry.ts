// What the command line knows of one command before its own file is loaded.
import type { CommonOptions, Io } from '../io.ts'

type Action = (io: Io, options: never, names: string[], tree: CommandTree) => Promise<number>

/** An option as data: `--port <N>`, and a value where it has one. */
export interface OptionEntry {
  readonly flags: string
  readonly help: string
  readonly choices?: readonly string[]
  readonly standard?: string
  /** The value of a text, and of those before it where the option is given again. A RangeError says what to write. */
  read?(text: string, before: never): unknown
}

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly arguments?: string
  readonly options?: readonly OptionEntry[]
  readonly examples: readonly string[]
  /**
   * With several accounts, none of which is named by an option or by a pipeline: it is done for `each`, or for those that know
   * what is named (`found`). Otherwise one has to be named.
   */
  readonly accounts?: 'each' | 'found'
  /** Options with which one has to be named all the same, as in an options object. */
  readonly singleWith?: readonly string[]
  /** What it prints is meant as text: it has no --json. */
  readonly isText?: boolean
  /** More of its help, loaded only where the command is named. */
  moreHelp?(): Promise<string>
  load(): Promise<Action>
}

/** Commands under one word: `rejects list`, `rejects export`. */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly entries: readonly CommandEntry[]
}

/** Everything that can be called: for the commands that speak of commands. */
export interface CommandTree {
  readonly commands: readonly CommandEntry[]
  readonly groups: readonly CommandGroup[]
}

/** A command as it was asked for. */
export interface CommandCall {
  readonly entry: CommandEntry
  readonly io: Io
  readonly options: CommonOptions
  readonly names: readonly string[]
  readonly tree: CommandTree
}
