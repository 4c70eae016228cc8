// A statement with its values, as a line of text.

export type Given = string | number | bigint | Uint8Array | null | undefined

type Written = string | number | null | { readonly bigint: string } | { readonly hex: string }

export interface Noted {
  readonly source: string
  /** By name, which is empty where they go by their places. */
  readonly values: readonly (readonly [string, Written])[]
}

export function kindOf(value: Given): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return 'bytes'
  return typeof value === 'number' && !Number.isInteger(value) ? 'fraction' : typeof value
}

export function written(value: Given): Written {
  if (typeof value === 'bigint') return { bigint: String(value) }
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString('hex') }
  return value ?? null
}

function read(value: Written): Given {
  // Tests of a file alone have such texts; none comes to a state at a server (TEXT_DAMAGED).
  if (typeof value === 'string') return value.replaceAll('\0', '?')
  if (value === null || typeof value !== 'object') return value
  return 'hex' in value ? Buffer.from(value.hex, 'hex') : BigInt(value.bigint)
}

/** What a statement is run with. */
export function givenOf({ values }: Noted): readonly unknown[] {
  const isByPlace = values.every(([name]) => name === '')
  const all = values.map(([name, value]) => [name, read(value)] as const)
  return isByPlace ? all.map(([, value]) => value) : [Object.fromEntries(all)]
}
