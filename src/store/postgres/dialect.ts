// Statements of the stores in the words of PostgreSQL. They are written in what both databases know; what is left differs
// in the same few places each time: parameters, INSERT OR, UPDATE OR, hints for indexes.
import type { Table } from '../file/connection.ts'

type Given = string | number | bigint | Uint8Array | null

/** What a value is to the server; null fits every type only as a word of the statement. */
type Kind = 'text' | 'bigint' | 'float8' | 'bytea' | 'null'

/** A text between parameters, and the parameter after it: by its place or its name. */
interface Part {
  readonly text: string
  readonly parameter?: number | string
}

export interface Statement {
  readonly text: string
  readonly values: readonly Given[]
}

export interface Translated {
  of(given: readonly unknown[]): Statement
}

const PARTS = /(--.*$)|('(?:[^']|'')*'|"[^"]*")|([?@]\w*)|([^'"?@-]+|-)/gmu

function kindOf(value: Given): Kind {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'bigint') return 'bigint'
  if (typeof value === 'number') return Number.isInteger(value) ? 'bigint' : 'float8'
  return 'bytea'
}

/**
 * PostgreSQL joins by a condition with JOIN alone, has no hints, undoes a transaction by itself, and knows names in lower case
 * unless they are quoted.
 */
const reworded = (text: string): string =>
  text
    .replaceAll(/\bUPDATE OR FAIL\b/g, 'UPDATE')
    .replaceAll(/\bINDEXED BY \w+/g, '')
    .replaceAll(/\b(AND|BY|ON|WHERE)\s+\+(?=[a-z])/g, '$1 ')
    .replaceAll(/\bCROSS JOIN (\w+(?: AS \w+)?)(\s+)ON\b/g, 'JOIN $1$2ON')
    .replaceAll(/\b[a-z]+[A-Z]\w*/g, '"$&"')

const INSERT_OR = /\bINSERT OR (REPLACE|IGNORE) INTO (\w+)(?:\s*\(([^)]*)\))?/

/** What an INSERT OR says, as the end of an INSERT. */
function atConflict(source: string, tables: () => readonly Table[]): string {
  const [said, how, name, listed] = INSERT_OR.exec(source) ?? []
  if (said === undefined) return source
  const plain = source.replace(/INSERT OR \w+ INTO/, 'INSERT INTO')
  if (how === 'IGNORE') return `${plain} ON CONFLICT DO NOTHING`
  const { columns = [], unique = [] } = tables().find((table) => table.name === name) ?? {}
  const [key] = unique
  if (key === undefined) throw new Error(`the key of ${name ?? ''} is not known: name it with ON CONFLICT`)
  const written = listed === undefined ? columns : listed.split(',').map((column) => column.trim())
  const others = written.filter((column) => !key.includes(column.replaceAll('"', '')))
  const set = others.map(
    (column) => `"${column.replaceAll('"', '')}" = excluded."${column.replaceAll('"', '')}"`,
  )
  const action = set.length === 0 ? 'DO NOTHING' : `DO UPDATE SET ${set.join(', ')}`
  return `${plain} ON CONFLICT (${key.map((column) => `"${column}"`).join(', ')}) ${action}`
}

function partsOf(source: string): Part[] {
  const parts: Part[] = []
  let text = ''
  let place = 0
  for (const [whole, comment, quoted, parameter] of source.matchAll(PARTS)) {
    if (comment !== undefined) continue
    if (quoted !== undefined || parameter === undefined) {
      text += quoted ?? reworded(whole)
      continue
    }
    parts.push({ text, parameter: parameter === '?' ? place : parameter.slice(1) })
    if (parameter === '?') place += 1
    text = ''
  }
  return [...parts, { text }]
}

/** `tables`: those of the state, for what an INSERT OR REPLACE replaces. */
export function translated(source: string, tables: () => readonly Table[]): Translated {
  let parts: readonly Part[] | undefined
  const texts = new Map<string, string>()
  const textFor = (kinds: readonly Kind[], all: readonly Part[]): string => {
    let number = 0
    return all
      .map(({ text }, index) => {
        const kind = kinds[index]
        if (kind === undefined) return text
        if (kind === 'null') return `${text}NULL`
        number += 1
        return `${text}$${number}::${kind}`
      })
      .join('')
  }
  return {
    of(given) {
      parts ??= partsOf(atConflict(source, tables))
      const [named] = given
      const values = parts.flatMap(({ parameter }) => {
        if (parameter === undefined) return []
        const value =
          typeof parameter === 'number' ? given[parameter] : (named as Record<string, unknown>)[parameter]
        return [(value ?? null) as Given]
      })
      const kinds = values.map(kindOf)
      const name = kinds.join()
      const text = texts.get(name) ?? textFor(kinds, parts)
      texts.set(name, text)
      return { text, values: values.filter((value) => value !== null) }
    },
  }
}
