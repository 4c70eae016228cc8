// One life of a service under one connector: three full exports, one after the other, each run again and again until
// a run leaves nothing; then a run that must not write. Played undisturbed it says how every other one has to end.
import type { Running, WorkshopOptions } from '../support/cli.ts'
import {
  contactsAtService,
  damageOfState,
  filesLeft,
  type FilesLeft,
  openOperations,
  rejectsInState,
  termsAtService,
} from './evidence.ts'
import { firstExport, secondExport, thirdExport } from './inputs.ts'
import { type Check, openWorkplace, runUntilClean, type Workplace } from './workplace.ts'

const MOST_ROUNDS = 80

/** What must be the same, whatever happened on the way. */
export interface End {
  /** After each export. */
  readonly contacts: readonly (readonly string[])[]
  readonly terms: readonly string[]
  readonly rejects: readonly (readonly string[])[]
  readonly files: FilesLeft
  readonly damage: readonly string[]
  /** States of operations that did not come to their end. */
  readonly open: readonly string[]
  /** Requests other than GET of a run over the last export once more. */
  readonly writesOfOneMore: readonly string[]
  readonly followedRedirects: number
}

export interface Story {
  readonly end: End
  readonly rounds: number
  readonly kills: number
  /** How often each fault was met, by its name. */
  readonly met: Readonly<Record<string, number>>
}

export interface Series {
  readonly check: Check
  readonly people: number
  readonly options?: WorkshopOptions
  /** Undisturbed without it. */
  disturb?(workplace: Workplace): { onStart?(running: Running): void }
}

function faultsMet({ proxy }: Workplace): Record<string, number> {
  const met: Record<string, number> = {}
  for (const { fault } of proxy.record) {
    const name = 'moment' in fault ? `${fault.kind} ${fault.moment}` : fault.kind
    met[name] = (met[name] ?? 0) + 1
  }
  return met
}

async function writesOfOneMore(workplace: Workplace, { people }: Series): Promise<string[]> {
  const before = workplace.proxy.record.length
  await workplace.drop(thirdExport(people))
  await runUntilClean(workplace, { most: 1 })
  const later = workplace.proxy.record.slice(before).filter(({ isWrite }) => isWrite)
  return later.map(({ method, path }) => `${method} ${path}`)
}

async function play(series: Series, workplace: Workplace): Promise<Story> {
  const { people } = series
  const contacts: string[][] = []
  const rejects: string[][] = []
  const { onStart } = series.disturb?.(workplace) ?? {}
  let rounds = 0
  let kills = 0
  for (const given of [firstExport(people), secondExport(people), thirdExport(people)]) {
    await workplace.drop(given)
    const done = await runUntilClean(workplace, {
      most: MOST_ROUNDS,
      ...(onStart === undefined ? {} : { onStart }),
    })
    rounds += done.rounds
    kills += done.kills
    contacts.push(contactsAtService(workplace))
    rejects.push(rejectsInState(workplace))
  }
  workplace.script = () => ({ kind: 'pass' })
  const files = await filesLeft(workplace)
  const written = await writesOfOneMore(workplace, series)
  const end = {
    contacts,
    terms: termsAtService(workplace),
    rejects,
    files,
    damage: damageOfState(workplace),
    open: openOperations(workplace),
    writesOfOneMore: written,
    followedRedirects: workplace.proxy.followed(),
  }
  return { end, rounds, kills, met: faultsMet(workplace) }
}

export async function playSeries(series: Series): Promise<Story> {
  const workplace = await openWorkplace(series.check, series.options)
  try {
    return await play(series, workplace)
  } finally {
    await workplace.close()
  }
}
