// The lines of records. csv-parse counts to the line on which a record ends, and an embedded CR LF twice;
// people look for the line on which it begins.
import { breaksIn } from './rows.ts'

export interface LineCount {
  /**
   * The line on which a record begins, counted from 1.
   * @param values the record's values; each is handed in once, in order
   * @param ends the line on which csv-parse says that the record ends
   */
  begins(values: readonly string[], ends: number): number
  /** The line behind the last record handed in. */
  next(): number
}

export function createLineCount(linesBefore: number): LineCount {
  let lastEnd = 0
  let surplus = 0
  return {
    begins(values, ends) {
      const isPlain = ends === lastEnd + 1
      lastEnd = ends
      if (isPlain) return linesBefore + ends - surplus
      let breaks = 0
      for (const value of values) {
        const inValue = breaksIn(value)
        if (inValue === 0) continue
        breaks += inValue
        surplus += value.split('\r\n').length - 1
      }
      return linesBefore + ends - surplus - breaks
    },
    next: () => linesBefore + lastEnd - surplus + 1,
  }
}
