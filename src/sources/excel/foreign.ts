// Files that are taken for workbooks and are none that is read: for each a sentence on what it is and what to do.
import { SyncError } from '../../core/words/errors.ts'
import type { InputFile } from '../input-file.ts'
import type { Workbook } from './zip.ts'

const OLE = 'd0cf11e0a1b11ae1'
const PIECE_BYTES = 1024 * 1024
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')

const SAVE = 'Open it, save it as an Excel workbook (.xlsx), and drop that.'

function refusal(name: string, what: string, hint: string): SyncError {
  return new SyncError('INPUT_EXCEL', `${name} is ${what}`, { hint })
}

/** Whether a document of the old container holds an encrypted workbook. */
async function isEncrypted(file: InputFile): Promise<boolean> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES)
  for (let position = 0; position < file.bytes; position += PIECE_BYTES - ENCRYPTED.length) {
    const count = await file.readAt(buffer, position)
    if (count === 0) return false
    if (buffer.subarray(0, count).includes(ENCRYPTED)) return true
  }
  return false
}

/** By its first bytes. Throws INPUT_EMPTY, and INPUT_EXCEL for what is no ZIP archive. */
export async function refuseForeign(file: InputFile): Promise<void> {
  const buffer = Buffer.alloc(512)
  const head = buffer.subarray(0, await file.readAt(buffer, 0))
  if (file.bytes <= buffer.length && head.toString('utf8').replaceAll(/[\s\ufeff]/g, '') === '')
    throw new SyncError('INPUT_EMPTY', `${file.name} holds no workbook`)
  if (head.toString('latin1', 0, 2) === 'PK') return
  if (head.toString('hex', 0, 8) === OLE) {
    if (await isEncrypted(file))
      throw refusal(
        file.name,
        'an Excel workbook that is protected by a password',
        'Open it with the password, remove the protection (File, Info, Protect Workbook), save it and drop it again.',
      )
    throw refusal(file.name, 'an old Excel workbook (.xls), which is not read', SAVE)
  }
  const isPage = /<(!doctype html|html|table)/i.test(head.toString('latin1'))
  throw refusal(
    file.name,
    isPage ? 'a web page, not an Excel workbook' : 'no Excel workbook (.xlsx)',
    `${SAVE} Text with separated values is read by type: csv.`,
  )
}

/** By its parts. Throws INPUT_EXCEL for other documents that are ZIP archives, and for workbooks with macros. */
export function refuseOther({ name, parts }: Workbook): void {
  const has = (pattern: RegExp): boolean => parts.some((part) => pattern.test(part))
  if (has(/\.iwa$|^index\.zip$/))
    throw refusal(
      name,
      'a spreadsheet of Numbers, which is not read',
      'In Numbers: File, Export To, Excel. Drop the .xlsx file.',
    )
  if (has(/^mimetype$/) && has(/^content\.xml$/))
    throw refusal(name, 'an OpenDocument file (.ods), which is not read', SAVE)
  if (has(/(^|\/)vbaproject\.bin$/))
    throw refusal(
      name,
      'an Excel workbook with macros (.xlsm), which is not read',
      'Save it as an Excel workbook without macros (.xlsx), and drop that.',
    )
  if (has(/^xl\/workbook\.bin$/))
    throw refusal(name, 'a binary Excel workbook (.xlsb), which is not read', SAVE)
  if (has(/^(word|ppt)\//))
    throw refusal(name, 'a document of Word or PowerPoint, not an Excel workbook', SAVE)
}
