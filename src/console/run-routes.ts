// Addresses of runs, and of what is still open: held, in doubt, to be tried again, rejected.
import type { Context, Hono } from 'hono'
import type { OperationKind } from '../core/change/operation.ts'
import type { OperationState } from '../core/change/states.ts'
import type { HeldPlan } from '../core/state.ts'
import type { PageEnv } from './access.ts'
import { address } from './html/table.ts'
import { missing, oneOf, refreshWhile, ROWS, runIdOf, show, startOf, wholeNumber } from './asked.ts'
import type { PageRequest } from '../core/views.ts'
import type { ConsoleData } from './data.ts'
import { mayApprove, mayDecide } from './decision-routes.ts'
import { CHANGE_KINDS } from './pages/open.ts'
import { CORRECTION_STATES, correctionsPage } from './pages/corrections.ts'
import { doubtsPage, type OpenChanges, retriesPage } from './pages/doubts.ts'
import { editsPage } from './pages/edits.ts'
import { brakesPage } from './pages/brakes.ts'
import { driftPage } from './pages/drift.ts'
import { heldPage, heldPlanPage } from './pages/held.ts'
import { rejectPage } from './pages/reject.ts'
import { rejectsPage } from './pages/rejects.ts'
import { runFilesPage, runPage } from './pages/run.ts'
import { type ActiveRun, RUN_STATUSES, runsPage } from './pages/runs.ts'

/** Changes of one plan that are shown where there are other plans, too. */
const FEW = 10
/** Of a run, before the link to all of them. */
const SOME = 20

const kindOf = (context: Context): OperationKind | undefined => oneOf(context.req.query('kind'), CHANGE_KINDS)

const namesOf = (data: ConsoleData): string[] => data.live().pipelines.map(({ name }) => name)

/**
 * Runs that are active, by their ids. What this process runs tells its progress; of a pipeline that another worker runs it is the
 * newest run, unless that has ended.
 */
async function activeRuns(data: ConsoleData): Promise<ReadonlyMap<string, ActiveRun>> {
  const { pipelines, progress, fleet } = data.live()
  const elsewhere = pipelines.filter(
    ({ name, running }) => running && progress.every(({ pipeline }) => pipeline !== name),
  )
  const newest = await Promise.all(
    elsewhere.map(async ({ name }) => data.views.runs({ pipeline: name }, { from: undefined, limit: 1 })),
  )
  const active = new Map<string, ActiveRun>(progress.map((one) => [one.runId, { progress: one }]))
  for (const { id, pipeline, status } of newest.flatMap(({ rows }) => rows))
    if (status === undefined)
      active.set(id, { worker: fleet?.workers.find((worker) => worker.active.includes(pipeline)) })
  return active
}

/** A decision has entries under an id of its own, and no run; nor has a run that is not kept any more. */
async function entriesOrMissing(
  run: string | undefined,
  { context, data }: { readonly context: Context<PageEnv>; readonly data: ConsoleData },
): Promise<Response> {
  const some = run === undefined ? [] : await data.log.logPage({ run }, { order: 'newest', limit: 1 })
  return some.length === 0 ? missing(context) : context.redirect(address('/log', { run }), 303)
}

function runPages(app: Hono<PageEnv>, data: ConsoleData): void {
  app.get('/runs', async (context) => {
    const pipelines = namesOf(data)
    const pipeline = oneOf(context.req.query('pipeline'), pipelines)
    const filter = { pipeline, status: oneOf(context.req.query('status'), RUN_STATUSES) }
    const from = startOf(context)
    const [runs, active] = await Promise.all([
      data.views.runs(filter, { from, limit: ROWS }),
      activeRuns(data),
    ])
    return show(context, runsPage({ pipelines, filter, from, runs, active }))
  })
  app.get('/runs/:id', async (context) => {
    const runId = runIdOf(context.req.param('id'))
    const run = runId === undefined ? undefined : await data.views.run(runId)
    if (run === undefined) return entriesOrMissing(runId, { context, data })
    const [active, isConfigurationKept, totals, inputs, rejects, entries] = await Promise.all([
      activeRuns(data).then((all) => all.get(run.id)),
      data.views.isConfigurationKept(run.configHash),
      data.log.runTotals(run.id),
      data.views.inputs(run.id, { from: undefined, limit: ROWS }),
      data.views.rejects({ runId: run.id }, { from: undefined, limit: SOME }),
      data.log.logPage({ run: run.id }, { order: 'oldest', limit: SOME + 1 }),
    ])
    const shown = { rows: entries.slice(0, SOME), next: entries.length > SOME ? 'more' : undefined }
    const { now } = data.live()
    const refresh = refreshWhile(active !== undefined, context)
    const parts = { run, now, isConfigurationKept, active, totals, inputs, rejects, entries: shown }
    return show(context, { ...runPage(parts), refresh })
  })
  app.get('/runs/:id/files', async (context) => {
    const id = runIdOf(context.req.param('id'))
    const run = id === undefined ? undefined : await data.views.run(id)
    if (run === undefined) return missing(context)
    const from = startOf(context)
    const inputs = await data.views.inputs(run.id, { from, limit: ROWS })
    return show(context, runFilesPage(run, { inputs, from }))
  })
}

