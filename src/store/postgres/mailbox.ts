// How a command reaches the worker that has a pipeline, on whatever machine: a request is a row, and so is each line of the
// answer. Both go with either of the two workers. The lines are those of the socket beside a state in a file.
import type { AnswerLine, Mailbox } from '../../core/fleet.ts'
import type { Connection } from '../file/connection.ts'

export const MAILBOX_TABLES = `
CREATE TABLE IF NOT EXISTS ask (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, fence bigint NOT NULL REFERENCES worker ON DELETE CASCADE,
  asker bigint NOT NULL REFERENCES worker ON DELETE CASCADE, request text NOT NULL);
CREATE INDEX IF NOT EXISTS ask_fence ON ask (fence);
CREATE INDEX IF NOT EXISTS ask_asker ON ask (asker);
CREATE TABLE IF NOT EXISTS answer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ask bigint NOT NULL REFERENCES ask ON DELETE CASCADE, line text NOT NULL);
CREATE INDEX IF NOT EXISTS answer_ask ON answer (ask);`

/** `fence`: of the worker that this connection is. */
export function createMailbox(db: Connection, fence: number): Mailbox {
  const ask = db
    .prepare<[object], number>(
      'INSERT INTO ask (fence, asker, request) SELECT fence, @asker, @request FROM worker WHERE fence = @to RETURNING id',
    )
    .pluck()
  // The row of a worker whose lease has ended stays as long as no other worker is at work.
  const open = db.prepare<[number], number>(
    'SELECT a.id FROM ask a JOIN worker w ON w.fence = a.fence WHERE a.id = ? AND w.until >= clock_timestamp()',
  )
  const lines = db.prepare<[number, number], AnswerLine>(
    'SELECT id, line FROM answer WHERE ask = ? AND id > ? ORDER BY id',
  )
  const end = db.prepare('DELETE FROM ask WHERE id = ?')
  const asked = db.prepare<[number, number], { id: number; request: string }>(
    'SELECT id, request FROM ask WHERE fence = ? AND id > ? ORDER BY id',
  )
  const answer = db.prepare('INSERT INTO answer (ask, line) SELECT id, @line FROM ask WHERE id = @ask')
  return {
    ask: async (to, request) => ask.get({ asker: fence, to, request }),
    async answersTo(id, after) {
      // Asked first: an answer that comes in between is not missed.
      const isOpen = open.get(id) !== undefined
      return { isOpen, lines: lines.all(id, after) }
    },
    endAsk: async (id) => void end.run(id),
    asked: async (after) => asked.all(fence, after),
    answer: async (id, line) => void answer.run({ ask: id, line }),
  }
}
