// `doubts list` and `doubts resolve`: operations whose outcome is unknown until they are looked up, and an operator's decision.
import { EXIT } from '../../core/words/exit-codes.ts'
import type { ResolvedDoubt } from '../../app/people/doubts.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Operation } from '../../core/change/operation.ts'
import { type DecidingOptions } from '../decided-by.ts'
import { decided } from '../deciding.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'

const listed = ({ id, pipeline, runId, key, kind, contactId, sent, reason, cause, source }: Operation) => ({
  id,
  pipeline,
  run_id: runId,
  key,
  action: kind,
  contact_id: contactId ?? null,
  sent,
  reason: reason ?? 'its request is in flight',
  file: source.file,
  line: cause === 'missing' ? null : source.line,
})

export async function listDoubts(io: Io, options: CommonOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  warnOfOlderState(io, settings)
  const state = openStateForReading(settings.state)
  const doubts = []
  try {
    for (const { name } of chosenPipelines(settings, names))
      for (const operation of (await state?.openDoubts(name)) ?? []) doubts.push(listed(operation))
  } finally {
    await state?.close()
  }
  if (options.json === true) printJson(io, { doubts })
  else
    for (const { id, pipeline, file, line, key, action, reason } of doubts)
      print(io, `${id}  ${pipeline}: ${file}${line === null ? '' : `:${line}`}: ${action} ${key}: ${reason}`)
  if (doubts.length > 0)
    printError(
      io,
      'Look the contact up in the service, then: contact-sync doubts resolve ID --as done --contact-id N, or --as not-done',
    )
  return 0
}

interface ResolveOptions extends Omit<DecidingOptions, 'as'> {
  readonly as?: string
  readonly contactId?: string
}

function wholeNumber(text: string, what: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new SyncError('USAGE', `${what} is not a whole number: ${text}`)
  return Number(text)
}

function verdictOf({ as, contactId }: ResolveOptions): ResolvedDoubt {
  if (as !== 'done' && as !== 'not-done')
    throw new SyncError('USAGE', 'doubts resolve needs --as done or --as not-done')
  if (as === 'done')
    return {
      done: true,
      contactId: contactId === undefined ? undefined : wholeNumber(contactId, '--contact-id'),
    }
  if (contactId !== undefined) throw new SyncError('USAGE', '--contact-id has no effect with --as not-done')
  return { done: false }
}

const SAID = {
  done: 'settled as done',
  settled: 'settled as done',
  skipped: 'not changed, as writes of the pipeline requires',
  failed: 'settled as not done; the next run tries it again',
  held: 'held: that contact belongs to another record of the pipeline already',
  rejected: 'rejected',
  in_doubt: 'still in doubt',
} as const

export async function resolve(io: Io, options: ResolveOptions, [id = '']: string[]): Promise<number> {
  const verdict = verdictOf(options)
  const settings = await commandSettings(io, options)
  const args = { id: wholeNumber(id, 'ID'), verdict }
  const { as: _, ...who } = options
  const resolved = await decided({ io, options: who, settings }, { kind: 'doubts resolve', args })
  const { pipeline, key, outcome } = resolved
  if (options.json === true) printJson(io, resolved)
  else print(io, `${pipeline}: ${key}: ${SAID[outcome]}`)
  return outcome === 'held' ? EXIT.held : EXIT.done
}