function heldPages(app: Hono<PageEnv>, data: ConsoleData): void {
  const changesOf = (
    { runId, guard, pipeline }: HeldPlan,
    kind: OperationKind | undefined,
    page: PageRequest,
  ) => data.views.open({ states: ['held'], pipelines: [pipeline], runId, guard, kind }, page)
  app.get('/held', async (context) => {
    const pipelines = namesOf(data)
    const pipeline = oneOf(context.req.query('pipeline'), pipelines)
    const chosen = pipeline === undefined ? pipelines : [pipeline]
    const kind = kindOf(context)
    const from = startOf(context)
    const [found, groups] = await Promise.all([
      data.views.heldPlans(chosen, data.counting()),
      data.views.openGroups(['held'], pipelines),
    ])
    const some = { from: undefined, limit: FEW }
    const plans = await Promise.all(
      found.map(async (plan) => ({ plan, changes: await changesOf(plan, kind, some) })),
    )
    const runId = runIdOf(context.req.query('run'))
    const alone = await data.views.open(
      { states: ['held'], pipelines: chosen, runId, guard: null, kind },
      { from, limit: ROWS },
    )
    const ofRun = plans.filter(
      ({ plan, changes }) =>
        (runId === undefined || plan.runId === runId) && (kind === undefined || changes.rows.length > 0),
    )
    return show(
      context,
      heldPage({
        now: data.live().now,
        pipelines,
        pipeline,
        kind,
        groups,
        from,
        plans: ofRun,
        alone,
        hasBrakes: data.brakes().length > 0,
        mayDecide: mayDecide(context),
        mayApprove: mayApprove(context),
      }),
    )
  })
  app.get('/held/:run', async (context) => {
    const plans = await data.views.heldPlans(namesOf(data), data.counting())
    const guard = context.req.query('guard')
    const pipeline = context.req.query('pipeline')
    const plan = plans.find(
      (one) =>
        one.runId === context.req.param('run') &&
        (guard === undefined || one.guard === guard) &&
        (pipeline === undefined || one.pipeline === pipeline),
    )
    if (plan === undefined) return missing(context)
    const from = startOf(context)
    const kind = kindOf(context)
    const changes = await changesOf(plan, kind, { from, limit: ROWS })
    return show(
      context,
      heldPlanPage({
        ...{ now: data.live().now, plan, kind, changes, from },
        ...{ mayDecide: mayDecide(context), mayApprove: mayApprove(context) },
      }),
    )
  })
}

const LOGGED = 50

function brakePage(app: Hono<PageEnv>, data: ConsoleData): void {
  app.get('/brakes', async (context) => {
    const { now } = data.live()
    const rules = data.brakes()
    const [brakes, entries] = await Promise.all([
      data.views.brakes(rules.map(({ term, rule }) => ({ name: term, since: now - rule.watch }))),
      data.log.logPage({ action: 'brake' }, { order: 'newest', limit: LOGGED }),
    ])
    // Those of the configuration come first, in its order.
    const terms = brakes.map((brake, index) => ({ brake, rule: rules[index]?.rule }))
    return show(context, brakesPage({ now, terms, entries }))
  })
}

/** A year of daily rounds is shown by its last month. */
const ROUNDS = 100

