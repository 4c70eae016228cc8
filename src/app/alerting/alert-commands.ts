// Alerts without a daemon: after runs that a user (or cron) started, and for the commands about them.
import { deliver, receiverName } from '../../alerts/delivery.ts'
import { testMessage } from '../../core/alerts/alert-message.ts'
import type { AlertStore, ReceiverStanding } from '../../core/alerts/alert-store.ts'
import type { Settings } from '../../core/settings.ts'
import { openStateForReading } from '../../store/state-store.ts'
import type { PipelineResult } from '../../sync/run.ts'
import { systemClock as clock } from '../../system.ts'
import { createServiceVerdict } from './alert-facts.ts'
import { createAlerting } from './alerting.ts'
import { DELIVERY_TIMEOUT_MS, serviceHost } from './alert-parts.ts'
import type { Runner } from '../run/runner.ts'

/** The user waits for the command to end; messages not accepted by then are sent by the next run. */
const AFTER_RUNS_MS = 15_000

/** Tells receivers what the runs have changed; by the same rules, and from the same memory, as the daemon does. */
export async function tellOfRuns(
  settings: Settings,
  runner: Pick<Runner, 'state' | 'log'>,
  { results, signal }: { results: readonly PipelineResult[]; signal: AbortSignal },
): Promise<void> {
  const service = createServiceVerdict()
  for (const result of results) service.ran(result)
  const alerting = createAlerting({
    state: runner.state,
    log: runner.log,
    clock,
    service,
    signal: AbortSignal.any([signal, AbortSignal.timeout(AFTER_RUNS_MS)]),
    settings: () => settings,
    condition: () => undefined,
  })
  await alerting.look()
}

export interface TestedReceiver {
  readonly receiver: string
  readonly delivered: boolean
  readonly reason?: string
}

/** Sends a test message to every receiver, once. */
export async function testAlerts(
  settings: Settings,
  signal: AbortSignal,
): Promise<readonly TestedReceiver[]> {
  const at = clock.now()
  const message = { ...testMessage({ at, service: serviceHost(settings) }), id: `test-${at}` }
  return Promise.all(
    settings.alerts.map(async ({ receiver }) => ({
      receiver: receiverName(receiver),
      ...(await deliver(receiver, message, { timeoutMs: DELIVERY_TIMEOUT_MS, at, signal })),
    })),
  )
}

/** What each receiver was told of and still holds, and what it has not taken yet. */
export const standingsOfReceivers = (
  { alerts }: Settings,
  state: Pick<AlertStore, 'alertsOf'> | undefined,
): Promise<readonly ReceiverStanding[]> =>
  Promise.all(
    alerts.map(async ({ id, receiver }) => ({
      receiver: receiverName(receiver),
      ...((await state?.alertsOf(id)) ?? { raised: [], pending: [] }),
    })),
  )

/** The same from the state, beside a daemon. */
export async function alertStandings(settings: Settings): Promise<readonly ReceiverStanding[]> {
  const state = openStateForReading(settings.state)
  try {
    return await standingsOfReceivers(settings, state)
  } finally {
    await state?.close()
  }
}
