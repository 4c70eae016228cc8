// The statements that go to a PostgreSQL server, and when.
import type { Channel, Query, StatementAnswer } from './channel.ts'

/** So many statements wait at most, and so many characters of them: a state that is moved brings its rows in their text. */
const TOGETHER = 500
const CHARACTERS = 2_000_000

interface Waiting {
  readonly query: Query
  answer: StatementAnswer | undefined
}

const NOTHING: StatementAnswer = { columns: [], rows: [], changes: 0, command: '' }

/**
 * The statements that go to the server. One that writes waits, within a transaction, for the next one whose answer is needed, at
 * last for the commit, so that a transaction costs few ways to the server and back. What fails is reported then.
 */
export function createLine(channel: Channel) {
  let waiting: Waiting[] = []
  let characters = 0

  /** What waits, then this. */
  function now(query?: Query): StatementAnswer {
    const sent = waiting
    drop()
    const queries = sent.map((one) => one.query)
    const answers = channel.ask(query === undefined ? queries : [...queries, query])
    for (const [index, one] of sent.entries()) one.answer = answers[index]
    return answers.at(-1) ?? NOTHING
  }

  function drop(): void {
    waiting = []
    characters = 0
  }

  /** Gives its answer, for which the server is asked where it still waits. */
  function later(query: Query): () => StatementAnswer {
    const one: Waiting = { query, answer: undefined }
    waiting.push(one)
    characters += query.text.length
    if (waiting.length >= TOGETHER || characters >= CHARACTERS) now()
    return () => {
      if (one.answer === undefined) now()
      return one.answer ?? NOTHING
    }
  }

  return { now, later, drop }
}

export type ServerLine = ReturnType<typeof createLine>

export const plain = (text: string): Query => ({ text, values: [] })

/** What need not be said where the connection is gone, which has undone it. */
export function sayQuietly(line: ServerLine, text: string): void {
  try {
    line.now(plain(text))
  } catch {
    // The lease ends by itself.
  }
}
