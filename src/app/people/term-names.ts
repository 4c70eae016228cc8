// `terms rename`: a term gets another name at the service, and the state follows. Part of the composition.
import { termEntry } from '../../core/log/other-entries.ts'
import { stopWithout } from '../../core/outcome/circuit.ts'
import { SyncError } from '../../core/words/errors.ts'
import { cleanText, textProblem } from '../../core/mapping/fields/field-check.ts'
import type { CallResult, RequestTrace, ServiceSession, Term } from '../../core/ports.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { ownTermNames, termKey } from '../../core/mapping/terms.ts'
import type { TermRename } from '../../store/term-names.ts'
import { withService } from '../run/service/checking.ts'
import type { Desk } from '../run/desk.ts'
import { assertOfService } from '../run/service/service-binding.ts'

interface Names {
  readonly from: string
  readonly to: string
}

export interface RenamedTerm extends TermRename {
  /** False: it had been done before. */
  readonly isNew: boolean
  /** It was renamed at the service itself, and only the state follows. */
  readonly isTakenOver?: boolean
}

const AGAIN = 'The state is prepared for both names. Run the same command again: it completes the rename.'

const isSame = (left: string, right: string): boolean => termKey(left) === termKey(right)

const problem = (message: string, hint: string): SyncError => new SyncError('USAGE', message, { hint })

function assertNames({ from, to }: Names): void {
  if (from === '' || to === '') throw problem('a term must have a name', 'Give the old and the new name.')
  const wrong = textProblem(to)
  if (wrong !== undefined) throw problem(`the new name ${wrong}`, 'Choose another name.')
  if (from === to) throw problem('both names are the same', 'Give the old and the new name.')
}

/** Each place of the configuration that names terms, with its names. */
const constantsOf = (settings: PipelineSettings): readonly (readonly [string, readonly string[]])[] => [
  ['terms', [...ownTermNames(settings), ...Object.keys(settings.terms.descriptions)]],
  ['guards.brake', settings.guards.brake?.terms ?? []],
  ['approvals', settings.approvals?.rules.flatMap(({ when }) => when.terms ?? []) ?? []],
]

/** Names that differ by case alone are one to the configuration. */
function assertNotConfigured({ pipelines }: Settings, { from, to }: Names): void {
  if (isSame(from, to)) return
  const naming = pipelines.flatMap((pipeline) => {
    const places = constantsOf(pipeline).filter(([, names]) => names.some((name) => isSame(name, from)))
    return places.length === 0 ? [] : [{ name: pipeline.name, places: places.map(([place]) => place) }]
  })
  if (naming.length === 0) return
  const names = naming.map(({ name }) => name).join(' ')
  const where = naming.map(({ name, places }) => `${name} (${places.join(', ')})`).join('; ')
  throw problem(
    `the configuration still names "${from}", in ${where}`,
    `Run contact-sync pause ${names}, so that no run comes in between. Write "${to}" in these places, run this again, then contact-sync resume ${names}.`,
  )
}

function valueOf<T>(result: CallResult<T>, what: string, hint?: string): T {
  if (result.kind === 'ok') return result.value
  const { code, message } = stopWithout(result)
  throw new SyncError(code, `${what}: ${message}`, hint === undefined ? {} : { hint })
}

interface Target {
  /** Whether the service calls it so already: another user has renamed it there. */
  readonly isTakenOver: boolean
  readonly term: Term
}

/** The term that is meant; undefined where it has been renamed already. */
function target(terms: readonly Term[], { from, to }: Names, isAlias: boolean): Target | undefined {
  const found = terms.filter(({ name }) => isSame(name, from))
  const [term] = found
  const other = terms.find((one) => isSame(one.name, to) && one.id !== term?.id)
  if (term === undefined) {
    if (isAlias && other !== undefined) return undefined
    if (other !== undefined) return { isTakenOver: true, term: other }
    throw problem(`the service has no term "${from}"`, 'contact-sync terms lists the existing ones.')
  }
  if (found.length > 1)
    throw problem(
      `the service has ${found.length} terms whose names differ from "${from}" by case only`,
      'Rename or remove them at the service, so that one is left.',
    )
  if (other !== undefined)
    throw problem(
      `the service has a term "${other.name}" already`,
      'Two terms cannot be merged here. Choose another name, or merge them at the service.',
    )
  return term.name === to ? undefined : { isTakenOver: false, term }
}

interface Renaming {
  readonly desk: Desk
  readonly session: ServiceSession
}

