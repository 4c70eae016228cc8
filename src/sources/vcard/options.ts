// The options of a vCard source.
import { z } from 'zod'
import { orPacked } from '../gzip.ts'
import { folderOptions } from '../options.ts'

export const vcardOptions = z.strictObject(
  folderOptions([...orPacked(['*.vcf', '*.vcard']), '*.rejects.csv']),
)

export type VcardOptions = z.output<typeof vcardOptions>
