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

interface Changed {
  readonly file: string
  readonly records: number
}

/**
 * Which files were changed, and how many lines of each. `folder`: undefined where there is no outbox. Calls `left` with what the
 * file system says of each that cannot be read or written, and without a name where the folder cannot be read.
 */
export function eraseOptOuts(
  folder: string | undefined,
  { keys, mails }: Pick<Subject, 'keys' | 'mails'>,
  left: (error: unknown, name?: string) => void,
): readonly Changed[] {
  if (folder === undefined) return []
  const eraseIn = (name: string): Changed[] => {
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
  }
  const orLeft = <T>(work: () => T[], name?: string): T[] => {
    try {
      return work()
    } catch (error) {
      left(error, name)
      return []
    }
  }
  return orLeft(() => filesIn(folder)).flatMap((name) => orLeft(() => eraseIn(name), name))
}