function complete(
  { id, from }: TermRename,
  { called, request }: { called: string; request: RequestTrace | null },
  desk: Desk,
): RenamedTerm {
  const fields = { name: { from, to: called } }
  desk.state.terms.complete(termEntry({ action: 'update_term', fields, request }, desk.about(null)), called)
  return { id, from, to: called, isNew: true }
}

/** What the service shows once it was asked; `answer` is that to the request. */
async function settle(
  rename: TermRename,
  answer: CallResult<true>,
  { desk, session }: Renaming,
): Promise<RenamedTerm> {
  const { id, from, to } = rename
  const terms = valueOf(await session.terms(), 'whether the term was renamed cannot be read', AGAIN)
  const shown = terms.find((term) => term.id === id)?.name
  if (shown === undefined)
    throw new SyncError('SERVICE_CONTRACT', `the service no longer shows the term ${id}`, { hint: AGAIN })
  if (shown !== from) return complete(rename, { called: shown, request: answer.request }, desk)
  valueOf(answer, `whether "${from}" was renamed is not known`, AGAIN)
  desk.state.terms.takeBack()
  throw new SyncError('SERVICE_CONTRACT', `the service accepted the name "${to}", and still shows "${from}"`)
}

async function send(rename: TermRename, { desk, session }: Renaming): Promise<RenamedTerm> {
  const answer = await session.updateTerm(rename.id, { name: rename.to })
  if (answer.kind === 'ok' || answer.kind === 'unknown') return settle(rename, answer, { desk, session })
  desk.state.terms.takeBack()
  if (answer.kind === 'refused' || answer.kind === 'absent')
    throw problem(`the service does not rename the term: ${answer.reason}`, 'Nothing was changed.')
  valueOf(answer, 'the term was not renamed')
  throw new Error('not reached')
}

/** What a user renamed at the service: the person who decides says that it is the same term. */
function takeOver({ id, name: to }: Term, from: string, desk: Desk): RenamedTerm {
  const rename = { id, from, to }
  desk.ask({ ...rename, isTakenOver: true })
  const fields = { name: { from, to } }
  desk.state.terms.takeOver(
    rename,
    termEntry({ action: 'update_term', fields, request: null }, desk.about(null)),
  )
  return { ...rename, isNew: true, isTakenOver: true }
}

/** One that was cut short: what the service shows says how far it came. */
function resume(
  pending: TermRename,
  terms: readonly Term[],
  renaming: Renaming,
): RenamedTerm | Promise<RenamedTerm> {
  const shown = terms.find(({ id }) => id === pending.id)?.name
  if (shown === undefined) {
    renaming.desk.state.terms.takeBack()
    throw problem(`the service no longer has the term "${pending.from}"`, 'Nothing is left to rename.')
  }
  if (shown === pending.from) return send(pending, renaming)
  return complete(pending, { called: shown, request: null }, renaming.desk)
}

/**
 * Throws USAGE where the names do not fit what the service and the configuration have; SERVICE_UNREACHABLE and its like. No
 * run is active.
 */
export function renameTerm(desk: Desk, typed: Names): Promise<RenamedTerm> {
  const { settings, state } = desk
  const names = { from: cleanText(typed.from), to: cleanText(typed.to) }
  assertNames(names)
  assertNotConfigured(settings, names)
  return withService(
    settings,
    async (session) => {
      assertOfService(settings, state.binding)
      const terms = valueOf(await session.terms(), 'the terms of the service cannot be read')
      const pending = state.terms.pending()
      if (pending !== undefined) {
        if (!isSame(pending.from, names.from) || pending.to !== names.to)
          throw problem(
            `the rename of "${pending.from}" to "${pending.to}" was interrupted`,
            'Run that rename again first: it completes it.',
          )
        return resume(pending, terms, { desk, session })
      }
      const alias = state.terms.aliases().get(termKey(names.from))
      const found = target(terms, names, alias !== undefined && isSame(alias, names.to))
      if (found === undefined) {
        const { id } = terms.find(({ name }) => isSame(name, names.to)) ?? { id: 0 }
        return { id, ...names, isNew: false }
      }
      const { term, isTakenOver } = found
      if (isTakenOver) return takeOver(term, names.from, desk)
      const rename = { id: term.id, from: term.name, to: names.to }
      desk.ask(rename)
      state.terms.begin(rename)
      return send(rename, { desk, session })
    },
    desk,
  )
}
