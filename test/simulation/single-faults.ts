// One small story, told again and again: each time with one fault at one request, or with a crash at one point; and with
// now and then a second crash while the first is recovered from. Every fault at every request, a crash at every point.
import type { PipelineSettings } from '../../src/core/settings.ts'
import { FAULTS, noFaults, singleFault } from './faults.ts'
import type { StateFolder } from './program.ts'
import type { Setup } from './setup.ts'
import { type Outcome, type Schedule, simulate } from './simulation.ts'

/** Which ways of working are gone through. */
const STORIES = [
  { name: 'email', check: 'email', policy: 'managed', via: 'id' },
  { name: 'none', check: 'none', policy: 'add', via: 'id' },
  { name: 'auto', check: 'auto', policy: 'replace', via: 'id' },
  { name: 'bulk', check: 'email', policy: 'managed', via: 'bulk' },
] as const

type Story = (typeof STORIES)[number]

const SEED = 4242

function pipelineOf(drawn: PipelineSettings, { check, policy, via }: Story): PipelineSettings {
  const { mail_status: _, ...map } = drawn.map
  return {
    ...drawn,
    map,
    mode: 'full',
    on_missing: 'delete',
    key: ['no'],
    on_duplicate_key: 'reject',
    blank: 'clear',
    duplicate_check_method: check,
    duplicate_merge_method: 'update_add',
    update_method: 'update_add',
    update_via: via,
    guards: {
      ...drawn.guards,
      max_deletes: { share: 1 },
      max_changes: { share: 1 },
      max_rejects: { share: 1 },
      max_new_terms: 1000,
      deletes_missing_in: 1,
      hold_first_deletes: false,
    },
    terms: {
      ...drawn.terms,
      policy,
      create_missing: true,
      assign: [{ column: 'tags', split: '|' }],
      verify: true,
    },
  }
}

const setupOf =
  (story: Story) =>
  (drawn: Setup): Setup => {
    const [first] = drawn.pipelines
    if (first === undefined) throw new Error('no pipeline was drawn')
    return {
      ...drawn,
      isShared: false,
      service: {
        ...drawn.service,
        bulk: { ...drawn.service.bulk, size: 3 },
        retry: { ...drawn.service.retry, attempts: 1 },
        rate_limit: { requests: 30, per: 1000, concurrency: 2, per_day: undefined },
        marker_field: undefined,
      },
      pipelines: [pipelineOf(first, story)],
    }
  }

const base = (story: Story): Schedule => ({ setup: setupOf(story), days: 2, isQuiet: true, crashes: [] })

export interface Single {
  readonly story: string
  readonly what: string
  readonly outcome: Outcome
}

/** The part of the work that one worker takes: every `of`th, from `part` on. */
export interface Share {
  readonly part: number
  readonly of: number
}

interface Try {
  readonly story: Story
  readonly what: string
  readonly schedule: Schedule
}

async function lengthOf(story: Story, folder: StateFolder): Promise<Outcome> {
  return simulate(SEED, folder, { ...base(story), faults: noFaults })
}

/** Every single disturbance of one story. */
function* triesOf(story: Story, { requests, points }: Outcome['figures']): Generator<Try> {
  for (let at = 1; at <= requests; at += 1)
    for (const fault of FAULTS)
      yield {
        story,
        what: `${fault} at request ${at}`,
        schedule: { ...base(story), faults: singleFault(fault, at) },
      }
  for (let at = 1; at <= points; at += 1) {
    yield {
      story,
      what: `crash at point ${at}`,
      schedule: { ...base(story), faults: noFaults, crashes: [at] },
    }
    // A second crash, while the first is recovered from.
    const again = 1 + ((at * 7) % 40)
    if (at % 4 !== 0) continue
    yield {
      story,
      what: `crash at point ${at}, and again at point ${again} of what follows`,
      schedule: { ...base(story), faults: noFaults, crashes: [at, again] },
    }
  }
}

export async function* singleFaults(folder: StateFolder, { part, of }: Share): AsyncGenerator<Single> {
  let number = 0
  for (const story of STORIES) {
    const { figures, violations } = await lengthOf(story, folder)
    if (violations.length > 0)
      yield { story: story.name, what: 'nothing', outcome: await lengthOf(story, folder) }
    for (const { what, schedule } of triesOf(story, figures)) {
      number += 1
      if (number % of === part)
        yield { story: story.name, what, outcome: await simulate(SEED, folder, schedule) }
    }
  }
}

/** One of them by its name, as a failure prints it. */
export async function oneSingleFault(folder: StateFolder, name: string, what: string): Promise<Outcome> {
  const story = STORIES.find((one) => one.name === name)
  if (story === undefined) throw new Error(`no story ${name}`)
  const { figures } = await lengthOf(story, folder)
  for (const one of triesOf(story, figures))
    if (one.what === what) return simulate(SEED, folder, one.schedule)
  throw new Error(`no such fault: ${what}`)
}
