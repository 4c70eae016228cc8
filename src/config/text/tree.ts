// A configuration as plain values, together with the place in a file that each value came from.
// Values may come from several files (presets); places make sure that a problem still points at the right line.
import type { ConfigProblem, Said } from './problem.ts'

export type Path = readonly PropertyKey[]

export interface Place {
  readonly file: string
  /** Where the value begins. */
  readonly line: number
  readonly column: number
  /** Where its key begins; the value's own place for list items. */
  readonly keyLine: number
  readonly keyColumn: number
  /** An unquoted scalar as written: `0123`, where YAML has made 123 of it. */
  readonly source?: string
  /** Environment variables that the value was made of. */
  readonly variables: readonly string[]
  /** The value holds `${...}`: it is text by force, and may be meant as a number. */
  readonly substituted: boolean
  /** A problem with the value has already been reported; what follows from it is not worth a word. */
  readonly broken: boolean
}

export interface Tree {
  readonly value: unknown
  readonly places: ReadonlyMap<string, Place>
}

/** A map key for a path; no YAML key can hold the separator, as control characters are no YAML. */
export const pathKey = (path: Path): string => path.map(String).join('\u0000')

/** `pipelines.shop.key[0]`; names that need it are quoted: `lookup["Sehr geehrter"]`. */
export function pathText(path: Path): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    const name = String(step)
    return /^[\w-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
  })
  return steps.join('').replace(/^\./, '')
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path, or undefined where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = (current as Record<PropertyKey, unknown>)[step]
  }
  return current
}

/** Back from `pathKey`: the items of a list by number. */
export function pathOfKey({ value }: Tree, key: string): Path {
  let inner = value
  return key.split('\u0000').map((name) => {
    const step = Array.isArray(inner) ? Number(name) : name
    inner = valueAt(inner, [step])
    return step
  })
}

/** The place of the value, or of the nearest thing around it that has one. */
export function placeOf(tree: Tree, path: Path): Place | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const place = tree.places.get(pathKey(path.slice(0, length)))
    if (place !== undefined) return place
  }
  return undefined
}

/** A problem at the value, at its key, or (for what is not there) at the key of what should hold it. */
export function problemAt(tree: Tree, path: Path, what: Said & { at?: 'value' | 'key' }): ConfigProblem {
  const place = placeOf(tree, path)
  const atKey = what.at === 'key' || !tree.places.has(pathKey(path))
  return {
    file: place?.file ?? '',
    line: (atKey ? place?.keyLine : place?.line) ?? 1,
    column: (atKey ? place?.keyColumn : place?.column) ?? 1,
    path: pathText(path),
    message: what.message,
    hint: what.hint,
  }
}
