// `guards.brake`: which terms are given to a few contacts first, and what is looked at before the rest gets them.
import { z } from 'zod'
import { duration, share, text } from '../../words/scalars.ts'

const stopWhen = z
  .strictObject({
    unsubscribed: share
      .optional()
      .describe('The share of the first contacts that has unsubscribed meanwhile (mail_status 2).'),
    refused: share
      .optional()
      .describe('The share of the first contacts that has been blocked meanwhile (mail_status 1).'),
  })
  .prefault({ unsubscribed: '2%', refused: '1%' })

export const brakeSchema = z.strictObject({
  terms: z.array(text).min(1).describe('The terms, by name.'),
  above: z
    .int()
    .min(0)
    .prefault(200)
    .describe(
      'So many contacts are given one of these terms within `watch` without a look, counted for each term over all files and pipelines.',
    ),
  first: z
    .int()
    .min(1)
    .prefault(50)
    .describe('How many contacts, drawn at random, get it first where there are more.'),
  watch: duration({ min: '1s', max: '90d' })
    .prefault('24h')
    .describe(
      'How long afterwards these contacts are read again. Until then no other contact gets the term.',
    ),
  stop_when: stopWhen.describe('Shares at which the rest is held; below them it goes automatically.'),
})
