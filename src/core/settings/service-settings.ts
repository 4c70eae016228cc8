// The schema of everything in the configuration that is not a pipeline: service, state, log, server, alerts.
// Limits here keep out slips (a time-out of a day); what the service allows is not known.
import { z } from 'zod'
import { USER_ROLES } from '../words/user-roles.ts'
import { baseUrl, handOverProblem, isWebAddress, webhookProblem } from '../words/network/address.ts'
import { duration, text } from '../words/scalars.ts'

const count = (min: number, max: number) => z.int().min(min).max(max)

const rateLimit = z.strictObject({
  requests: count(1, 100_000).prefault(5).describe('Requests in any window of `per`.'),
  per: duration({ min: '1ms', max: '1d' }).prefault('1s').describe('The length of the window.'),
  concurrency: count(1, 100).prefault(4).describe('Requests under way at the same time.'),
  per_day: count(1, 1_000_000_000)
    .optional()
    .describe('Requests in any 24 hours, counted over all processes; unset: no limit.'),
})

const retry = z.strictObject({
  attempts: count(1, 100)
    .prefault(6)
    .describe('How often a request is sent at most, the first time included.'),
  max_delay: duration({ max: '1h' }).prefault('2m').describe('The longest wait before another attempt.'),
})

const bulk = z.strictObject({
  size: count(1, 1000)
    .prefault(50)
    .describe('Contacts in one bulk call at most; halved where the service refuses it.'),
  container: z
    .enum(['array', 'keyed'])
    .prefault('array')
    .describe('How the contacts of a bulk call are packed; the interface does not say which.'),
})

const doubt = z.strictObject({
  quiesce: duration({ max: '1d' })
    .prefault('2m')
    .describe('How long a request without an answer may still take effect; a run waits for it at its end.'),
  absent_reads: count(1, 10)
    .prefault(2)
    .describe('How often, `quiesce` apart, its contact must be missing before it is sent again.'),
})

export const serviceSchema = z.strictObject({
  base_url: baseUrl.describe('The address of the service: https, or http on this machine only.'),
  api_key: z
    .string()
    .optional()
    .describe('The key of the interface; take it from the environment: `${CONTACT_SYNC_API_KEY}`.'),
  api_key_file: text
    .optional()
    .describe('A file with the key, instead of `api_key`; relative to the configuration.'),
  api_version: z
    .string()
    .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]+$/, {
      error: 'is no version; write it as in the path of the interface, V1 for example',
    })
    .prefault('V1')
    .describe('The version in the path of the interface.'),
  timeout: duration({ min: '1ms', max: '1h' }).prefault('30s').describe('How long an answer may take.'),
  rate_limit: rateLimit
    .prefault({})
    .describe(
      'The limit on requests, shared by all pipelines, and by all processes and commands with this state.',
    ),
  retry: retry.prefault({}).describe('What happens to a request that failed for now.'),
  bulk: bulk.prefault({}).describe('Calls that create several contacts.'),
  doubt: doubt.prefault({}).describe('Requests whose outcome is unknown.'),
  profile: text
    .optional()
    .describe(
      'A file that `probe --output` has written: what it says of the service takes the place of defaults. Relative to the configuration.',
    ),
  clear_by: z
    .enum(['empty_text', 'null_value'])
    .optional()
    .describe(
      'What is sent first to empty a field: `empty_text` (`""`) or `null_value` (`null`); the other one follows where the field is not empty then. Unset: by the type of the field.',
    ),
  status_after_delete: z
    .enum(['forgotten', 'remembered'])
    .optional()
    .describe(
      'Whether the service keeps the mail_status of an address whose contact is deleted. `remembered`: it is not read before a delete. Unset: as `forgotten`.',
    ),
  marker_field: text.optional().describe('A custom text field that names the operation.'),
  custom_field_key: z
    .string()
    .regex(/\{field_(name|id)\}/, {
      error: 'has neither {field_name} nor {field_id} in it; all fields would have one key',
    })
    .prefault('{field_name}')
    .describe(
      'The key under which a custom field stands in a contact, with `{field_name}` or `{field_id}` in it.',
    ),
})

export const stateSchema = z.strictObject({
  path: text
    .prefault('../state/contact-sync.db')
    .describe(
      'The state database; relative to the configuration. With `url`, what this machine alone keeps lies beside this path.',
    ),
  url: z
    .string()
    .refine((value) => /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? ''), {
      error:
        'is not the address of a PostgreSQL server; write postgres://USER:PASSWORD@HOST/DATABASE, or better the name of a variable: "${DATABASE_URL}"',
    })
    .optional()
    .describe(
      'A PostgreSQL server for the state, in place of the file: `"${DATABASE_URL}"`. Any number of machines with one configuration then share the work and one rate limit. Each account has its own schema there, `contact_sync` or `contact_sync_ACCOUNT`.',
    ),
})

export const workersSchema = z.strictObject({
  name: text
    .optional()
    .describe(
      'The name of this process among the workers of a state at a server. Unset: that of the machine.',
    ),
  labels: z
    .array(text)
    .prefault([])
    .describe(
      'What this machine has that others lack: it also runs the pipelines that name one of these labels in `on`.',
    ),
})

