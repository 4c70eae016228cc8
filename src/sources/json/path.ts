// Values inside a JSON record, by path: `properties.email`, `emails[0].value`, `emails[type=work].value`.
// Only own properties are looked at, so no name reaches into the language.

type Step =
  { readonly name: string } | { readonly index: number } | { readonly field: string; readonly equals: string }

const STEP = /([^.[\]]+)|\[(\d+)\]|\[([^=\]]+)=([^\]]*)\]/g

function pathSteps(path: string): Step[] {
  return [...path.matchAll(STEP)].map(([, name, index, field, equals]): Step => {
    if (name !== undefined) return { name }
    return index === undefined ? { field: field ?? '', equals: equals ?? '' } : { index: Number(index) }
  })
}

function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function step(value: unknown, one: Step): unknown {
  if ('name' in one) return own(value, one.name)
  if (!Array.isArray(value)) return undefined
  if ('index' in one) return value[one.index]
  return value.find((item) => textOf(own(item, one.field)) === one.equals)
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'

/** Text of a value: lists of plain values are joined by `;`, other structures stay JSON, absent and null are blank. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every(isPlain)) return value.map(textOf).join(';')
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

/** A function that finds the path's value in a record, as text. A property of just that name goes first. */
export function pathReader(path: string): (record: object) => string {
  const steps = pathSteps(path)
  return (record) => {
    if (Object.hasOwn(record, path)) return textOf(own(record, path))
    let value: unknown = record
    for (const one of steps) value = step(value, one)
    return textOf(value)
  }
}
