// What a benchmark has found: tables, printed row by row while it runs and once more as Markdown, and the figures that are
// judged by their limits. Pure but for the printing that it is handed.
import { type LimitName, LIMITS, stepAt, type Verdict, verdictOf } from '../limits.ts'

export interface Table {
  /** The first is what the table is about. */
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Figure {
  readonly name: LimitName
  readonly value: number
  readonly verdict: Verdict
}

export interface Sheet {
  begin(head: readonly string[]): (...cells: readonly string[]) => void
  judge(name: LimitName, value: number): void
  tables(): readonly Table[]
  figures(): readonly Figure[]
}

const FIRST_WIDTH = 56
const LEAST_WIDTH = 9

/** The first column to the left, the others to the right. */
function textLine(cells: readonly string[], head: readonly string[]): string {
  const padded = cells.map((cell, column) =>
    column === 0 ? cell.padEnd(FIRST_WIDTH) : cell.padStart(Math.max(LEAST_WIDTH, head[column]?.length ?? 0)),
  )
  return padded.join('  ').trimEnd()
}

export function markdownOf({ head, rows }: Table): string {
  const escaped = (cell: string): string => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`
  const rule = line(head.map((_, column) => (column === 0 ? '---' : '---:')))
  return [line(head), rule, ...rows.map(line)].join('\n')
}

/** `rows`: of the file, by which limits are chosen. */
export function createSheet(rows: number, say: (line: string) => void): Sheet {
  const tables: { head: readonly string[]; rows: (readonly string[])[] }[] = []
  const figures: Figure[] = []
  return {
    begin(head) {
      const table = { head, rows: [] as (readonly string[])[] }
      tables.push(table)
      say('')
      say(textLine(head, head))
      return (...cells) => {
        table.rows.push(cells)
        say(
          textLine(
            cells.map((cell, column) => (column === 0 ? `  ${cell}` : cell)),
            head,
          ),
        )
      }
    },
    judge: (name, value) => void figures.push({ name, value, verdict: verdictOf(value, LIMITS[name], rows) }),
    tables: () => tables,
    figures: () => figures,
  }
}

const shown = (value: number | undefined): string => (value === undefined ? '' : String(value))

export const figureCells = ({ name, value, verdict }: Figure, rows: number): string[] => {
  const { what, aim, most } = LIMITS[name]
  return [what, value.toFixed(2), shown(stepAt(aim, rows)), shown(stepAt(most, rows)), verdict]
}

export const isOver = ({ verdict }: Figure): boolean => verdict === 'ABOVE ITS LIMIT'

/** Fills the place of a manual that is kept for a benchmark of so many rows. Throws where there is none. */
export function filledPlace(manual: string, rows: number, text: string): string {
  const start = `<!-- bench ${rows} -->\n`
  const end = '\n<!-- bench end -->'
  const from = manual.indexOf(start)
  const to = manual.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`the manual has no place for a benchmark of ${rows} rows`)
  return manual.slice(0, from + start.length) + text + manual.slice(to)
}
