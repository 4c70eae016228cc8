// Inputs that are done with and could not be moved, each as a row of `meta`: its name ends with that of the pipeline, and goes
// along when that is renamed.
import type { Unmoved } from '../../../core/run-state.ts'
import type { StagedInput } from '../../../core/state.ts'
import type { Connection } from '../../file/connection.ts'

const UNMOVED = 'unmoved:'

const nameOf = ({ id, pipeline }: Pick<StagedInput, 'id' | 'pipeline'>): string =>
  `${UNMOVED}${id}:${pipeline}`

export interface UnmovedInputs {
  note(unmoved: Unmoved): void
  of(pipeline: string): Unmoved[]
  end(staged: StagedInput): void
}

export function createUnmoved(db: Connection): UnmovedInputs {
  const write = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
  const all = db.prepare<[], { name: string; value: string }>(
    `SELECT name, value FROM meta WHERE name >= '${UNMOVED}' AND name < 'unmoved;'`,
  )
  const drop = db.prepare('DELETE FROM meta WHERE name = ?')
  return {
    note({ staged, ...unmoved }) {
      // Its cursor has moved.
      const { cursor: _, ...input } = staged.input
      write.run(nameOf(staged), JSON.stringify({ ...unmoved, staged: { ...staged, input } }))
    },
    of: (pipeline) =>
      all
        .all()
        .filter(({ name }) => name.replace(/^unmoved:\d+:/u, '') === pipeline)
        .map(({ value }) => JSON.parse(value) as Unmoved)
        .map(({ staged, ...unmoved }) => ({ ...unmoved, staged: { ...staged, pipeline } }))
        .sort((one, other) => one.staged.id - other.staged.id),
    end: (staged) => void drop.run(nameOf(staged)),
  }
}
