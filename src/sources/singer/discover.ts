// Asks a tap what it has. The catalog that it answers with is shown as streams and fields, the fields under the names that a
// mapping uses for them.
import { SyncError } from '../../core/words/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { isObject, type JsonObject } from '../json/values.ts'
import { catalogStreams, metadataOf, namesOf } from './catalog.ts'
import type { SingerOptions } from './options.ts'
import { tapRedaction } from './secrets.ts'
import { createTapLog } from './tap-log.ts'
import { tapFailure, tapOutput } from './tap.ts'

const MOST_BYTES = 64 * 1024 * 1024
const MOST_DEPTH = 8

export interface DiscoveredField {
  /** As a mapping names it: `name`, `address.city`, `emails[0].value`. */
  readonly name: string
  readonly types: readonly string[]
  readonly format: string | null
}

export interface DiscoveredStream {
  readonly stream: string
  readonly key_properties: readonly string[]
  readonly replication_key: string | null
  readonly fields: readonly DiscoveredField[]
}

export interface Discovery {
  /** As the tap wrote it. */
  readonly catalog: string
  readonly streams: readonly DiscoveredStream[]
}

interface Discovering {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Of the configuration. */
  readonly home: string
  /** What the tap says beside, free of secrets. */
  tell(text: string): void
}

const textsOf = (value: unknown): readonly string[] => [value].flat().filter((one) => typeof one === 'string')

/** A schema, and what it may be instead. */
function forms(schema: JsonObject): readonly JsonObject[] {
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((name) =>
    Array.isArray(schema[name]) ? schema[name].filter(isObject) : [],
  )
  return [schema, ...inner]
}

function fieldsOf(name: string, schema: JsonObject, depth: number): readonly DiscoveredField[] {
  const all = forms(schema)
  const objects = all.flatMap(({ properties }) => (isObject(properties) ? [properties] : []))
  const items = all.flatMap(({ items: one }) => (isObject(one) ? [one] : []))
  if (depth < MOST_DEPTH && objects.length > 0)
    return objects.flatMap((properties) => propertiesOf(properties, `${name}.`, depth + 1))
  const members = items.flatMap((item) => forms(item)).filter(({ properties }) => isObject(properties))
  const [first] = members
  if (depth < MOST_DEPTH && first !== undefined) return fieldsOf(`${name}[0]`, first, depth + 1)
  return [
    {
      name,
      types: [...new Set(all.flatMap(({ type }) => textsOf(type)))],
      format: all.flatMap(({ format }) => textsOf(format))[0] ?? null,
    },
  ]
}

const propertiesOf = (properties: JsonObject, prefix: string, depth: number): readonly DiscoveredField[] =>
  Object.entries(properties).flatMap(([name, schema]) =>
    fieldsOf(`${prefix}${name}`, isObject(schema) ? schema : {}, depth),
  )

function described(entry: JsonObject): DiscoveredStream {
  const [stream = ''] = namesOf(entry)
  const ofStream = metadataOf(entry).find(({ breadcrumb }) => breadcrumb.length === 0)?.metadata ?? {}
  const first = (...values: unknown[]): readonly string[] =>
    values.map(textsOf).find((texts) => texts.length > 0) ?? []
  const { schema } = entry
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  const replication = [
    entry['replication_key'],
    ofStream['replication-key'],
    ofStream['valid-replication-keys'],
  ]
  return {
    stream,
    key_properties: first(
      entry['key_properties'],
      ofStream['table-key-properties'],
      ofStream['view-key-properties'],
    ),
    replication_key: first(...replication)[0] ?? null,
    fields: propertiesOf(properties, '', 0),
  }
}

async function answerOf(command: readonly string[], { timeout }: SingerOptions, asked: Discovering) {
  const log = createTapLog(await tapRedaction(command, asked.home), asked.tell)
  const pieces: Buffer[] = []
  let bytes = 0
  const output = tapOutput({
    ...{ command, home: asked.home, timeout, clock: asked.clock, signal: asked.signal },
    onError: log.add,
    lastWords: () => {
      log.end()
      return log.last()
    },
  })
  for await (const piece of output) {
    bytes += piece.length
    if (bytes > MOST_BYTES) throw tapFailure(command, `its catalog has more than ${MOST_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Throws a SyncError where the tap fails, or answers with something else; USAGE where the source has no tap. */
export async function discover(options: SingerOptions, asked: Discovering): Promise<Discovery> {
  const { command } = options
  if (command === undefined)
    throw new SyncError('USAGE', 'the source has no tap: source.command is not set', {
      hint: 'Such a pipeline is fed by contact-sync target.',
    })
  const catalog = await answerOf([...command, '--discover'], options, asked)
  return { catalog, streams: catalogStreams(catalog).map(described) }
}
