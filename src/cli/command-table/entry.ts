// What the command line knows of one command before its own file is loaded.
import type { Io } from '../io.ts'

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
