// What a source brings along to be held to the contract, and what it is held to: checks with names, for any test runner.

/** An invented person, as the source is to have it; a blank text is a value that is missing. */
export interface ContractPerson {
  readonly id: string
  readonly mail: string
  readonly first_name: string
  readonly family_name: string
  readonly phone: string
  /** Counts up with every change of the person. */
  readonly changed: number
}

export type ContractColumn = Exclude<keyof ContractPerson, 'changed'>

/** A source under test, with the means to change what it has. */
export interface ContractSource {
  /** The `source` of a pipeline, as it would stand in the configuration. */
  readonly source: Readonly<Record<string, unknown>>
  /** Columns that have other names than the members of a person. */
  readonly columns?: Readonly<Partial<Record<ContractColumn, string>>>
  /** From now on the source has exactly these persons. A kind of files writes one more file. */
  put(people: readonly ContractPerson[]): Promise<void> | void
  /**
   * From now on it breaks after so many records of those that it has; `undefined`: it is whole again. A kind of files writes
   * a file that ends there. Left out with `breaks: false`.
   */
  breakAfter?(records: number | undefined): Promise<void> | void
  /** The text of an archived file, where its bytes are packed. */
  plainText?(name: string, bytes: Uint8Array): string
  /** The names and texts of its files where they do not lie in the folder: on another machine, in a store. */
  filesElsewhere?(): readonly (readonly [name: string, text: string])[]
  close?(): Promise<void> | void
}

/** Opens the source again for each check; `folder` is empty, and holds the configuration. */
export type OpenContractSource = (folder: string) => ContractSource | Promise<ContractSource>

export interface ContractOptions {
  /** Runs a command in the folder in place of a process for each. */
  readonly command?: (
    args: readonly string[],
    folder: string,
  ) => Promise<{ readonly code: number; readonly stdout: string }>
  /** The file of the program; that of this package where it is left out. */
  readonly program?: string
}

export interface ContractCheck {
  readonly name: string
  /** Rejects with an Error that says what is wrong. It may take some seconds. */
  check(): Promise<void>
}
