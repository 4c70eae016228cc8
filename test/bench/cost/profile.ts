// Where the time of a run goes, from a CPU profile: by stage of a record's way, and by function. The time of native code
// (SQLite, hashing) belongs to the stage that calls it. Pure but for reading the file.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface CallFrame {
  readonly url: string
  readonly functionName: string
}

export interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: CallFrame
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export const STAGES = [
  'read',
  'map',
  'diff',
  'stage',
  'mark',
  'send',
  'settle',
  'log',
  'start',
  'garbage collector',
  'rest',
] as const

export type Stage = (typeof STAGES)[number]

/** The first that fits; a file that fits none belongs to what calls it. */
const RULES: readonly (readonly [RegExp, Stage])[] = [
  [/\/src\/(core|store)\/log\//, 'log'],
  [/\/src\/sources\/|\/node_modules\/csv-parse\//, 'read'],
  [/\/src\/core\/mapping\//, 'map'],
  [/\/src\/core\/change\/(diff|likeness)\./, 'diff'],
  [
    /\/src\/sync\/(plan\/|preview\.)|\/src\/core\/change\/(accepted|estimate|fingerprint|guard|plan|settled)/,
    'stage',
  ],
  [/\/src\/store\/journal\/(sending|mark)/, 'mark'],
  [/\/src\/(store\/journal|sync\/send|core\/change)\/(settle|ledger|after)/, 'settle'],
  [/\/src\/store\/journal\/(accepted|known|reading|missing|rejects|same|shared|staging)/, 'stage'],
  [/\/src\/(sync\/send|service|store\/window)\//, 'send'],
  [
    /\/node_modules\/(got|keyv|cacheable|undici|p-queue|http|lowercase|decompress|get-stream|normalize)/,
    'send',
  ],
  [/^node:(_?(http|net|tls|dns)|internal\/(http|net|dns|stream_base))/, 'send'],
  [/^node:internal\/(modules|bootstrap|process\/(execution|pre_execution)|main|vm)/, 'start'],
]

function ownStage({ url, functionName }: CallFrame): Stage | undefined {
  if (functionName === '(garbage collector)') return 'garbage collector'
  return RULES.find(([file]) => file.test(url))?.[1]
}

const shortUrl = (url: string): string => url.replace(/^.*\/node_modules\/|^.*\/src\//, '')

interface Place {
  readonly stage: Stage
  readonly name: string
}

/** Of each node of the tree of calls. What belongs to its caller's stage is told apart by that caller. */
function placesOf({ nodes }: Profile): ReadonlyMap<number, Place> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const places = new Map<number, Place>()
  const enter = (id: number, above: { stage: Stage; caller: string }): void => {
    const node = byId.get(id)
    if (node === undefined) return
    const { url, functionName } = node.callFrame
    const stage = ownStage(node.callFrame)
    const own = `${functionName || '(anonymous)'}${url === '' ? '' : ` in ${shortUrl(url)}`}`
    const isOwn = stage !== undefined || above.caller === ''
    const place = { stage: stage ?? above.stage, name: isOwn ? own : `${own}, called by ${above.caller}` }
    places.set(id, place)
    const below = { stage: place.stage, caller: stage === undefined ? above.caller : own }
    for (const child of node.children ?? []) enter(child, below)
  }
  enter(nodes[0]?.id ?? 0, { stage: 'rest', caller: '' })
  return places
}

/**
 * Milliseconds by whatever the samples are told apart by; without what was idle. They are times of the clock: on a busy
 * machine they are longer than what the processor took.
 */
function spentBy(profile: Profile, of: (place: Place) => string): Map<string, number> {
  const places = placesOf(profile)
  const spent = new Map<string, number>()
  profile.samples.forEach((id, index) => {
    const place = places.get(id)
    if (place === undefined || place.name === '(idle)') return
    const name = of(place)
    spent.set(name, (spent.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1000)
  })
  return spent
}

/** Milliseconds by stage. */
export const stageTimes = (profile: Profile): ReadonlyMap<string, number> =>
  spentBy(profile, ({ stage }) => stage)

/** Milliseconds of the functions that took most, themselves. */
export function hottest(profile: Profile, count: number): readonly (readonly [string, number])[] {
  const spent = spentBy(profile, ({ name }) => name)
  return [...spent].sort((one, other) => other[1] - one[1]).slice(0, count)
}

/** The profile of a process's main thread, which is the largest. */
export function readProfile(folder: string): Profile {
  const files = readdirSync(folder).map((name) => join(folder, name))
  const [largest = ''] = files.sort((one, other) => statSync(other).size - statSync(one).size)
  return JSON.parse(readFileSync(largest, 'utf8')) as Profile
}
