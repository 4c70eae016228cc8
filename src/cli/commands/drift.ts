// `drift`: how many contacts at the service show something else than was last sent to them, and a plan that puts it back.
import type { HeldRepair } from '../../app/people/repairing.ts'
import { lookAtContacts, type RepairableContact } from '../../app/run/service/drift.ts'
import type { DriftReport } from '../../core/change/others/drift.ts'
import type { Settings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { number, plural } from '../../core/words/format.ts'
import type { DecidingOptions } from '../decided-by.ts'
import { decided } from '../deciding.ts'
import { type Io, print, printError, printJson } from '../io.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'

interface DriftOptions extends DecidingOptions {
  readonly sample?: number
  readonly all?: boolean
  readonly repair?: boolean
}

/** Large enough for an interval of at most 14 percentage points, small enough for a minute or two. */
const STANDARD_SAMPLE = 200

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`

function reportLines(report: DriftReport): readonly string[] {
  const { pipeline, contacts, checked, differing, gone, kept, by_field: byField } = report
  const { share, low, high, unanswered } = report
  if (contacts === 0) return [`${pipeline}: no contacts yet`]
  const compared =
    checked < contacts ? `${number(checked)} of ${number(contacts)} contacts` : plural(checked, 'contact')
  const interval =
    low === high ? '' : `; over all contacts ${percent(low)} to ${percent(high)} (95% interval)`
  const fields = Object.entries(byField).map(([field, times]) => `${field} ${number(times)}`)
  return [
    `${pipeline}: ${compared} compared with what was last sent`,
    `  differing ${number(differing)} (${percent(share)})${interval}`,
    ...(fields.length === 0 ? [] : [`    ${fields.join(', ')}`]),
    `  gone ${number(gone)}`,
    `  edited and kept ${number(kept)}`,
    ...(unanswered === 0 ? [] : [`  not read ${number(unanswered)}`]),
  ]
}

const listed = ({ contacts: _, unanswered: __, ...report }: DriftReport) => report

function repairLines({ pipeline, run_id: run, changes, left }: HeldRepair): readonly string[] {
  const rest =
    left === 0
      ? []
      : [
          `${pipeline}: ${plural(left, 'contact')} not in the plan, because another change is open or another pipeline sent the value`,
        ]
  if (run === null) return [...rest, `${pipeline}: nothing to put back`]
  return [
    `${pipeline}: ${plural(changes, 'contact')} to be set back to what was last sent, held for release`,
    ...rest,
    `  to send them: contact-sync held release ${run}`,
    `  to give them up: contact-sync held drop ${run}`,
  ]
}

/** A plan for each pipeline in which something can be put back. */
async function heldRepairs(
  by: { readonly io: Io; readonly options: DriftOptions; readonly settings: Settings },
  found: ReadonlyMap<string, readonly RepairableContact[]>,
): Promise<readonly HeldRepair[]> {
  const repairs: HeldRepair[] = []
  for (const [pipeline, contacts] of found)
    repairs.push(await decided(by, { kind: 'drift repair', args: { pipeline, contacts: [...contacts] } }))
  return repairs
}

export async function drift(io: Io, options: DriftOptions, names: string[]): Promise<number> {
  const { sample, all = false } = options
  if (all && sample !== undefined)
    throw new SyncError('USAGE', '--all and --sample exclude each other', {
      hint: '--all reads every contact; --sample N reads N of each pipeline, drawn at random.',
    })
  const settings = await commandSettings(io, options)
  warnOfOlderState(io, settings)
  const chosen = chosenPipelines(settings, names)
  const found = new Map(chosen.map(({ name }): [string, RepairableContact[]] => [name, []]))
  const { reports, stop, erased } = await lookAtContacts(settings, chosen, {
    repairable: (pipeline, contact) => void found.get(pipeline)?.push(contact),
    size: all ? Infinity : (sample ?? STANDARD_SAMPLE),
    signal: io.signal,
    looked: (pipeline, contacts, of) => {
      if (contacts % 1000 === 0 && contacts < of)
        printError(io, `${pipeline}: ${number(contacts)} of ${number(of)} read`)
    },
  })
  if (options.json !== true) reports.flatMap(reportLines).forEach((line) => print(io, line))
  const repairs = options.repair === true ? await heldRepairs({ io, options, settings }, found) : undefined
  if (options.json === true)
    printJson(io, { pipelines: reports.map(listed), ...(repairs === undefined ? {} : { repairs }) })
  else repairs?.flatMap(repairLines).forEach((line) => print(io, line))
  if (erased.length > 0)
    printError(
      io,
      `${erased.length === 1 ? 'contact' : 'contacts'} ${erased.join(', ')} at the service: with the e-mail address of a person who was erased`,
    )
  const unread = reports.reduce((sum, { unanswered }) => sum + unanswered, 0)
  if (unread === 0) return EXIT.done
  const why = io.signal.aborted ? 'interrupted' : stop?.message
  printError(io, `${plural(unread, 'contact')} not read${why === undefined ? '' : `: ${why}`}`)
  return stop === undefined || stop.code === 'DAILY_LIMIT' ? EXIT.partial : EXIT.noService
}
