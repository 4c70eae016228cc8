// What a module yields -> a JSON object on one line, or a sentence on what cannot stand in one.
// Nothing of the object is called: no toJSON, no getter of a prototype.

const MOST_DEPTH = 50

/** What cannot stand in a record, for a message; it names the place, never the value. */
export class UnfitValue extends Error {}

const at = (path: readonly string[]): string => (path.length === 0 ? 'the record' : path.join('.'))

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  // Null, or a plain object's prototype: that of any realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function numberText(value: number, path: readonly string[]): string {
  if (!Number.isFinite(value)) throw new UnfitValue(`${at(path)} is no finite number`)
  return String(value)
}

function objectText(value: object, path: readonly string[]): string {
  if (value instanceof Date)
    throw new UnfitValue(`${at(path)} is a Date, which says no time zone; yield a text`)
  if (!isPlain(value)) throw new UnfitValue(`${at(path)} is no plain object`)
  const members = Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    inner === undefined ? [] : [`${JSON.stringify(name)}:${valueText(inner, [...path, name])}`],
  )
  return `{${members.join(',')}}`
}

function valueText(value: unknown, path: readonly string[]): string {
  if (path.length > MOST_DEPTH) throw new UnfitValue('the record is nested too deeply, or within itself')
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return numberText(value, path)
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'undefined':
      return 'null'
    case 'object':
      if (value === null) return 'null'
      if (!Array.isArray(value)) return objectText(value, path)
      return `[${value.map((inner: unknown, index) => valueText(inner, [...path, String(index)])).join(',')}]`
    default:
      throw new UnfitValue(`${at(path)} is a ${typeof value}`)
  }
}

/** Throws UnfitValue. */
export function recordText(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnfitValue(
      `what was yielded is ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`}, not an object`,
    )
  return valueText(value, [])
}
