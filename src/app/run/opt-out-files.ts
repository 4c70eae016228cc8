// Writes the outbox: who was found blocked or unsubscribed at the service, as files for the source. A file that a crash
// left is written again, whole and under the same name; its rows leave the state only afterwards.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { optOutFile, type OptOutStore } from '../../core/change/consents/opt-outs.ts'
import { errorFacts } from '../../core/words/error-facts.ts'
import { replaceFile } from '../../store/file/durable.ts'
import type { Log } from '../../log/log.ts'

/** Never throws for the folder: what was not written stays in the state for the next run. */
export async function writeOptOuts(
  folder: string | undefined,
  { state, log }: { state: Pick<OptOutStore, 'openOptOuts' | 'optOutsWritten'>; log: Log },
): Promise<void> {
  if (folder === undefined) return
  for (;;) {
    const file = await state.openOptOuts()
    if (file === undefined) return
    const { name, text } = optOutFile(file.number, file.rows)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      replaceFile(join(folder, name), text)
    } catch (error) {
      log.warn('opt-outs not written', errorFacts(error))
      return
    }
    await state.optOutsWritten(file.number)
    log.info('opt-outs written', { contacts: file.rows.length })
  }
}
