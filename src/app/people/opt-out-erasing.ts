// Takes the lines about an erased person out of the files in the outbox.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOptOutFile, withoutRows } from '../../core/change/consents/opt-outs.ts'
import type { Subject } from '../../core/erasing.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import { faultCode } from '../../sources/fault.ts'
import { replaceFile } from '../../store/file/durable.ts'

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isOptOutFile)
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Which files were changed, and how many lines of each. `folder`: undefined where there is no outbox. */
export function eraseOptOuts(
  folder: string | undefined,
  { keys, mails }: Pick<Subject, 'keys' | 'mails'>,
): readonly { readonly file: string; readonly records: number }[] {
  if (folder === undefined) return []
  return filesIn(folder).flatMap((name) => {
    const path = join(folder, name)
    const { text, removed } = withoutRows(
      readFileSync(path, 'utf8'),
      (row) =>
        mails.includes(mailKey(row.mail)) ||
        keys.some(({ pipeline, key }) => pipeline === row.pipeline && key === row.key),
    )
    if (removed === 0) return []
    replaceFile(path, text)
    return [{ file: `outbox: ${name}`, records: removed }]
  })
}
