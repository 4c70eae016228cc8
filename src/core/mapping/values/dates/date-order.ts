// `date: auto`: whether the day or the month stands first. An order is taken only where a column proves it, by a number above
// twelve; what it proved is kept, and a file that proves another order is not taken.

/** What stands first. */
export type DateOrder = 'day' | 'month'

/** By the column, and in it by what stands between the numbers: 31.12.1980 proves nothing about 03/04/1980. */
export type DateOrders = Readonly<Record<string, Readonly<Record<string, DateOrder>>>>

/** How `date: auto` stands in a mapping that has been read. */
export const AUTO = 'auto'

const ORDERED = /^(\d{1,2})([./-]) ?(\d{1,2})\2 ?(?:\d{4}|\d\d)$/

/** What stands between the numbers of a date without a month's name, and what its own numbers say; undefined for other texts. */
export function orderOf(
  date: string,
): { readonly mark: string; readonly order: DateOrder | undefined } | undefined {
  const [, first, mark, second] = ORDERED.exec(date) ?? []
  if (mark === undefined) return undefined
  const [one, two] = [Number(first), Number(second)]
  const isPart = (count: number, most: number): boolean => count >= 1 && count <= most
  if (one > 12) return { mark, order: isPart(one, 31) && isPart(two, 12) ? 'day' : undefined }
  return { mark, order: two > 12 && isPart(two, 31) && isPart(one, 12) ? 'month' : undefined }
}

/** The date of a text, and the time behind it. */
export function dateAndTime(text: string): { readonly date: string; readonly time: string | undefined } {
  const [, date, time] = /^(.*?\d)(?:T|,? +)(\d{1,2}:\d\d.*)$/isu.exec(text) ?? []
  return { date: date ?? text, time }
}

/** The first line that proved each order. */
type Lines = Partial<Record<DateOrder, number>>

/** Collects what the texts of a whole input prove. */
export interface OrderEvidence {
  /** Whatever is noted next stands on this line. */
  onLine(line: number): void
  note(column: string, text: string): void
  /** Together with what was known. Says in a sentence what contradicts what. */
  ordersWith(known: DateOrders): { readonly orders: DateOrders } | { readonly contradiction: string }
}

const OTHER = { day: 'month', month: 'day' } as const

function contradictionOf(
  column: string,
  { day, month }: Lines,
  known: DateOrder | undefined,
): string | undefined {
  if (day !== undefined && month !== undefined)
    return `column "${column}": the day comes first on line ${day}, and the month on line ${month}`
  const line = known === undefined ? undefined : { day, month }[OTHER[known]]
  if (known === undefined || line === undefined) return undefined
  return `column "${column}": the ${OTHER[known]} comes first on line ${line}, and in the files before it was the ${known}`
}

export function createOrderEvidence(): OrderEvidence {
  const found = new Map<string, Map<string, Lines>>()
  let current = 0
  return {
    onLine(line) {
      current = line
    },
    note(column, text) {
      const { mark, order } = orderOf(dateAndTime(text).date) ?? {}
      if (mark === undefined || order === undefined) return
      const marks = found.get(column) ?? new Map<string, Lines>()
      found.set(column, marks.set(mark, { [order]: current, ...marks.get(mark) }))
    },
    ordersWith(known) {
      const orders: Record<string, Record<string, DateOrder>> = {}
      for (const [column, marks] of Object.entries(known)) orders[column] = { ...marks }
      for (const [column, marks] of found)
        for (const [mark, lines] of marks) {
          const contradiction = contradictionOf(column, lines, known[column]?.[mark])
          if (contradiction !== undefined) return { contradiction }
          orders[column] = { ...orders[column], [mark]: lines.day === undefined ? 'month' : 'day' }
        }
      return { orders }
    },
  }
}

/** Part of the state (see state.ts). */
export interface DateOrderStore {
  /** What the columns of a pipeline have proved. */
  dateOrders(pipeline: string): Promise<DateOrders>
  keepDateOrders(pipeline: string, orders: DateOrders): Promise<void>
}
