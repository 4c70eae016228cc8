// `help`: the page of the program, of a group, or of a command; also as a man page.
import type { CommandTree } from '../command-table/entry.ts'
import { SyncError } from '../../core/words/errors.ts'
import { commandPage, groupPage, type HelpPage, programPage } from '../help/page.ts'
import { pageRoff, pageText } from '../help/render.ts'
import type { Io, QuickIo } from '../io.ts'
import { terminalOf } from '../terminal.ts'
import { VERSION } from '../../installation.ts'

/** Undefined where the names are those of no command. */
export async function helpPageFor(
  names: readonly string[],
  { commands, groups }: CommandTree,
): Promise<HelpPage | undefined> {
  const [first, second, ...more] = names
  if (first === undefined) return programPage({ commands, groups })
  if (more.length > 0) return undefined
  const group = groups.find(({ name }) => name === first)
  if (group !== undefined && second === undefined) return groupPage(group)
  const [known, name] = group === undefined ? [commands, first] : [group.entries, second]
  const entry = known.find((one) => one.name === name)
  if (entry === undefined) return undefined
  // A word of its own, as in `terms rename`, is on the page of its command.
  const isItsWord = second === undefined || entry.arguments?.split(' ').includes(`[${second}]`) === true
  if (group === undefined && !isItsWord) return undefined
  return commandPage(entry, { group, more: (await entry.moreHelp?.()) ?? '' })
}

export function printPage(io: QuickIo, page: HelpPage): void {
  const { columns, paint } = terminalOf(io)
  io.stdout.write(pageText(page, columns, (text) => paint('bold', text)))
}

export async function help(
  io: Io,
  { man }: { readonly man?: boolean },
  names: string[],
  tree: CommandTree,
): Promise<number> {
  const page = await helpPageFor(names, tree)
  if (page === undefined) {
    const all = [...tree.commands, ...tree.groups].map(({ name }) => name)
    throw new SyncError('USAGE', `there is no command ${names.join(' ')}`, {
      hint: `Commands: ${all.join(', ')}`,
    })
  }
  if (man === true) io.stdout.write(pageRoff(page, VERSION))
  else printPage(io, page)
  return 0
}
