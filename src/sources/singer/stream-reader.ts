// Follows the messages of a tap for the one stream that is wanted: what becomes a record, what moves the cursor, and whether
// the stream was told whole.
import { SyncError } from '../../core/words/errors.ts'
import { jsonLine, type JsonObject } from '../json/values.ts'
import type { Line } from './lines.ts'
import { singerMessage, type SingerMessage, UnfitLine } from './messages.ts'

/** Among more names no misspelt stream is searched for. */
const MOST_NAMED = 20

export interface Taken {
  /** A record, as JSON on one line. */
  readonly json?: string
  /** The value of a STATE, as JSON. */
  readonly state?: string
}

export interface StreamReader {
  /** Throws a SyncError for a line that is no Singer message, and for what cannot be read. */
  take(line: Line): Taken
  /** Whether other streams were named so far, and this one was not: it may be misspelt. */
  isMissed(): boolean
  /** Throws where the stream was not named. */
  assertNamed(): void
  /** Whether several versions of the stream came: some of its records are no longer valid. */
  isMixed(): boolean
  /** Whether the last that was said of the stream is that the version of all its records is the whole. */
  isActivated(): boolean
}

/** Lines of white space alone are no messages and no faults. */
const isBlank = (text: string): boolean => /^\s*$/.test(text)

/** A property that the schema has and a record leaves out is blank: so its column is known. */
const filled = (record: JsonObject, properties: readonly string[]): JsonObject => ({
  ...Object.fromEntries(
    properties.filter((name) => !Object.hasOwn(record, name)).map((name) => [name, null]),
  ),
  ...record,
})

export function createStreamReader(stream: string): StreamReader {
  const others = new Set<string>()
  let properties: readonly string[] | undefined
  let version: string | undefined
  let isMixed = false
  let isActivated = false

  const isMissed = (): boolean => properties === undefined && others.size > 0
  const noteVersion = (given: string): void => {
    if (given === '') return
    isMixed ||= version !== undefined && version !== given
    version = given
  }
  const takeOwn = (message: Exclude<SingerMessage, { type: 'STATE' }>, number: number): Taken => {
    switch (message.type) {
      case 'SCHEMA':
        properties = message.properties
        return {}
      case 'ACTIVATE_VERSION':
        noteVersion(message.version)
        isActivated = !isMixed
        return {}
      case 'BATCH':
        throw new SyncError('SOURCE_ANSWER', `line ${number} is a BATCH, which is not supported`, {
          hint: 'Configure the tap to send RECORD messages (batch_config in its settings).',
        })
      case 'RECORD':
        if (properties === undefined) throw new UnfitLine(number, 'a RECORD of the stream before its SCHEMA')
        noteVersion(message.version)
        isActivated = false
        return { json: jsonLine(filled(message.record, properties)) }
    }
  }
  return {
    take({ text, number }) {
      if (isBlank(text)) return {}
      const message = singerMessage(text, number)
      if (message.type === 'STATE') return { state: message.value }
      if (message.stream === stream) return takeOwn(message, number)
      if (others.size < MOST_NAMED) others.add(message.stream)
      return {}
    },
    isMissed,
    assertNamed() {
      if (properties !== undefined) return
      const named = others.size === 0 ? 'none' : [...others].join(', ')
      throw new SyncError(
        'SOURCE_ANSWER',
        `the stream ${JSON.stringify(stream)} was not named; streams: ${named}`,
        { hint: 'Correct source.stream, or select the stream in the catalog of the tap.' },
      )
    },
    isMixed: () => isMixed,
    isActivated: () => isActivated,
  }
}
