// The catalog of a tap: which streams it has, and one of them selected. Catalogs come in an older form, with `selected`
// beside the schema, and a newer one, with `selected` in the metadata; both are written.
import { SyncError } from '../../core/words/errors.ts'
import { isObject, type JsonObject, parsedJson } from '../json/values.ts'

interface Metadata {
  readonly breadcrumb: readonly unknown[]
  readonly metadata: JsonObject
}

const unusable = (why: string): SyncError =>
  new SyncError('SOURCE_ANSWER', `the catalog of the tap cannot be used: ${why}`)

/** The entries of a catalog. Throws SOURCE_ANSWER. */
export function catalogStreams(text: string): readonly JsonObject[] {
  let value: unknown
  try {
    value = parsedJson(text.replace(/^\ufeff/, ''))
  } catch {
    throw unusable('it is not valid JSON')
  }
  const streams = isObject(value) ? value['streams'] : undefined
  if (!Array.isArray(streams) || !streams.every(isObject)) throw unusable('it has no list "streams"')
  return streams
}

export const namesOf = (entry: JsonObject): readonly string[] =>
  [entry['stream'], entry['tap_stream_id']].filter((name) => typeof name === 'string')

const isMetadata = (value: unknown): value is Metadata =>
  isObject(value) && Array.isArray(value['breadcrumb']) && isObject(value['metadata'])

export const metadataOf = (entry: JsonObject): readonly Metadata[] =>
  Array.isArray(entry['metadata']) ? entry['metadata'].filter(isMetadata) : []

function selected(entry: JsonObject, isWanted: boolean): JsonObject {
  const metadata = metadataOf(entry)
  const isStream = ({ breadcrumb }: Metadata): boolean => breadcrumb.length === 0
  const ofStream = metadata.find(isStream)?.metadata ?? {}
  // A field without selection metadata is selected; one that was deselected stays so.
  const ofField = ({ breadcrumb, metadata: given }: Metadata): Metadata => ({
    breadcrumb,
    metadata:
      Object.hasOwn(given, 'selected') || given['inclusion'] === 'unsupported'
        ? given
        : { ...given, selected: isWanted },
  })
  const { schema } = entry
  return {
    ...entry,
    ...(isObject(schema) ? { schema: { ...schema, selected: isWanted } } : {}),
    selected: isWanted,
    metadata: [
      { breadcrumb: [], metadata: { ...ofStream, selected: isWanted } },
      ...metadata.filter((one) => !isStream(one)).map(ofField),
    ],
  }
}

/** The catalog with this stream selected, and no other. Throws SOURCE_ANSWER. */
export function withSelection(text: string, stream: string): string {
  const streams = catalogStreams(text)
  if (!streams.some((entry) => namesOf(entry).includes(stream)))
    throw unusable(
      `it has no stream ${JSON.stringify(stream)}; streams: ${streams.flatMap((one) => namesOf(one).slice(0, 1)).join(', ')}`,
    )
  return JSON.stringify({ streams: streams.map((entry) => selected(entry, namesOf(entry).includes(stream))) })
}
