// The configuration as it is in force, defaults included, in the words of the file and without its secrets: for pages
// and reports that people read. Secrets are kept out by name and, wherever else they may have got to, by value.
import type { Settings } from '../core/settings.ts'

/** One setting. */
export interface EffectiveSetting {
  /** `pipelines.shop.guards.max_deletes` */
  readonly path: string
  /** As it would be written, `30s` or `5%`. */
  readonly value: string
}

const HIDDEN = '(set, not shown)'
const SECRET_NAME = /(key|token|secret|password|webhook|smtp)$/i
/** Not settings: what others make of them, or where they came from. */
const INNER = new Set(['file', 'secrets', 'hash'])
/** What is below these is named by whoever wrote the file. */
const NAMED = new Set(['map', 'custom_fields', 'lookup', 'descriptions'])
/** Columns that make a key, not a key of anything. */
const NO_SECRET = new Set(['key', 'custom_field_key'])

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
] as const

function durationText(ms: number): string {
  const [size, unit] = UNITS.find(([one]) => ms !== 0 && ms % one === 0) ?? [1, 'ms']
  return `${ms / size}${unit}`
}

/** Settings that are durations, wherever they stand. */
const DURATIONS = new Set(
  'timeout per max_delay quiesce keep processed failed rejects runs sync_log max_duration deletes_apart settle after'.split(
    ' ',
  ),
)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function limitText(value: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof value['share'] === 'number') return `${Number((value['share'] * 100).toFixed(4))}%`
  return typeof value['count'] === 'number' ? String(value['count']) : undefined
}

const isPlain = (value: unknown): boolean =>
  !isObject(value) && !(Array.isArray(value) && value.some((item) => isObject(item)))

const plainText = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(plainText).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

interface Place {
  readonly path: string
  /** The keys here are names that somebody gave. */
  readonly isNamed: boolean
}

function entriesOf(value: unknown): (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [String(index + 1), item])
  return isObject(value) ? Object.entries(value) : []
}

interface Call {
  readonly name: string
  readonly options?: unknown
}

/** `trim, replace {"from":"a","to":"b"}` */
const transformText = (calls: readonly Call[]): string =>
  calls
    .map(({ name, options }) => {
      const text = options === undefined ? '' : JSON.stringify(options)
      return text === '' || text === '{}' ? name : `${name} ${text}`
    })
    .join(', ')

function leaf(name: string, value: unknown): string {
  const isSecret = SECRET_NAME.test(name) && !NO_SECRET.has(name)
  if (isSecret) return HIDDEN
  return plainText(value)
}

function rows(value: unknown, { path, isNamed }: Place): EffectiveSetting[] {
  return entriesOf(value).flatMap(([name, inner]) => {
    if (inner === undefined || (!isNamed && INNER.has(name))) return []
    const at = path === '' ? name : `${path}.${name}`
    const isDuration = typeof inner === 'number' && DURATIONS.has(name)
    if (isDuration && !isNamed) return [{ path: at, value: durationText(inner) }]
    const limit = isObject(inner) ? limitText(inner) : undefined
    if (limit !== undefined) return [{ path: at, value: limit }]
    if (name === 'transform' && !isNamed) return [{ path: at, value: transformText(inner as Call[]) }]
    if (isPlain(inner)) return [{ path: at, value: isNamed ? plainText(inner) : leaf(name, inner) }]
    return rows(inner, { path: at, isNamed: !isNamed && NAMED.has(name) })
  })
}

/** Custom fields stand within the mapping in the file. */
function asInFile({ custom_fields: customFields, map, name: _, ...rest }: Settings['pipelines'][number]) {
  const custom = Object.keys(customFields).length === 0 ? {} : { custom_fields: customFields }
  return { ...rest, map, ...custom }
}

/** In the order of the file: service, state, log, server, what else there is, then the pipelines by name. */
export function effectiveSettings(settings: Settings): readonly EffectiveSetting[] {
  const { pipelines, ...general } = settings
  const found = [
    ...rows(general, { path: '', isNamed: false }),
    ...pipelines.flatMap((pipeline) =>
      rows(asInFile(pipeline), { path: `pipelines.${pipeline.name}`, isNamed: false }).map(
        ({ path, value }) => ({
          path: path.replace(
            `pipelines.${pipeline.name}.custom_fields.`,
            `pipelines.${pipeline.name}.map.custom_fields.`,
          ),
          value,
        }),
      ),
    ),
  ]
  return found.map(({ path, value }) => ({
    path,
    value: settings.secrets.some((secret) => secret !== '' && value.includes(secret)) ? HIDDEN : value,
  }))
}
