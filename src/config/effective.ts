// The configuration in force, defaults included, in the words of the file and without its secrets: for pages
// and reports. Keys and forms are the schema's. Secrets are kept out by name and, wherever else they
// may have got to, by value.
import type { z } from 'zod'
import { configSchema, type PipelineSettings, type Settings, type ShownSetting } from '../core/settings.ts'
import type { SourceKinds } from '../core/settings/source-settings.ts'
import { maybeSecretName } from '../core/words/secrets/secret-name.ts'
import { asWritten, isNaming, schemasOf } from './schema/schema-walk.ts'
import { isMapping } from './text/tree.ts'

const HIDDEN = '(set, not shown)'
const SECRET_NAME =
  /(key|token|secret|password|passphrase|pass|pwd|credentials?|dsn|authorization|cookie|webhook|smtp)$/i
/** Columns that make a key, or what becomes of equal ones: not a key of anything. */
const NO_SECRET = new Set(['key', 'custom_field_key', 'on_duplicate_key'])

/** The options of a module, the headers of a request: their names may be those of secrets. */
const isFree = ([, , source, option]: readonly string[]): boolean =>
  source === 'source' && (option === 'options' || option === 'headers')

interface Call {
  readonly name: string
  readonly options?: unknown
}

const isCall = (value: unknown): value is Call => isMapping(value) && 'name' in value && 'options' in value

/** `trim`, `replace {"from":"a","to":"b"}` */
function callText({ name, options }: Call): string {
  const text = JSON.stringify(options ?? {})
  return text === '{}' ? name : `${name} ${text}`
}

/** What fits into one text; undefined where there is more to it. */
function plainText(value: unknown): string | undefined {
  if (isCall(value)) return callText(value)
  if (isMapping(value)) return undefined
  if (!Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value)
  const texts = value.map(plainText)
  return texts.includes(undefined) ? undefined : texts.join(', ')
}

function entriesOf(value: unknown): (readonly [step: PropertyKey, name: string, inner: unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, String(index + 1), item])
  return isMapping(value) ? Object.entries(value).map(([name, inner]) => [name, name, inner]) : []
}

function rows(value: unknown, schemas: readonly z.ZodType[], path: readonly string[]): ShownSetting[] {
  const isFreeForm = isFree(path)
  const areNames = isNaming(schemas, value) && !isFreeForm
  return entriesOf(value).flatMap(([step, name, inner]) => {
    const known = schemasOf(schemas, value, step)
    // What the file does not have was made from the rest.
    if (inner === undefined || known.length === 0) return []
    const at = [...path, name]
    const written = known.map((schema) => asWritten(schema, inner)).find((form) => form !== undefined)
    const text = plainText(written ?? inner)
    if (text === undefined) return rows(inner, known, at)
    const isSecret = isFreeForm
      ? maybeSecretName(name)
      : !areNames && SECRET_NAME.test(name) && !NO_SECRET.has(name)
    return [{ path: at.join('.'), value: isSecret ? HIDDEN : text }]
  })
}

/** Custom fields stand within the mapping in the file, the fields of a household within the key. The records of tests are not shown: they may be of people. */
const asInFile = ({ custom_fields, household, map, tests: _, source, ...rest }: PipelineSettings) => ({
  ...rest,
  source: isMapping(source['fetch']) ? { ...source, ...source['fetch'] } : source,
  ...(household === undefined ? {} : { key: { fields: household } }),
  map: { ...map, ...(Object.keys(custom_fields).length === 0 ? {} : { custom_fields }) },
})

/** In the order of the file; the pipelines by name. */
export function effectiveSettings(settings: Settings, kinds: SourceKinds): readonly ShownSetting[] {
  const { secrets, unshown } = settings
  const pipelines = Object.fromEntries(settings.pipelines.map((one) => [one.name, asInFile(one)]))
  // A list of texts is shown as one.
  const isUnshown = (path: string): boolean =>
    unshown.some((hidden) => hidden === path || hidden.startsWith(`${path}.`))
  return rows({ ...settings, pipelines }, [configSchema(kinds)], []).map(({ path, value }) => {
    const isSecret = secrets.some((secret) => secret !== '' && value.includes(secret)) || isUnshown(path)
    return { path, value: isSecret ? HIDDEN : value }
  })
}
