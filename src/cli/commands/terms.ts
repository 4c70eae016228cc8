// `terms`: the terms that the service has. `terms rename`: another name for one of them.
import { EXIT } from '../../core/words/exit-codes.ts'
import { askService } from '../../app/run/service/checking.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { RenamedTerm } from '../../app/people/term-names.ts'
import { confirm } from '../confirm.ts'
import { plural } from '../../core/words/format.ts'
import type { DecidingOptions } from '../decided-by.ts'
import { decided } from '../deciding.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'

async function list(io: Io, options: CommonOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  const result = await askService(settings, (reads) => reads.terms(), {
    tell: (text) => printError(io, text),
  })
  if (result.kind !== 'ok') {
    printError(io, `service: ${result.summary}`)
    return EXIT.noService
  }
  if (options.json === true) {
    printJson(io, { terms: result.value })
    return 0
  }
  for (const { id, name, description } of result.value)
    print(io, `${String(id).padStart(8)}  ${name}${description === '' ? '' : `  (${description})`}`)
  printError(io, plural(result.value.length, 'term'))
  return 0
}

interface TermsOptions extends DecidingOptions {
  readonly yes?: boolean
}

interface Asked {
  readonly from: string
  readonly to: string
  readonly id: number
  readonly isTakenOver?: boolean
}

const question = ({ from, to, id, isTakenOver = false }: Asked): string =>
  isTakenOver
    ? `The service has no term "${from}". Was it renamed to "${to}" (id ${id}) there? Records with "${from}" then have that term.`
    : `Rename the term "${from}" (id ${id}) to "${to}" at the service, for every contact that has it?`

function renamedText({ from, to, isNew, isTakenOver = false }: RenamedTerm): string {
  if (!isNew) return `The term is now called "${to}" already; nothing was changed.`
  return isTakenOver
    ? `"${to}" of the service is the term "${from}" from now on; sources may use either name. Nothing was changed there.`
    : `The term "${from}" is now called "${to}"; sources may use either name.`
}

async function rename(io: Io, options: TermsOptions, [from, to]: readonly string[]): Promise<number> {
  if (from === undefined || to === undefined)
    throw new SyncError('USAGE', 'terms rename needs the old and the new name')
  const settings = await commandSettings(io, options)
  const renamed = await decided(
    { io, options, settings },
    {
      kind: 'terms rename',
      args: { from, to },
      confirm: (one: Asked) => confirm(io, question(one), options.yes === true),
    },
  )
  const { id, isNew, isTakenOver = false } = renamed
  const taken = isTakenOver ? { taken_over: true } : {}
  if (options.json === true)
    printJson(io, { id, from: renamed.from, to: renamed.to, renamed: isNew, ...taken })
  else print(io, renamedText(renamed))
  if (renamed.to !== to.trim()) printError(io, `the service made "${renamed.to}" of the name "${to.trim()}"`)
  return 0
}

export async function terms(io: Io, options: TermsOptions, words: readonly string[]): Promise<number> {
  const [action, ...names] = words
  if (action === undefined) return list(io, options)
  if (action === 'rename') return rename(io, options, names)
  throw new SyncError('USAGE', `terms has no "${action}"`, { hint: 'It is terms, or terms rename OLD NEW.' })
}
