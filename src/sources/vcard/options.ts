// The options of a vCard source.
import { z } from 'zod'
import { folderOptions } from '../options.ts'

export const vcardOptions = z.strictObject(folderOptions(['*.vcf', '*.vcard', '*.rejects.csv']))

export type VcardOptions = z.output<typeof vcardOptions>
