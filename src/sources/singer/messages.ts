// Messages of the Singer specification: a JSON object a line. Numbers keep the digits with which they were written.
import { SyncError } from '../../core/words/errors.ts'
import { isObject, jsonLine, type JsonObject, parsedJson, textOf } from '../json/values.ts'

/** A line that is no Singer message. It names the number of the line and never what it holds. */
export class UnfitLine extends SyncError {
  constructor(number: number, why: string) {
    super('SOURCE_ANSWER', `line ${number} is not a Singer message: ${why}`)
  }
}

export type SingerMessage =
  | {
      readonly type: 'RECORD'
      readonly stream: string
      readonly record: JsonObject
      readonly version: string
    }
  | { readonly type: 'SCHEMA'; readonly stream: string; readonly properties: readonly string[] }
  | { readonly type: 'ACTIVATE_VERSION'; readonly stream: string; readonly version: string }
  | { readonly type: 'BATCH'; readonly stream: string }
  /** `value`: as JSON. */
  | { readonly type: 'STATE'; readonly value: string }

const TYPES = ['RECORD', 'SCHEMA', 'STATE', 'ACTIVATE_VERSION', 'BATCH'] as const

function parsed(text: string, number: number): JsonObject {
  let value: unknown
  try {
    value = parsedJson(text)
  } catch {
    throw new UnfitLine(number, 'it is not valid JSON')
  }
  if (isObject(value)) return value
  throw new UnfitLine(number, 'it is not a JSON object')
}

const own = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

function propertiesOf(schema: JsonObject): readonly string[] {
  const properties = own(schema, 'properties')
  return isObject(properties) ? Object.keys(properties) : []
}

/** Throws UnfitLine. */
export function singerMessage(text: string, number: number): SingerMessage {
  const message = parsed(text, number)
  const type = TYPES.find((one) => one === own(message, 'type'))
  if (type === undefined) throw new UnfitLine(number, `its type is none of ${TYPES.join(', ')}`)
  if (type === 'STATE') {
    if (!Object.hasOwn(message, 'value')) throw new UnfitLine(number, 'a STATE without value')
    return { type, value: jsonLine(message['value']) }
  }
  const stream = own(message, 'stream')
  if (typeof stream !== 'string') throw new UnfitLine(number, `a ${type} without stream`)
  const version = textOf(own(message, 'version'))
  if (type === 'BATCH') return { type, stream }
  if (type === 'ACTIVATE_VERSION') return { type, stream, version }
  const [name, body] =
    type === 'RECORD' ? ['record', own(message, 'record')] : ['schema', own(message, 'schema')]
  if (!isObject(body)) throw new UnfitLine(number, `a ${type} whose ${name} is not an object`)
  if (type === 'RECORD') return { type, stream, record: body, version }
  return { type, stream, properties: propertiesOf(body) }
}