function driftRoutes(app: Hono<PageEnv>, data: ConsoleData): void {
  app.get('/drift', async (context) => {
    const asked = oneOf(
      context.req.query('pipeline'),
      data.drift().map(({ pipeline }) => pipeline),
    )
    const named = data.drift().filter(({ pipeline }) => asked === undefined || pipeline === asked)
    const pipelines = await Promise.all(
      named.map(async (one) => ({ ...one, rounds: await data.views.driftRounds(one.pipeline, ROUNDS) })),
    )
    return show(context, driftPage({ now: data.live().now, pipelines }))
  })
}

const runningNow = (data: ConsoleData): ReadonlySet<string> =>
  new Set(data.live().pipelines.flatMap(({ name, running }) => (running ? [name] : [])))

async function openChanges(
  context: Context,
  data: ConsoleData,
  states: readonly OperationState[],
): Promise<OpenChanges> {
  const pipelines = namesOf(data)
  const pipeline = oneOf(context.req.query('pipeline'), pipelines)
  const runId = runIdOf(context.req.query('run'))
  const from = startOf(context)
  const kind = kindOf(context)
  const asked = { states, pipelines: pipeline === undefined ? pipelines : [pipeline], runId, kind }
  const [changes, groups] = await Promise.all([
    data.views.open(asked, { from, limit: ROWS }),
    data.views.openGroups(states, pipelines),
  ])
  return { pipelines, filter: { pipeline, runId, kind }, from, changes, groups }
}

export function runRoutes(app: Hono<PageEnv>, data: ConsoleData): void {
  runPages(app, data)
  heldPages(app, data)
  brakePage(app, data)
  driftRoutes(app, data)
  app.get('/doubts', async (context) =>
    show(
      context,
      doubtsPage(await openChanges(context, data, ['in_doubt', 'sending']), {
        running: runningNow(data),
        mayDecide: mayDecide(context),
      }),
    ),
  )
  app.get('/retries', async (context) =>
    show(context, retriesPage(await openChanges(context, data, ['failed', 'waiting']))),
  )
  app.get('/edits', async (context) => {
    const pipelines = namesOf(data)
    const pipeline = oneOf(context.req.query('pipeline'), pipelines)
    const from = startOf(context)
    const asked = pipeline === undefined ? pipelines : [pipeline]
    const edits = await data.views.edits(asked, { from, limit: ROWS })
    return show(
      context,
      editsPage({ pipelines, pipeline, from, edits, now: data.live().now, mayDecide: mayDecide(context) }),
    )
  })
  app.get('/rejects', async (context) => {
    const pipelines = namesOf(data)
    const pipeline = oneOf(context.req.query('pipeline'), pipelines)
    const groups = await data.views.rejectGroups(pipelines)
    const code = oneOf(
      context.req.query('code'),
      groups.map(({ kind }) => kind),
    )
    const runId = runIdOf(context.req.query('run'))
    const from = startOf(context)
    const asked = { pipelines: pipeline === undefined ? pipelines : [pipeline], code, runId }
    const rejects = await data.views.rejects(asked, { from, limit: ROWS })
    const filter = { pipeline, code, runId }
    const parts = { pipelines, filter, from, rejects, groups, mayDecide: mayDecide(context) }
    return show(context, rejectsPage(parts))
  })
  app.get('/corrections', async (context) => {
    const pipelines = namesOf(data)
    const pipeline = oneOf(context.req.query('pipeline'), pipelines)
    const state = oneOf(context.req.query('state'), CORRECTION_STATES)
    const from = startOf(context)
    const asked = { pipelines: pipeline === undefined ? pipelines : [pipeline], state }
    const corrections = await data.views.corrections(asked, { from, limit: ROWS })
    const { now } = data.live()
    const parts = { pipelines, pipeline, state, from, corrections, now, mayDecide: mayDecide(context) }
    return show(context, correctionsPage(parts))
  })
  app.get('/rejects/:id', async (context) => {
    const id = wholeNumber(context.req.param('id'))
    const found = id === undefined ? undefined : await data.correctable(id, {})
    return found === undefined
      ? missing(context)
      : show(context, rejectPage(found, { mayDecide: mayDecide(context) }))
  })
}
