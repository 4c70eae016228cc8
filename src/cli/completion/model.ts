// What can be typed where, read from the command tables: the same for every shell.
import type { CommandEntry, CommandTree } from '../command-table/entry.ts'

export interface Choice {
  readonly word: string
  readonly help: string
}

export interface ValueOption {
  /** `--as`, and `-h` where there is one. */
  readonly names: readonly string[]
  /** Empty: anything. */
  readonly choices: readonly string[]
  readonly isFile: boolean
  readonly isPipeline: boolean
}

/** A place in the command line: behind these words. */
export interface CompletionPlace {
  /** `rejects list`; empty: behind the program's name. */
  readonly path: string
  readonly words: readonly Choice[]
  readonly options: readonly Choice[]
  readonly valued: readonly ValueOption[]
  readonly takesFile: boolean
  readonly takesPipelines: boolean
}

const COMMON: readonly Choice[] = [
  { word: '--config', help: 'the configuration' },
  { word: '--account', help: 'one of the accounts' },
  { word: '--json', help: 'one JSON document' },
  { word: '--help', help: 'what it does and takes' },
]
const CONFIG: ValueOption = { names: ['--config'], choices: [], isFile: true, isPipeline: false }
const ACCOUNT: ValueOption = { names: ['--account'], choices: [], isFile: false, isPipeline: false }
const SHELLS = ['bash', 'zsh', 'fish']

const longName = (flags: string): string => /--[a-z-]+/.exec(flags)?.[0] ?? ''

function commandPlace(path: string, entry: CommandEntry): CompletionPlace {
  const own = entry.options ?? []
  const takes = entry.arguments ?? ''
  return {
    path,
    words: takes.includes('SHELL') ? SHELLS.map((word) => ({ word, help: `for ${word}` })) : [],
    options: [
      ...own.map(({ flags, help }) => ({ word: longName(flags), help })),
      ...COMMON.filter(({ word }) => !(entry.isText === true && word === '--json')),
    ],
    valued: [
      ...own
        .filter(({ flags }) => /[<[]/.test(flags))
        .map(({ flags, choices = [] }) => ({
          names: [longName(flags)],
          choices,
          isFile: flags.includes('<FILE>'),
          isPipeline: longName(flags) === '--pipeline',
        })),
      CONFIG,
      ACCOUNT,
    ],
    takesFile: takes.includes('FILE'),
    takesPipelines: takes.includes('PIPELINE'),
  }
}

const choice = ({ name, summary }: { name: string; summary: string }): Choice => ({
  word: name,
  help: summary,
})

function wordsPlace(
  path: string,
  words: readonly Choice[],
  options: readonly Choice[] = [],
): CompletionPlace {
  return { path, words, options, valued: [], takesFile: false, takesPipelines: false }
}

export function places({ commands, groups }: CommandTree): readonly CompletionPlace[] {
  const all = [...commands, ...groups].map(choice)
  const version = { word: '--version', help: 'the version' }
  const help = { word: '--help', help: 'the commands' }
  return [
    wordsPlace('', all, [help, version]),
    ...commands.map((entry) => ({
      ...commandPlace(entry.name, entry),
      ...(entry.name === 'help' ? { words: all } : {}),
    })),
    ...groups.flatMap((group) => [
      wordsPlace(group.name, group.entries.map(choice), [help]),
      wordsPlace(`help ${group.name}`, group.entries.map(choice)),
      ...group.entries.map((entry) => commandPlace(`${group.name} ${entry.name}`, entry)),
    ]),
  ]
}

/** Paths that a word leads on to another: `rejects` and `rejects list`, never `run shop`. */
export const steps = (all: readonly CompletionPlace[]): readonly string[] =>
  all.map(({ path }) => path).filter((path) => path !== '')