const logLevel = z.enum(['error', 'warn', 'info', 'debug'])

export const logSchema = z.strictObject({
  level: logLevel.prefault('info').describe('The least important kind of line to write.'),
  console_level: logLevel
    .optional()
    .describe(
      'The same for standard error alone; unset: as `level` under `start`, and `error` under `run`, which has its summary.',
    ),
  format: z.enum(['json', 'pretty']).prefault('json').describe('`json` for machines, `pretty` for people.'),
  folder: text
    .optional()
    .describe('A folder for log files, beside standard error; unset: standard error alone.'),
  keep: duration({ min: '1h' }).prefault('30d').describe('How long log files are kept.'),
})

export const auditSchema = z.strictObject({
  witness: z
    .strictObject({
      to: text
        .check((ctx) => {
          const message = isWebAddress(ctx.value) ? webhookProblem(ctx.value) : undefined
          if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
        })
        .describe(
          'Where the head of the sync log is kept, out of reach of this machine: a file, which is appended to, or an address, which is sent a POST.',
        ),
      every: duration({ min: '1h' }).prefault('24h').describe('How often `start` writes it.'),
    })
    .optional()
    .describe('Regular copies of the head of the sync log. Unset: none.'),
  hand_over: z
    .strictObject({
      to: text
        .check((ctx) => {
          const message = handOverProblem(ctx.value)
          if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
        })
        .describe(
          'What collects the logs: `tls://HOST:PORT`, `tcp://HOST:PORT` on this machine, or a file, which is appended to.',
        ),
      format: z
        .enum(['jsonl', 'syslog'])
        .prefault('jsonl')
        .describe(
          '`jsonl`: a JSON object on each line; `syslog`: RFC 5424 with the same object as the message.',
        ),
    })
    .optional()
    .describe(
      'Hands over each entry of the sync log, without values of contacts, within a minute under `start`. Unset: none.',
    ),
})

const kept = duration({ min: '1h' })
export const keepSchema = z.strictObject({
  processed: kept
    .optional()
    .describe('How long files stay in `processed`, with the files beside them; unset: permanently.'),
  failed: kept.optional().describe('How long files stay in `failed`; unset: permanently.'),
  rejects: kept
    .optional()
    .describe(
      "How long rejected records stay in the state, except those of a pipeline's last file; unset: permanently.",
    ),
  runs: duration({ min: '1d' })
    .prefault('365d')
    .describe('How long runs are listed. The sync log is not affected.'),
  sync_log: duration({ min: '1d' })
    .optional()
    .describe(
      'How long the sync log keeps values: whose contact changed, from and to. Entries stay without their values, and the chain stays intact; unset: permanently.',
    ),
  reads: duration({ min: '1d' })
    .prefault('365d')
    .describe('How long it is kept who looked at whose data: `audit reads`.'),
})

const userSchema = z.strictObject({
  name: z
    .string()
    .regex(
      /^[\p{L}\p{N}](?:[\p{L}\p{N}._@ -]{0,62}[\p{L}\p{N}])?$/u,
      'is not a name of at most 64 letters, digits, spaces, dots, hyphens, underscores and @',
    )
    .describe('The name that the console shows; unique.'),
  token: z
    .string()
    .optional()
    .describe('The token of this user, at least 16 characters; take it from the environment.'),
  token_file: text.optional().describe('A file with it, instead of `token`.'),
  role: z
    .enum(USER_ROLES)
    .describe(
      'What the user may do: `viewer` (read), `operator` (decide as well, in the console and with `--by`) or `approver` (the same).',
    ),
})

export const serverSchema = z.strictObject({
  host: text.prefault('127.0.0.1').describe('The address that health, metrics and console listen on.'),
  port: count(0, 65_535).prefault(8080).describe('Its port; 0 takes a free one.'),
  hosts: z
    .array(text)
    .prefault([])
    .describe(
      'Host names under which it is served, behind a proxy for example, `[sync.example.com]`; addresses and localhost always work.',
    ),
  url: z
    .string()
    .regex(
      /^https?:\/\/[^\s/?#@]+\/*$/,
      'is not an address of a console; write one such as https://sync.example.com',
    )
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'The address of the console for users: links in alerts begin with it. Unset: `http://`, the first of `hosts` (or `host`) and the port.',
    ),
  token: z
    .string()
    .optional()
    .describe(
      'The token of the console; take it from the environment: `${CONTACT_SYNC_TOKEN}`. Without one the console is closed. It opens metrics, too.',
    ),
  token_file: text.optional().describe('A file with the token, instead of `token`.'),
  users: z
    .array(userSchema)
    .prefault([])
    .describe(
      'Who may sign in to the console, each with a separate token. `token` beside them is a viewer without a name.',
    ),
  metrics_token: z
    .string()
    .optional()
    .describe(
      'The token of Prometheus for `/metrics`; it opens nothing else. It must differ from `token`, which opens the console with the data of all contacts.',
    ),
  metrics_token_file: text.optional().describe('A file with it, instead of `metrics_token`.'),
})
