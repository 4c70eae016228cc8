// Rows with more or fewer values than the header. One value too many or too few may stand anywhere in the row, and then
// every value behind it belongs to another column. So a row is only fitted where most rows of the file show that it is
// the end that differs, or where `pad` says that short rows of this source always lack the end. Pure.

import { plural } from '../../core/words/format.ts'

/** How many values the rows of a file have. */
export interface WidthCensus {
  readonly rows: number
  /** `hasSurplus`: some row of that width has a value behind the header's last column. */
  readonly byWidth: ReadonlyMap<number, { readonly rows: number; readonly hasSurplus: boolean }>
}

/** What is done about short rows; `auto` is decided by most rows. */
export type ShortRows = 'reject' | 'auto' | 'pad'

export type Fit =
  | { readonly kind: 'fits'; readonly values: readonly string[] }
  | { readonly kind: 'ragged'; readonly why: string }

export const hasValue = (values: readonly string[]): boolean =>
  values.some((value) => value !== '' && value.trim() !== '')

/** Counts the rows of a file by their width. */
export async function widthCensus(
  batches: AsyncIterable<readonly { readonly values: readonly string[] }[]>,
  width: number,
): Promise<WidthCensus> {
  const byWidth = new Map<number, { rows: number; hasSurplus: boolean }>()
  let rows = 0
  for await (const batch of batches)
    for (const { values } of batch) {
      rows += 1
      const found = byWidth.get(values.length) ?? { rows: 0, hasSurplus: false }
      found.rows += 1
      found.hasSurplus ||= values.length > width && hasValue(values.slice(width))
      byWidth.set(values.length, found)
    }
  return { rows, byWidth }
}

/** Whether the other rows have a say in what becomes of this one. */
export function needsCensus(values: readonly string[], width: number, short: ShortRows): boolean {
  return values.length > width ? !hasValue(values.slice(width)) : short === 'auto' && values.length < width
}

const sizes = (values: readonly string[], width: number): string =>
  `The row has ${plural(values.length, 'value')}, the header has ${width}`

/** A total, a copyright: one value in a row that should have many. */
const footerHint = (values: readonly string[], width: number): string =>
  values.length === 1 && width > 2 ? '; source.skip_footer drops lines at the end that are no records' : ''

const counted = (number: number): string => (number === 1 ? 'one' : String(number))

/** `census`: undefined where it has no say, and for rejects of our own, whose rows were ragged to begin with. */
export function fitted(
  values: readonly string[],
  width: number,
  { census, short }: { census: WidthCensus | undefined; short: ShortRows },
): Fit {
  const surplus = values.length - width
  if (surplus === 0) return { kind: 'fits', values }
  const alike = census?.byWidth.get(values.length)
  const isCommon = census !== undefined && alike !== undefined && alike.rows * 2 > census.rows
  const why = sizes(values, width)
  if (surplus > 0) {
    if (hasValue(values.slice(width)))
      return {
        kind: 'ragged',
        why: `${why}: a surplus separator in the row, or a missing name in the header, which source.ragged cannot fix`,
      }
    if (isCommon && !alike.hasSurplus) return { kind: 'fits', values: values.slice(0, width) }
    return {
      kind: 'ragged',
      why: `${why}: a surplus of blank values is accepted only if most rows have it (source.ragged)`,
    }
  }
  if (short === 'reject')
    return {
      kind: 'ragged',
      why: `${why}; source.ragged: auto fills the end if most rows lack the same ${counted(-surplus)}${footerHint(values, width)}`,
    }
  if (short === 'pad' || isCommon)
    return { kind: 'fits', values: [...values, ...new Array<string>(-surplus).fill('')] }
  return {
    kind: 'ragged',
    why: `${why}: the end is filled only if most rows lack the same ${counted(-surplus)} (source.ragged)${footerHint(values, width)}`,
  }
}
