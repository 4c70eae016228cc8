// A page of help as data, made from the command tables: what a terminal shows and what a man page says is the same.
import { EXIT_MEANINGS } from '../../core/words/exit-codes.ts'
import type { CommandEntry, CommandGroup, CommandTree, OptionEntry } from '../command-table/entry.ts'
import { argumentHelp, ENVIRONMENT, exitCodes, type Fact, files, seeAlso } from './facts.ts'

type Block =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'item' } & Fact)
  /** Kept verbatim: to be typed, or laid out already. */
  | { readonly kind: 'code'; readonly text: string }

export interface Section {
  readonly heading: string
  readonly blocks: readonly Block[]
}

export interface HelpPage {
  /** `contact-sync rejects list`. */
  readonly name: string
  readonly sections: readonly Section[]
}

const PROGRAM = 'contact-sync'
const item = (fact: Fact): Block => ({ kind: 'item', ...fact })
const text = (words: string): Block => ({ kind: 'text', text: words })
const code = (words: string): Block => ({ kind: 'code', text: words })

/** Those that every command has, beside its own; --json all but those that print a text. */
const COMMON: readonly Fact[] = [
  {
    term: '--config <FILE>',
    text: 'the configuration, a file or a folder of files (default: $CONTACT_SYNC_CONFIG, else config/contact-sync.yaml)',
  },
  {
    term: '--account <NAME>',
    text: 'one of the accounts of the configuration, where it has several',
  },
  {
    term: '--json',
    text: 'exactly one JSON document on standard output; all other output on standard error',
  },
  { term: '-h, --help', text: 'this page' },
]

const commonOf = ({ isText = false }: CommandEntry): readonly Fact[] =>
  COMMON.filter(({ term }) => !(isText && term === '--json'))

function optionFact({ flags, help, choices, standard }: OptionEntry): Fact {
  const possible = choices === undefined ? '' : `: ${choices.join(', ')}`
  const otherwise = standard === undefined ? '' : ` (default: ${standard})`
  return { term: flags, text: `${help}${possible}${otherwise}` }
}

/** `[PIPELINE...]` -> PIPELINE. */
export const argumentNames = (entry: CommandEntry): readonly string[] =>
  [...(entry.arguments ?? '').matchAll(/[A-Z]+(?:=[A-Z]+)?/g)].map(([name]) => name)

function argumentFacts(path: string, entry: CommandEntry): Fact[] {
  return argumentNames(entry).map((name) => ({ term: name, text: argumentHelp(path, name) ?? '' }))
}

const exits = (codes: readonly number[]): Section => ({
  heading: 'EXIT CODES',
  blocks: codes.map((number) => item({ term: String(number), text: EXIT_MEANINGS[number] ?? '' })),
})

const see = (names: readonly string[]): Section => ({ heading: 'SEE ALSO', blocks: [text(names.join(', '))] })

const environment: Section = { heading: 'ENVIRONMENT', blocks: ENVIRONMENT.map(item) }

/** `more`: what the entry says beyond its table (`moreHelp`). */
export function commandPage(
  entry: CommandEntry,
  of: { group?: CommandGroup | undefined; more?: string },
): HelpPage {
  const { group, more = '' } = of
  const path = [group?.name, entry.name].filter((part) => part !== undefined).join(' ')
  const siblings = (group?.entries ?? [])
    .filter((one) => one !== entry)
    .map((one) => `${group?.name ?? ''} ${one.name}`)
  const parameters = argumentFacts(path, entry)
  const synopsis = [PROGRAM, path, '[OPTIONS]', entry.arguments]
    .filter((part) => part !== undefined)
    .join(' ')
  return {
    name: `${PROGRAM} ${path}`,
    sections: [
      { heading: 'NAME', blocks: [text(`${PROGRAM} ${path} - ${entry.summary}`)] },
      { heading: 'SYNOPSIS', blocks: [text(synopsis)] },
      { heading: 'DESCRIPTION', blocks: [text(entry.description)] },
      ...(parameters.length === 0 ? [] : [{ heading: 'ARGUMENTS', blocks: parameters.map(item) }]),
      {
        heading: 'OPTIONS',
        blocks: [...(entry.options ?? []).map(optionFact), ...commonOf(entry)].map(item),
      },
      ...(more === '' ? [] : [{ heading: 'MORE', blocks: [code(more.trim())] }]),
      { heading: 'EXAMPLES', blocks: entry.examples.map(code) },
      { heading: 'FILES', blocks: files(path).map(item) },
      environment,
      exits(exitCodes(path)),
      see(seeAlso(path, siblings)),
    ],
  }
}

