// Sends a plan in its order: as many requests at a time as the service allows, and never two for one mail at once,
// because the second could be judged before the first is there.
import type { Operation } from '../core/operation.ts'
import { isStopped, type RunContext } from './context.ts'
import { sendCreate, sendCreates, sendUpdate } from './send.ts'

interface Shipment {
  readonly operations: readonly Operation[]
  send(): Promise<void>
}

const PAGE = 200

async function* plannedOperations(context: RunContext): AsyncGenerator<Operation> {
  let last: Operation | undefined
  for (;;) {
    const page = await context.state.planned(context.runId, last, PAGE)
    yield* page
    last = page.at(-1)
    if (last === undefined) return
  }
}

/** Groups the plan into requests: updates and contacts without a mail alone, the others by the bulk size. */
async function* shipments(context: RunContext): AsyncGenerator<Shipment> {
  let bulk: Operation[] = []
  let mails = new Set<string>()
  const full = (): Shipment => {
    const operations = bulk
    bulk = []
    mails = new Set()
    return { operations, send: () => sendCreates(operations, context) }
  }
  for await (const operation of plannedOperations(context)) {
    if (operation.kind === 'update')
      yield { operations: [operation], send: () => sendUpdate(operation, context) }
    else if (operation.mailKey === undefined) {
      if (bulk.length > 0) yield full()
      yield { operations: [operation], send: () => sendCreate(operation, context) }
    } else {
      if (mails.has(operation.mailKey)) yield full()
      bulk.push(operation)
      mails.add(operation.mailKey)
      if (bulk.length >= context.service.bulk.size) yield full()
    }
  }
  if (bulk.length > 0) yield full()
}

/** Sends every planned operation of the run, until the plan is empty or the run has to stop. */
export async function applyPlan(context: RunContext): Promise<void> {
  const underway = new Map<Promise<void>, readonly Operation[]>()
  const busy = new Set<string>()
  const errors: unknown[] = []
  const launch = (shipment: Shipment): void => {
    const mails = shipment.operations.flatMap(({ mailKey }) => mailKey ?? [])
    for (const mail of mails) busy.add(mail)
    const done = shipment
      .send()
      .catch((error: unknown) => void errors.push(error))
      .finally(() => {
        underway.delete(done)
        for (const mail of mails) busy.delete(mail)
      })
    underway.set(done, shipment.operations)
  }
  const mustWait = ({ operations }: Shipment): boolean =>
    underway.size >= context.service.rateLimit.concurrency ||
    operations.some(({ mailKey }) => mailKey !== undefined && busy.has(mailKey))
  for await (const shipment of shipments(context)) {
    while (mustWait(shipment)) await Promise.race(underway.keys())
    if (isStopped(context) || errors.length > 0) break
    launch(shipment)
  }
  await Promise.all(underway.keys())
  if (errors.length > 0) throw errors[0]
}
