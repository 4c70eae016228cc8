// `alerts list` and `alerts test`: who was told of what, and whether receivers can be reached.
import { EXIT } from '../../core/words/exit-codes.ts'
import { alertStandings, testAlerts } from '../../app/alerting/alert-commands.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Settings } from '../../core/settings.ts'
import { momentText, plural } from '../../core/words/format.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'

async function settingsWithAlerts(io: Io, options: CommonOptions): Promise<Settings> {
  const settings = await commandSettings(io, options)
  if (settings.alerts.length > 0) return settings
  throw new SyncError('USAGE', 'no alerts are configured', {
    hint: 'See "Alerts" in config/README.md.',
  })
}

type Standing = Awaited<ReturnType<typeof alertStandings>>[number]

const about = ({ name, pipeline }: { name: string; pipeline: string }): string =>
  pipeline === '' ? name : `${pipeline}: ${name}`

function standingText({ receiver, raised, pending }: Standing): readonly string[] {
  const lines = raised
    .filter(({ told }) => told)
    .map((alert) => `  ${about(alert)}, since ${momentText(alert.since)}`)
  const waiting = pending.map(
    (message) =>
      `  not delivered yet: ${about(message)} (${message.event}), tried ${plural(message.attempts, 'time')}`,
  )
  const all = [...lines, ...waiting]
  return [`${receiver}${all.length === 0 ? ': no open alerts' : ''}`, ...all]
}

const standingJson = ({ receiver, raised, pending }: Standing) => ({
  receiver,
  raised: raised
    .filter(({ told }) => told)
    .map(({ name, pipeline, since }) => ({
      condition: name,
      pipeline: pipeline === '' ? null : pipeline,
      since: new Date(since).toISOString(),
    })),
  undelivered: pending.map(({ name, pipeline, event, attempts }) => ({
    condition: name,
    pipeline: pipeline === '' ? null : pipeline,
    event,
    attempts,
  })),
})

export async function listAlerts(io: Io, options: CommonOptions): Promise<number> {
  const standings = await alertStandings(await settingsWithAlerts(io, options))
  if (options.json === true) printJson(io, { receivers: standings.map(standingJson) })
  else for (const one of standings) print(io, standingText(one))
  return 0
}

/** `partial` where a receiver has not taken the message. */
export async function test(io: Io, options: CommonOptions): Promise<number> {
  const tested = await testAlerts(await settingsWithAlerts(io, options), io.signal)
  if (options.json === true) printJson(io, { receivers: tested })
  else
    for (const { receiver, reason } of tested)
      print(io, `${receiver}: ${reason === undefined ? 'delivered' : `not delivered: ${reason}`}`)
  return tested.every(({ delivered }) => delivered) ? EXIT.done : EXIT.partial
}
