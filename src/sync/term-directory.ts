// The service's terms as one run knows them: read once, when first needed; looked up by name here and never by a path.
// Making terms and describing them is here, too, because the list has to learn of it.
import { termEntry } from '../core/audit.ts'
import { stopWithout } from '../core/circuit.ts'
import { SyncError } from '../core/errors.ts'
import type { RequestTrace, ServiceReads, Term } from '../core/ports.ts'
import { termDescription, termKey } from '../core/terms.ts'
import { noted, type PlanContext, type RunContext, type TermDirectory, type TermFinding } from './context.ts'

interface Entries {
  readonly byKey: Map<string, Term>
  readonly byId: Map<number, Term>
}

function entriesOf(terms: readonly Term[]): Entries {
  const byKey = new Map<string, Term>()
  // Where two names fall together for us only, the older term counts.
  for (const term of terms) if (!byKey.has(termKey(term.name))) byKey.set(termKey(term.name), term)
  return { byKey, byId: new Map(terms.map((term) => [term.id, term])) }
}

async function readAll(
  session: ServiceReads,
  context: Pick<PlanContext, 'signal' | 'circuit'>,
): Promise<Entries> {
  const result = noted(await session.terms(), context)
  if (result.kind === 'ok') return entriesOf(result.value)
  const { code, message } = stopWithout(result)
  throw new SyncError(code, `the terms of the service cannot be read: ${message}`)
}

async function noteTerm(
  action: 'create_term' | 'update_term',
  fields: Record<string, { from: string | null; to: string }>,
  request: RequestTrace,
  context: RunContext,
): Promise<void> {
  const { runId, pipeline, clock } = context
  const about = { at: clock.now(), runId, pipeline: pipeline.name, configHash: pipeline.hash }
  await context.state.note(termEntry({ action, fields, request }, about))
}

/** POST by name, then a look at whose id came back: a service may fold more than we do (accents, say). */
async function make(name: string, entries: Entries, context: RunContext): Promise<TermFinding> {
  const description = termDescription(name, context.pipeline)
  const made = noted(await context.session.createTerm(name, description), context)
  if (made.kind !== 'ok') return { kind: 'failed', result: made }
  const known = entries.byId.get(made.value)
  const read = known ?? noted(await context.session.termById(made.value), context)
  if ('kind' in read && read.kind !== 'ok') return { kind: 'failed', result: read }
  const term = 'kind' in read ? read.value : read
  entries.byId.set(term.id, term)
  if (termKey(term.name) !== termKey(name)) return { kind: 'folded', into: term.name }
  entries.byKey.set(termKey(name), term)
  context.tally.counts.terms_created += 1
  const given = {
    name: { from: null, to: name },
    ...(description === undefined ? {} : { description: { from: null, to: description } }),
  }
  await noteTerm('create_term', given, made.request, context)
  return { kind: 'term', term }
}

/** `context`: how the run's calls are noted. */
export function createTermDirectory(
  session: ServiceReads,
  context: Pick<PlanContext, 'signal' | 'circuit'>,
): TermDirectory {
  let reading: Promise<Entries> | undefined
  const underway = new Map<string, Promise<TermFinding>>()
  const folded = new Set<string>()
  const entries = (): Promise<Entries> => (reading ??= readAll(session, context))
  const makeOnce = async (name: string, run: RunContext): Promise<TermFinding> => {
    const finding = await make(name, await entries(), run)
    if (finding.kind === 'failed') underway.delete(termKey(name))
    if (finding.kind === 'folded') {
      folded.add(name)
      run.log.warn('a term is not used: the service folds its name into that of another', {
        term: name,
        into: finding.into,
      })
    }
    return finding
  }
  return {
    folded,
    list: async () => (await entries()).byKey,
    async ensure(name, run) {
      const key = termKey(name)
      const term = (await entries()).byKey.get(key)
      if (term !== undefined) return { kind: 'term', term }
      const making = underway.get(key) ?? makeOnce(name, run)
      underway.set(key, making)
      return making
    },
  }
}

const comparable = (text: string): string => text.normalize('NFC').replaceAll('\r\n', '\n').trim()

/** Brings the descriptions of existing terms to what the pipeline says; those that are made later get it then. */
export async function describeTerms(context: RunContext): Promise<void> {
  const wanted = Object.entries(context.pipeline.terms.descriptions)
  if (wanted.length === 0) return
  const terms = await context.terms.list()
  for (const [name, description] of wanted) {
    const term = terms.get(termKey(name))
    if (term === undefined || comparable(term.description) === comparable(description)) continue
    const result = noted(await context.session.updateTerm(term.id, { description }), context)
    if (result.kind !== 'ok') {
      context.log.warn('the description of a term was not taken', { term: name, answer: result.summary })
      continue
    }
    const change = { description: { from: term.description, to: description } }
    await noteTerm(
      'update_term',
      { name: { from: term.name, to: term.name }, ...change },
      result.request,
      context,
    )
  }
}
