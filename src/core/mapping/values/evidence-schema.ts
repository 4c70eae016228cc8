// The schema of the evidence of a consent: the columns that say when, where and to what a person agreed. For mail_status alone.
import { z } from 'zod'
import { flag, text } from '../../words/scalars.ts'
import { AUTO } from './dates/date-order.ts'
import { dateFormats } from './value-schema.ts'

export const consentKeys = {
  evidence: z
    .strictObject({
      at: z
        .union(
          [
            text,
            z.strictObject({
              column: text.describe('The column.'),
              date: dateFormats.describe('Patterns of its days, as those of `date` of a field.'),
            }),
          ],
          {
            error: 'is neither the name of a column nor { column: NAME, date: dd.MM.yyyy }',
          },
        )
        .transform((written) => (typeof written === 'string' ? { column: written, date: [AUTO] } : written))
        .describe(
          'The column with the day on which the person agreed: `Opt-in date`, read as `date: auto` reads it, or `{ column: Opt-in date, date: dd.MM.yyyy }`.',
        ),
      source: text.optional().describe('The column that says where: a form, a fair.'),
      text: text.optional().describe('The column with the words that the person agreed to.'),
    })
    .optional()
    .describe(
      'Of mail_status: the columns with the evidence of a consent. What they say stands in the sync log beside each 4 or 7 that is sent, and `audit show` prints it.',
    ),
  require_evidence: flag
    .optional()
    .describe(
      'Of mail_status: a contact is raised to 4 or 7 only with evidence, every column of it filled, and of a later day than the one on which a 1 or 2 was first seen. Otherwise the record is sent without it. Default: false.',
    ),
}

type Written = Readonly<Partial<Record<string, unknown>>>

/** What is wrong with the keys in the mapping of this field. */
export function evidenceProblems(
  field: string,
  { evidence, require_evidence: isRequired }: Written,
): { readonly key: string; readonly message: string }[] {
  const given = [
    ...(evidence === undefined ? [] : ['evidence']),
    ...(isRequired === undefined ? [] : ['require_evidence']),
  ]
  if (field !== 'mail_status')
    return given.map((key) => ({ key, message: 'is for mail_status only; leave it out' }))
  return isRequired === true && evidence === undefined
    ? [
        {
          key: 'require_evidence',
          message: 'needs evidence; name its columns: evidence: { at: Opt-in-Date }',
        },
      ]
    : []
}
