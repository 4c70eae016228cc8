// The part of the schema that defines the receivers of alerts and their conditions.
import { z } from 'zod'
import { CONDITION_NAMES } from './alert-rules.ts'
import { WEEKDAYS } from '../words/deadline.ts'
import { smtpAddress, webhookAddress } from '../words/network/address.ts'
import { duration, oneOrMore, shareOrCount, text } from '../words/scalars.ts'

const TIME_SENTENCE = 'is not a time of day; write one such as "07:00", in quotes'
/** Minutes since midnight. */
const timeOfDay = z.codec(
  z.string({ error: TIME_SENTENCE }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: TIME_SENTENCE }),
  z.number(),
  {
    decode: (written) => Number(written.slice(0, 2)) * 60 + Number(written.slice(3)),
    encode: (minute) =>
      [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':'),
  },
)
const address = z
  .string()
  .regex(/^[^\s@<>]+@[^\s@<>]+$/, { error: 'is not an e-mail address; write one such as ops@example.com' })

const mail = z
  .strictObject({
    smtp: smtpAddress.describe(
      'The mail server: `smtps://mail.example.com`, or `smtp://mail.example.com:587`, which must offer STARTTLS unless it is this machine.',
    ),
    user: text.optional().describe('The user name for the mail server; unset: no sign-in.'),
    password: z.string().optional().describe('The password; take it from the environment.'),
    password_file: text.optional().describe('A file with the password, instead of `password`.'),
    from: address.describe('The sender address of the e-mails.'),
    to: oneOrMore('write an address, or a list of addresses')
      .pipe(z.array(address))
      .describe('The recipients.'),
  })
  .check((ctx) => {
    const { user, password, password_file: file } = ctx.value
    if (user !== undefined && password === undefined && file === undefined)
      ctx.issues.push({
        code: 'custom',
        input: user,
        path: ['user'],
        message: 'has no password; add password or password_file',
      })
  })

const alert = z
  .strictObject({
    webhook: webhookAddress
      .optional()
      .describe(
        'The address that messages are POSTed to. Anyone who knows it can write to it, so it is kept out of logs like a secret.',
      ),
    format: z
      .enum(['json', 'slack'])
      .prefault('json')
      .describe(
        'With `webhook`: `json`, the message format of contact-sync, or `slack`, the format of Slack, Mattermost and compatible services.',
      ),
    secret: z
      .string()
      .optional()
      .describe('With `webhook`: messages are signed with it (HMAC-SHA256); take it from the environment.'),
    secret_file: text.optional().describe('A file with the secret, instead of `secret`.'),
    mail: mail.optional().describe('Sends e-mail instead.'),
    on: z
      .array(z.enum(CONDITION_NAMES))
      .min(1, { error: 'is an empty list; name the conditions, or leave the key out for all' })
      .optional()
      .describe('The conditions that are reported. Unset: all.'),
    pipelines: z
      .array(text)
      .min(1, { error: 'is an empty list; name pipelines, or leave the key out for all' })
      .optional()
      .describe('The pipelines that are reported. Unset: all.'),
    rejects_above: shareOrCount
      .prefault(0)
      .describe(
        'The limit above which `rejects` are reported: a share of the records of the last file, or a count of the rejects that are kept.',
      ),
    nothing_by: timeOfDay
      .optional()
      .describe(
        '`nothing_arrived`: the time of day, in the time zone of the pipeline, by which a file must have arrived.',
      ),
    nothing_on: z
      .array(z.enum(WEEKDAYS))
      .min(1)
      .optional()
      .describe('With `nothing_by`: on which days. Unset: every day.'),
    nothing_within: duration({ min: '1m', max: '30d' })
      .prefault('24h')
      .describe('With `nothing_by`: how long before that time the file may have arrived.'),
    after: duration({ max: '7d' })
      .prefault('0s')
      .describe(
        'How long a condition must last before it is reported; one that ends sooner is never reported.',
      ),
  })
  .check((ctx) => {
    const { webhook, mail: byMail, secret, secret_file: file, on, nothing_by: by } = ctx.value
    const say = (message: string, path: string[] = []) =>
      ctx.issues.push({ code: 'custom', input: ctx.value, path, message })
    if ((webhook === undefined) === (byMail === undefined))
      say('must have exactly one of webhook and mail; write an entry for each receiver')
    if (webhook === undefined && (secret !== undefined || file !== undefined))
      say('signs messages to a webhook; leave it out', [secret === undefined ? 'secret_file' : 'secret'])
    if (on?.includes('nothing_arrived') === true && by === undefined)
      say('names nothing_arrived without a time; add nothing_by: "07:00"', ['on'])
  })

export const alertsSchema = z.array(alert)
