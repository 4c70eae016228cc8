// Asks an operator at a terminal what `init` is not sure about, one question a column, each with three of its values.
import { createInterface } from 'node:readline/promises'
import type { Proposal } from '../../core/proposal/proposal.ts'
import { answered, type InitQuestion, initQuestions } from '../../core/proposal/questions.ts'
import { oneLine } from '../../core/words/harmless.ts'
import { SyncError } from '../../core/words/errors.ts'
import { unguarded } from '../guarded.ts'
import { type Io, printError } from '../io.ts'
import { Interrupted } from '../messages.ts'

const LONGEST_VALUE = 40

const shownValue = (value: string): string => {
  const characters = Array.from(oneLine(value))
  return characters.length > LONGEST_VALUE
    ? `${characters.slice(0, LONGEST_VALUE).join('')}…`
    : characters.join('')
}

function questionLines({ column, question, values, answers }: InitQuestion): readonly string[] {
  const shown = values.length === 0 ? 'no value' : values.map(shownValue).join(' | ')
  return [
    '',
    `"${oneLine(column)}": ${shown}`,
    `  ${oneLine(question)}`,
    ...answers.map(({ answer, means }) => `  ${answer}: ${means}`),
  ]
}

/** The one that was meant: in any case, or its beginning where only one begins so. */
function answerMeant(text: string, { answers, standard }: InitQuestion): string | undefined {
  const given = text.trim().toLowerCase()
  if (given === '') return standard
  const fitting = answers.filter(({ answer }) => answer.toLowerCase().startsWith(given))
  const exact = fitting.find(({ answer }) => answer.toLowerCase() === given)
  if (exact !== undefined) return exact.answer
  if (given === 'yes') return answers.find(({ answer }) => answer === 'y')?.answer
  return fitting.length === 1 ? fitting[0]?.answer : undefined
}

/** The proposal after all answers. Throws USAGE where the operator ends it, Interrupted for Ctrl-C. */
export async function askAll(io: Io, proposal: Proposal): Promise<Proposal> {
  const questions = initQuestions(proposal)
  if (questions.length === 0) return proposal
  const asking = createInterface({ input: io.stdin, output: unguarded(io.stderr) })
  const lines: string[] = []
  let waiting: ((line: string | undefined) => void) | undefined
  let isOver = false
  let isInterrupted = false
  const end = (): void => {
    isOver = true
    waiting?.(undefined)
  }
  // Lines may come faster than the questions, through a pipe; the end of the input is an answer, too.
  asking.on('line', (line) => {
    if (waiting === undefined) lines.push(line)
    else waiting(line)
  })
  asking.on('SIGINT', () => {
    isInterrupted = true
    end()
  })
  asking.on('close', end)
  io.signal.addEventListener('abort', end, { once: true })
  const nextLine = async (): Promise<string | undefined> => {
    const given = lines.shift()
    if (given !== undefined || isOver) return given
    return new Promise((resolve) => {
      waiting = (line) => {
        waiting = undefined
        resolve(line)
      }
    })
  }
  try {
    let result = proposal
    for (const question of questions) result = await askOne(question, result)
    return result
  } finally {
    io.signal.removeEventListener('abort', end)
    asking.close()
  }

  function notAnswered(): SyncError {
    const hint = 'Nothing was written.'
    return isInterrupted ? new Interrupted(hint) : new SyncError('USAGE', 'not done', { hint })
  }

  async function askOne(question: InitQuestion, before: Proposal): Promise<Proposal> {
    printError(io, questionLines(question))
    const choices = question.answers.map(({ answer }) => answer).join('/')
    for (;;) {
      asking.setPrompt(`  [${choices}, Enter: ${question.standard}] `)
      if (!isOver) asking.prompt()
      const line = await nextLine()
      if (line === undefined) throw notAnswered()
      const answer = answerMeant(line, question)
      if (answer !== undefined) return answered(before, question, answer)
      printError(io, `  Write one of ${choices}.`)
    }
  }
}
