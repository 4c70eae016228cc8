// A line of the operational log as it may leave the house: read again and held against the table of events, so that a line
// of another program, of another version or of a person is not passed on. Names of files and ids of contacts stay at home.
import { EVENTS, fieldKind } from './events/events.ts'

const LEFT_OUT = new Set(['told', 'file', 'contact', 'foreign'])
const UNKNOWN = '(an event that this version does not know)'
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

type Fields = Readonly<Record<string, unknown>>

function excerpt({ timestamp, level, message, ...fields }: Fields): string | undefined {
  if (typeof timestamp !== 'string' || !TIME.test(timestamp)) return undefined
  if (typeof level !== 'string' || typeof message !== 'string' || !/^(error|warn|info|debug)$/.test(level))
    return undefined
  if (!Object.hasOwn(EVENTS, message)) return JSON.stringify({ timestamp, level, message: UNKNOWN })
  const kept = Object.entries(fields).filter(([name, value]) => {
    const kind = fieldKind(message, name)
    return (
      kind !== undefined && !LEFT_OUT.has(kind) && (typeof value === 'string' || typeof value === 'number')
    )
  })
  return JSON.stringify({ timestamp, level, message, ...Object.fromEntries(kept) })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `2026-11-21T14:00:00.000Z WARN  values were dropped pipeline="shop"`, as the format `pretty` writes it. */
function fromPretty(line: string): Fields | undefined {
  const found = /^(\S+Z) ([A-Z]+) +(.*)$/.exec(line)
  if (found === null) return undefined
  const [, timestamp, level = '', rest = ''] = found
  const at = rest.search(/ [a-z_]+=/)
  const pairs = [...rest.matchAll(/ ([a-z_]+)=("(?:[^"\\]|\\.)*"|-?[\d.]+)/g)]
  const fields = pairs.map(([, name = '', value = '']) => [name, parsed(value)] as const)
  const message = at < 0 ? rest : rest.slice(0, at)
  return { ...Object.fromEntries(fields), timestamp, level: level.toLowerCase(), message }
}

/** A line of JSON; undefined for what is no line of this log. */
export function logExcerpt(line: string): string | undefined {
  const json = line.startsWith('{') ? parsed(line) : fromPretty(line)
  return typeof json === 'object' && json !== null ? excerpt(json as Fields) : undefined
}
