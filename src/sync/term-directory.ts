// The service's terms as one run knows them: read once, when first needed; looked up by name here and never by a path.
// Making terms and describing them is here, too, because the list has to learn of it.
import { termEntry } from '../core/log/other-entries.ts'
import { stopWithout } from '../core/outcome/circuit.ts'
import { SyncError } from '../core/words/errors.ts'
import { FEW_TERMS } from '../core/change/estimate.ts'
import type { RequestTrace, ServiceReads, Term } from '../core/ports.ts'
import { type TermAliases, termDescription, termKey } from '../core/mapping/terms.ts'
import {
  isStopped,
  type PlanContext,
  type RunContext,
  type TermDirectory,
  type TermFinding,
} from './context.ts'

interface Entries {
  readonly byKey: Map<string, Term>
  readonly byId: Map<number, Term>
}

function entriesOf(terms: readonly Term[], aliases: TermAliases): Entries {
  const byKey = new Map<string, Term>()
  // Where two names fall together for us only, the older term counts.
  for (const term of terms) if (!byKey.has(termKey(term.name))) byKey.set(termKey(term.name), term)
  // A rename that was cut short: the term still has its former name at the service.
  for (const term of terms) {
    const today = aliases.get(termKey(term.name))
    if (today !== undefined && !byKey.has(termKey(today))) byKey.set(termKey(today), term)
  }
  return { byKey, byId: new Map(terms.map((term) => [term.id, term])) }
}

type DirectoryContext = Pick<PlanContext, 'state'>

async function readAll(session: ServiceReads, context: DirectoryContext): Promise<Entries> {
  const result = await session.terms()
  if (result.kind === 'ok') return entriesOf(result.value, await context.state.termAliases())
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

interface Made {
  readonly id: number
  readonly description: string | undefined
  readonly request: RequestTrace
}

type Making = Made | (TermFinding & { kind: 'failed' })

/** POST by name. */
async function post(name: string, context: RunContext): Promise<Making> {
  const description = termDescription(name, context.pipeline)
  const made = await context.session.createTerm(name, description)
  if (made.kind !== 'ok') return { kind: 'failed', result: made }
  return { id: made.value, description, request: made.request }
}

/** What the service shows for the id that came back: it may fold more than we do (accents, say). */
async function taken(
  name: string,
  { made, term }: { made: Made; term: Term },
  { entries, context }: { entries: Entries; context: RunContext },
): Promise<TermFinding> {
  const { description, request } = made
  entries.byId.set(term.id, term)
  if (termKey(term.name) !== termKey(name)) return { kind: 'folded', into: term.name }
  entries.byKey.set(termKey(name), term)
  context.tally.counts.terms_created += 1
  const given = {
    name: { from: null, to: name },
    ...(description === undefined ? {} : { description: { from: null, to: description } }),
  }
  await noteTerm('create_term', given, request, context)
  return { kind: 'term', term }
}

/** Makes one, then looks whose id came back. */
async function make(name: string, entries: Entries, context: RunContext): Promise<TermFinding> {
  const made = await post(name, context)
  if ('kind' in made) return made
  const known = entries.byId.get(made.id)
  const read = known ?? (await context.session.termById(made.id))
  if ('kind' in read && read.kind !== 'ok') return { kind: 'failed', result: read }
  const term = 'kind' in read ? read.value : read
  return taken(name, { made, term }, { entries, context })
}

/** Makes more than a few, then reads the list once, which shows all of them; what does not come of it is left to `make`, where it is needed. */
async function makeMany(
  names: readonly string[],
  entries: Entries,
  context: RunContext,
): Promise<ReadonlyMap<string, TermFinding>> {
  const findings = new Map<string, TermFinding>()
  const all = new Map<string, Made>()
  const { concurrency } = context.service.rate_limit
  for (let from = 0; from < names.length && !isStopped(context); from += concurrency) {
    const some = names.slice(from, from + concurrency)
    const made = await Promise.all(some.map(async (name) => post(name, context)))
    made.forEach((one, index) => {
      if (!('kind' in one)) all.set(some[index] ?? '', one)
    })
  }
  const listed = all.size === 0 ? undefined : await context.session.terms()
  if (listed?.kind !== 'ok') return findings
  const byId = new Map(listed.value.map((term) => [term.id, term]))
  for (const [name, made] of all) {
    const term = byId.get(made.id)
    if (term !== undefined) findings.set(name, await taken(name, { made, term }, { entries, context }))
  }
  return findings
}

export function createTermDirectory(session: ServiceReads, context: DirectoryContext): TermDirectory {
  let reading: Promise<Entries> | undefined
  let listed: number | undefined
  const underway = new Map<string, Promise<TermFinding>>()
  const folded = new Set<string>()
  const absent = new Set<string>()
  const readList = async (): Promise<Entries> => {
    const read = await readAll(session, context)
    listed = read.byId.size
    return read
  }
  const entries = (): Promise<Entries> => (reading ??= readList())
  /** Undefined where the list cannot be read now; it is asked for again where it is needed. */
  const readable = async (): Promise<Entries | undefined> => {
    try {
      return await entries()
    } catch (error) {
      if (!(error instanceof SyncError)) throw error
      reading = undefined
      return undefined
    }
  }
  const told = (name: string, finding: TermFinding, run: RunContext): TermFinding => {
    if (finding.kind !== 'folded') return finding
    folded.add(name)
    run.log.warn('term not used: the service treats its name as that of another', {
      term: name,
      into: finding.into,
    })
    return finding
  }
  const makeOnce = async (name: string, run: RunContext): Promise<TermFinding> => {
    const finding = await make(name, await entries(), run)
    if (finding.kind === 'failed') underway.delete(termKey(name))
    return told(name, finding, run)
  }
  return {
    folded,
    list: async () => (await entries()).byKey,
    listed: () => listed,
    async prepare(names, run) {
      if (names.length <= FEW_TERMS) return
      const { byKey } = await entries()
      const missing = new Map(names.map((name) => [termKey(name), name]))
      for (const key of missing.keys()) if (byKey.has(key) || underway.has(key)) missing.delete(key)
      if (missing.size <= FEW_TERMS) return
      const findings = await makeMany([...missing.values()], await entries(), run)
      for (const [name, finding] of findings)
        underway.set(termKey(name), Promise.resolve(told(name, finding, run)))
    },
    async ensure(name, run) {
      const key = termKey(name)
      const term = (await entries()).byKey.get(key)
      if (term !== undefined) return { kind: 'term', term }
      const making = underway.get(key) ?? makeOnce(name, run)
      underway.set(key, making)
      return making
    },
    async warnOfAbsent(names, run) {
      const isNew = (name: string): boolean => !absent.has(termKey(name))
      if (!names.some(isNew)) return
      // What was sent is settled: that a warning about it cannot be given is no reason to end the run.
      const known = await readable()
      if (known === undefined) return
      for (const name of names.filter(isNew)) {
        if (known.byKey.has(termKey(name))) continue
        absent.add(termKey(name))
        run.log.warn('term not removed: the service has none of that name', { term: name })
      }
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
    const term = terms?.get(termKey(name))
    if (term === undefined || comparable(term.description) === comparable(description)) continue
    const result = await context.session.updateTerm(term.id, { description })
    if (result.kind !== 'ok') {
      context.log.warn('term description not accepted', { term: name, answer: result.summary })
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