const subcommands = (entries: readonly CommandEntry[], prefix = ''): Block[] =>
  entries.map((entry) =>
    item({
      term: [prefix, entry.name, entry.arguments]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      text: entry.summary,
    }),
  )

export function groupPage(group: CommandGroup): HelpPage {
  const codes = new Set(group.entries.flatMap((entry) => exitCodes(`${group.name} ${entry.name}`)))
  return {
    name: `${PROGRAM} ${group.name}`,
    sections: [
      { heading: 'NAME', blocks: [text(`${PROGRAM} ${group.name} - ${group.summary}`)] },
      { heading: 'SYNOPSIS', blocks: [text(`${PROGRAM} ${group.name} COMMAND [OPTIONS]`)] },
      {
        heading: 'DESCRIPTION',
        blocks: [text(`A group of commands. ${PROGRAM} help ${group.name} COMMAND describes each.`)],
      },
      { heading: 'COMMANDS', blocks: subcommands(group.entries) },
      { heading: 'OPTIONS', blocks: COMMON.map(item) },
      { heading: 'EXAMPLES', blocks: group.entries.flatMap((entry) => entry.examples.slice(0, 1)).map(code) },
      { heading: 'FILES', blocks: files(group.name).map(item) },
      environment,
      exits([...codes].sort((left, right) => left - right)),
      see([...group.entries.map((entry) => `${PROGRAM} ${group.name} ${entry.name}`), 'state/README.md']),
    ],
  }
}

export function programPage({ commands, groups }: CommandTree): HelpPage {
  const all = Object.keys(EXIT_MEANINGS).map(Number)
  return {
    name: PROGRAM,
    sections: [
      {
        heading: 'NAME',
        blocks: [
          text(`${PROGRAM} - keeps a Contact Management Service in sync with the sources of contacts`),
        ],
      },
      { heading: 'SYNOPSIS', blocks: [text(`${PROGRAM} COMMAND [OPTIONS] [ARGUMENTS]`)] },
      {
        heading: 'DESCRIPTION',
        blocks: [
          text(
            'Reads contacts from files, compares them with what was sent before, and sends the differences: once (run), on a schedule (start), or not at all (plan). Nothing is lost, doubled or deleted by accident; records that cannot be sent are kept with their reason, and every change can be explained afterwards.',
          ),
        ],
      },
      {
        heading: 'COMMANDS',
        blocks: [
          ...subcommands(commands),
          ...groups.flatMap((group) => subcommands(group.entries, group.name)),
        ],
      },
      { heading: 'OPTIONS', blocks: [...COMMON, { term: '--version', text: 'the version' }].map(item) },
      {
        heading: 'EXAMPLES',
        blocks: [
          `${PROGRAM} check`,
          `${PROGRAM} plan shop`,
          `${PROGRAM} run shop`,
          `${PROGRAM} help rejects list`,
        ].map(code),
      },
      { heading: 'FILES', blocks: files('run').map(item) },
      environment,
      exits(all),
      see([
        `${PROGRAM} help COMMAND`,
        'README.md',
        'config/README.md (for admins)',
        'state/README.md (for ops and auditors)',
      ]),
    ],
  }
}
