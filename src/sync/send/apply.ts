// Sends a plan in its order, request by request, side by side as far as that may be (side-by-side.ts).
import { contactMailKey } from '../../core/mapping/contact.ts'
import { NOT_DONE_REASON } from '../../core/change/lookup/doubt.ts'
import type { LinkedOperation, Operation } from '../../core/change/operation.ts'
import { isWithdrawn } from '../../core/change/permission.ts'
import { sendConsent } from './consent.ts'
import { bulkSize, isStopped, type RunContext } from '../context.ts'
import { sendDelete } from './send-delete.ts'
import { sendTerms } from './send-terms.ts'
import { isBulkUpdate, sendUpdate, sendUpdates } from './send-update.ts'
import { sendCreates } from './send.ts'
import { createSideBySide } from './side-by-side.ts'

interface Shipment {
  readonly kind: Operation['kind']
  readonly operations: readonly Operation[]
  send(): Promise<void>
}

const PAGE = 200
/** Names of terms that are held in memory at once; those beyond are made when they are needed. */
const MOST_TERMS = 100_000

interface Planned {
  readonly operation: Operation
  /** An update that may go with others in one call. */
  readonly isBulk: boolean
}

const isUpdate = (operation: Operation): operation is LinkedOperation<'update'> => operation.kind === 'update'

const goesFirst = ({ kind, consent }: Operation): boolean => kind === 'consent' && isWithdrawn(consent)

/** What is planned now. Where a mail_status of 1 or 2 goes first, only those: what follows them is planned by their end. */
async function* plannedOperations(context: RunContext): AsyncGenerator<Planned> {
  let last: Operation | undefined
  for (;;) {
    const all = await context.state.takeToSend(context.runId, last, PAGE)
    const isBehind = last !== undefined && goesFirst(last)
    const isFirst = all[0] !== undefined && goesFirst(all[0])
    const page = isFirst || isBehind ? all.filter(goesFirst) : all
    const candidates = page.filter(isUpdate).filter((update) => isBulkUpdate(update, context.pipeline))
    const alone = candidates.length === 0 ? undefined : await context.state.withMailOfTheirOwn(candidates)
    yield* page.map((operation) => ({ operation, isBulk: alone?.has(operation.id) === true }))
    last = page.at(-1)
    if (last === undefined) return
  }
}

function sendAlone(operation: Operation, context: RunContext): Promise<void> {
  switch (operation.kind) {
    case 'create':
      return sendCreates([operation], context)
    case 'update':
      return sendUpdate(operation, context)
    case 'terms':
      return sendTerms(operation, context)
    case 'consent':
      return sendConsent(operation, context)
    case 'delete':
      return sendDelete(operation, context)
  }
}

/** Creates, or updates, in one call. */
function sendTogether(operations: readonly Operation[], context: RunContext): Promise<void> {
  const updates = operations.filter(isUpdate)
  return updates.length > 0 ? sendUpdates(updates, context) : sendCreates(operations, context)
}

/** Groups the plan into requests: a change that needs its own call alone, the others by the bulk size. */
async function* shipments(context: RunContext): AsyncGenerator<Shipment> {
  let bulk: Operation[] = []
  let mails = new Set<string>()
  const full = (): Shipment[] => {
    const operations = bulk
    bulk = []
    mails = new Set()
    const kind = operations[0]?.kind
    return kind === undefined ? [] : [{ kind, operations, send: () => sendTogether(operations, context) }]
  }
  for await (const { operation, isBulk } of plannedOperations(context)) {
    const mail = operation.kind === 'create' ? operation.mailKey : contactMailKey(operation.known)
    if (bulk[0] !== undefined && bulk[0].kind !== operation.kind) yield* full()
    if (mail === undefined || (operation.kind !== 'create' && !isBulk)) {
      yield { kind: operation.kind, operations: [operation], send: () => sendAlone(operation, context) }
      continue
    }
    // One that others in its call may have kept from being carried out: sent alone it gets its own answer.
    if (operation.kind === 'create' && operation.reason === NOT_DONE_REASON) {
      yield { kind: 'create', operations: [operation], send: () => sendCreates([operation], context) }
      continue
    }
    if (mails.has(mail)) yield* full()
    bulk.push(operation)
    mails.add(mail)
    if (bulk.length >= bulkSize(context)) yield* full()
  }
  yield* full()
}

/** Sends what is planned now; how many shipments that were. */
async function sendPlanned(context: RunContext): Promise<number> {
  let sent = 0
  const sideBySide = createSideBySide(context)
  for await (const shipment of shipments(context)) {
    if (!(await sideBySide.begin(() => shipment.send(), shipment))) break
    sent += 1
  }
  await sideBySide.end()
  return sent
}

/** Sends every planned operation of the run, until the plan is empty or the run has to stop. */
export async function applyPlan(context: RunContext): Promise<void> {
  const { terms } = await context.state.planTotals(context.runId, MOST_TERMS)
  await context.terms.prepare(terms, context)
  let sent: number
  do {
    // The last steps to be done may have planned further ones behind what was read of the plan.
    sent = await sendPlanned(context)
  } while (sent > 0 && !isStopped(context))
}
