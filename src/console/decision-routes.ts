// Decisions of signed-in operators and approvers: a form asks, a page says what will happen, a second form with a token of its own
// confirms, and a redirect shows what came of it. A form is taken once, at whichever worker; a second click on it leads to the same
// result.
import type { Context, Hono } from 'hono'
import type { Correction } from '../core/change/others/correction.ts'
import type { DecidedBy } from '../core/words/decided-by.ts'
import type { PageEnv } from './access.ts'
import { reloadIn, show, wholeNumber } from './asked.ts'
import type { ConsoleData } from './data.ts'
import { correctionProposal, type FormFields, proposalOf, type Proposed } from './decisions.ts'
import {
  confirmPage,
  type Decided,
  decidedPage,
  mayNotPage,
  openDecisionPage,
  unknownDecisionPage,
} from './pages/decision.ts'
import { FIELD_PREFIX, rejectPage } from './pages/reject.ts'
import { SessionsUnavailable } from './sessions.ts'

const LONGEST_REASON = 500
/** Most decisions take less than a second. */
const OPEN_RELOAD_S = 2

/** Whether pages offer decisions to this user. */
export const mayDecide = (context: Context<PageEnv>): boolean =>
  context.get('session') !== undefined && context.get('holder').role !== 'viewer'

/** Whether pages offer to release what approvers must. */
export const mayApprove = (context: Context<PageEnv>): boolean =>
  mayDecide(context) && context.get('holder').role === 'approver'

async function fieldsOf(context: Context): Promise<FormFields> {
  const body = await context.req.parseBody()
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.trim()]] : [],
    ),
  )
}

/** What is decided is about this account. */
const accountOf = (context: Context<PageEnv>): string => context.get('account')?.name ?? ''

async function askToConfirm(context: Context<PageEnv>, proposed: Proposed): Promise<Response> {
  const token = await context.get('session')?.keepForm(accountOf(context), proposed)
  return show(context, token === undefined ? unknownDecisionPage() : confirmPage(proposed, token))
}

async function taken(
  { kind, args, title, back, isTest }: Proposed,
  decided: DecidedBy,
  data: ConsoleData,
): Promise<Decided> {
  const { isDone, text } = await (isTest === true ? data.testAlerts() : data.decide({ kind, args, decided }))
  return { title, back, isDone, text }
}

/** What is wrong goes back to the form, with everything that was typed. */
async function confirmCorrection(
  context: Context<PageEnv>,
  { id, ...fields }: FormFields,
  data: ConsoleData,
): Promise<Response> {
  const prefixed = Object.entries(fields).filter(([name]) => name.startsWith(FIELD_PREFIX))
  const typed = Object.fromEntries(prefixed.map(([name, text]) => [name.slice(FIELD_PREFIX.length), text]))
  const reject = wholeNumber(id)
  const found = reject === undefined ? undefined : await data.correctable(reject, typed)
  if (found === undefined || found.obstacle !== undefined) return show(context, unknownDecisionPage())
  // The form and its confirmation show the row as its page does, also to a request that never opened that page.
  const { name, role } = context.get('holder')
  data.noteRead({ at: data.live().now, by: name, role, page: 'rejects', contactId: undefined })
  const changed = found.fields.filter((field) => field.typed !== undefined)
  const isRefused = changed.some(({ problem }) => problem !== undefined)
  if (isRefused || changed.length === 0) {
    const problem = isRefused
      ? 'Nothing was noted: a value is not accepted.'
      : 'Nothing was noted: no value was changed.'
    return show(context, rejectPage(found, { mayDecide: true, problem }))
  }
  return askToConfirm(context, correctionProposal(found))
}

const namedCorrection = async ({ id }: FormFields, { views }: ConsoleData): Promise<Correction | undefined> =>
  views.correction(wholeNumber(id) ?? 0)

export function decisionRoutes(app: Hono<PageEnv>, data: ConsoleData): void {
  app.post('/confirm', async (context) => {
    if (!mayDecide(context)) {
      context.status(403)
      return show(context, mayNotPage())
    }
    const { kind = '', ...fields } = await fieldsOf(context)
    if (kind === 'correct') return confirmCorrection(context, fields, data)
    const pipelines = data.live().pipelines.map(({ name }) => name)
    const plans = await data.views.heldPlans(pipelines)
    const receivers = (await data.alerts()).map(({ receiver }) => receiver)
    const correction = kind === 'corrections drop' ? await namedCorrection(fields, data) : undefined
    const proposed = proposalOf(kind, fields, { pipelines, plans, receivers, correction })
    if (proposed === undefined) return show(context, unknownDecisionPage())
    return askToConfirm(context, proposed)
  })
  app.post('/decide', async (context) => {
    if (!mayDecide(context)) {
      context.status(403)
      return show(context, mayNotPage())
    }
    const { token = '', reason = '' } = await fieldsOf(context)
    const session = context.get('session')
    const form = await session?.claimForm(accountOf(context), token)
    if (session === undefined || form === undefined) return show(context, unknownDecisionPage())
    const { number, proposed } = form
    if (proposed === undefined) return context.redirect(`/decided/${number}`, 303)
    const { name = '', role } = context.get('holder')
    const note = reason === '' ? {} : { note: reason.slice(0, LONGEST_REASON) }
    const decided = await taken(proposed, { by: name, role, ...note }, data)
    try {
      await session.settleForm(number, decided)
    } catch (error) {
      if (!(error instanceof SessionsUnavailable)) throw error
      // It was taken, and that is said now or never.
      return show(context, decidedPage(decided))
    }
    return context.redirect(`/decided/${number}`, 303)
  })
  app.get('/decided/:number', async (context) => {
    const decided = await context.get('session')?.decided(wholeNumber(context.req.param('number')) ?? 0)
    if (decided === undefined) return context.redirect('/', 303)
    if (decided !== 'open') return show(context, decidedPage(decided))
    await reloadIn(OPEN_RELOAD_S, context)
    return show(context, openDecisionPage(OPEN_RELOAD_S))
  })
}
