// Asks a person before something that cannot be taken back; without a terminal only `--yes` says yes.
import { createInterface } from 'node:readline/promises'
import { SyncError } from '../core/words/errors.ts'
import { oneLine } from '../core/words/harmless.ts'
import { unguarded } from './guarded.ts'
import type { Io } from './io.ts'
import { Interrupted } from './messages.ts'

/**
 * Resolves where the answer is yes. Throws Interrupted for Ctrl-C, and USAGE where the answer is no, or where there is no terminal
 * and `yes` was not given. The question goes to standard error, so that standard output holds the result alone.
 */
export async function confirm(io: Io, question: string, yes: boolean): Promise<void> {
  if (yes) return
  if (!io.isInteractive)
    throw new SyncError('USAGE', 'no confirmation possible: standard input is not a terminal', {
      hint: '--yes continues without a question.',
    })
  const asking = createInterface({ input: io.stdin, output: unguarded(io.stderr) })
  // Ctrl-D and the end of the process are an answer, too; the question alone would wait on. A line goes before the end that
  // follows it.
  const ended = new Promise<string>((resolve, reject) => {
    asking.once('close', () => setImmediate(resolve, ''))
    asking.once('SIGINT', () => reject(new Interrupted('Nothing was changed.')))
  })
  const answered = asking.question(`${oneLine(question)} [y/N] `, { signal: io.signal }).catch(() => '')
  const answer = await Promise.race([answered, ended]).finally(() => asking.close())
  if (!/^(y|yes)$/i.test(answer.trim()))
    throw new SyncError('USAGE', 'not done', { hint: 'Nothing was changed.' })
}
