// The schema of the configuration, and its type as the settings that the program works with: a key is spelled once, in
// the words of the file. Descriptions are those of the manual and of editors. Durations are milliseconds afterwards.
import { z } from 'zod'
import { accountsSchema } from './settings/account-settings.ts'
import { alertsSchema } from './alerts/alerts-schema.ts'
import type { ConditionName } from './alerts/alert-rules.ts'
import { consentsSchema } from './change/consents/consent-settings.ts'
import { approvalsSchema, type ApprovalRule } from './change/waiting/approval-settings.ts'
import { guardsSchema } from './change/waiting/guard-settings.ts'
import { expectSchema } from './settings/expect-settings.ts'
import type { Receiver } from './alerts/receiver.ts'
import { blank, type FieldMapping, mapSchema, onInvalid } from './mapping/mapping-schema.ts'
import { CONTACT_FIELD_NAMES } from './mapping/contact.ts'
import { REPAIRS } from './mapping/repair.ts'
import { transformList } from './mapping/fields/transform-schema.ts'
import type { TransformCall } from './mapping/fields/transforms.ts'
import type { DeepReadonly } from './words/deep-readonly.ts'
import { flag, oneOrMore, text, timezone } from './words/scalars.ts'
import { type FieldOwners, sendingKeys } from './sending-settings.ts'
import {
  auditSchema,
  keepSchema,
  logSchema,
  serverSchema,
  serviceSchema,
  stateSchema,
  workersSchema,
} from './settings/service-settings.ts'
import { type SourceKinds, sourceSchema } from './settings/source-settings.ts'
import type { StatePlace } from './state-place.ts'

/** A constant, with a condition (CEL) or without, or the values of a column. */
export type TermAssignment =
  | { readonly name: string; readonly when?: string }
  | { readonly column: string; readonly split?: string; readonly transform?: readonly TransformCall[] }

/** Checks that belong to other rooms; each gives what is wrong with the text, or undefined. */
export interface OutsideChecks {
  readonly checkSchedule?: (expression: string) => string | undefined
  readonly checkCondition?: (expression: string) => string | undefined
  /** One account of several need not have pipelines. */
  readonly mayBeEmpty?: boolean
}

function checkedText(check: ((value: string) => string | undefined) | undefined) {
  return text.check((ctx) => {
    const message = ctx.value === '' ? undefined : check?.(ctx.value)
    if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
  })
}

const whole = (min: number) => z.int().min(min)

function termSchema(checks: OutsideChecks) {
  const term = z.union(
    [
      text,
      z
        .strictObject({
          name: text.optional().describe('A term.'),
          when: checkedText(checks.checkCondition).optional().describe('With name: a CEL condition for it.'),
          column: text.optional().describe('A column that holds terms.'),
          split: text.optional().describe('With column: the separator of several terms.'),
          transform: transformList
            .optional()
            .describe('With column: transforms for each term, as those of a field.'),
        })
        .check((ctx) => {
          const { name, when, column, split, transform } = ctx.value
          const say = (message: string, path: string[] = []) =>
            ctx.issues.push({ code: 'custom', input: ctx.value, path, message })
          if ((name === undefined) === (column === undefined))
            say('must have exactly one of name and column; a term is named here, or read from a column')
          else if (when !== undefined && name === undefined)
            say('has no effect with column; put the condition on a term that is named here', ['when'])
          else if (split !== undefined && column === undefined)
            say('has no effect with name; leave it out', ['split'])
          else if (transform !== undefined && column === undefined)
            say('has no effect with name; write the final term', ['transform'])
        }),
    ],
    { error: 'is not a term; write a name, { column: NAME } or { name: NAME, when: CONDITION }' },
  )
  return term.transform(
    (written) => (typeof written === 'string' ? { name: written } : written) as TermAssignment,
  )
}

function termsSchema(checks: OutsideChecks) {
  return z.strictObject({
    policy: z
      .enum(['add', 'managed', 'replace'])
      .prefault('add')
      .describe(
        "`add` only adds; `managed` also removes what the pipeline added before; `replace` makes the source's list the whole list.",
      ),
    create_missing: flag
      .prefault(true)
      .describe('Whether unknown terms are created, or their records rejected.'),
    assign: z.array(termSchema(checks)).prefault([]).describe('The terms of each contact.'),
    descriptions: z
      .record(text, z.string())
      .prefault({})
      .describe('Descriptions of terms, by name; the service is kept at these texts.'),
    verify: flag
      .prefault(true)
      .describe(
        'Whether a removal is read back, and terms that the service removed in addition are restored.',
      ),
  })
}

const mappingTest = z
  .strictObject({
    name: text.describe('The name of the test.'),
    record: z
      .record(text, z.string())
      .describe(
        'The values of a record by column. Columns that it does not name are no part of the test: fields, `where`, `skip_without` and terms that need them are left out.',
      ),
    contact: z
      .partialRecord(z.enum(CONTACT_FIELD_NAMES), z.union([z.string(), z.number()]).nullable())
      .optional()
      .describe('Fields that must have this value; `null`: none. Others may have any.'),
    terms: z.array(text).optional().describe('All terms that the record asks for, in any order.'),
    rejected: text
      .optional()
      .describe('In place of a contact: a part of the reason for which it is rejected.'),
    skipped: z.literal(true).optional().describe('In place of a contact: it is skipped.'),
  })
  .check((ctx) => {
    const { contact, terms, rejected, skipped } = ctx.value
    const expected = [contact ?? terms, rejected, skipped].filter((one) => one !== undefined)
    const message =
      expected.length === 0
        ? 'expects nothing; add contact, terms, rejected or skipped'
        : 'expects a contact and none; keep contact and terms, or one of rejected and skipped'
    if (expected.length !== 1) ctx.issues.push({ code: 'custom', input: ctx.value, message })
  })

const mappingTests = z
  .array(mappingTest)
  .optional()
  .describe(
    'Records and their expected outcome, run by `contact-sync test`: `[{ name: a doctor, record: { Name: Dr. Anna Berger }, contact: { title2: dr } }]`. Default: none.',
  )

const HOUSEHOLD_FIELDS = CONTACT_FIELD_NAMES.filter((field) => field !== 'mail_status')

const householdKeySchema = z.strictObject({
  fields: z
    .array(z.enum(HOUSEHOLD_FIELDS))
    .min(2, { error: 'does not identify a contact; name mail and at least one more field' })
    .describe('Mapped fields that make the key together, mail among them.'),
})

/** The known damage of the files, and its correction. */
function fileKeys() {
  return {
    repair: z
      .array(z.enum(REPAIRS))
      .min(1)
      .optional()
      .describe(
        'Repairs of damaged values: `spreadsheet` (a leading apostrophe, `="..."`), `html` (`&uuml;`), `c1` (control characters of Windows-1252). Without it such values are sent unchanged, and a warning counts them.',
      ),
    expect: expectSchema
      .optional()
      .describe(
        'What the files of this source look like. A file that breaks it is held as a whole, before anything of it is sent.',
      ),
  }
}

function pipelineSchema(kinds: SourceKinds, checks: OutsideChecks) {
  const keyForm = 'write a column, a list of columns, or { fields: [mail, first_name] }'
  return z.strictObject({
    schedule: checkedText(checks.checkSchedule)
      .optional()
      .describe('When it runs: cron with 5 or 6 fields, `"*/15 * * * *"`. Unset: only when asked.'),
    timezone: timezone
      .optional()
      .describe(
        "The schedule's time zone, `Europe/Berlin`; unset: the machine's. A time skipped by the change to summer time is due at the end of the gap; a time that occurs twice is due the first time, except for schedules of every hour or every few minutes, which continue.",
      ),
    source: sourceSchema(kinds).describe('Where the records come from.'),
    mode: z
      .enum(['incremental', 'full'])
      .prefault('incremental')
      .describe('`incremental`: a file holds some records. `full`: it holds all.'),
    on_missing: z
      .enum(['keep', 'remove_terms', 'delete'])
      .prefault('keep')
      .describe('What happens to a contact whose record is missing from a full source.'),
    key: z
      .union([text, z.array(text).min(1, { error: `is an empty list; ${keyForm}` }), householdKeySchema], {
        error: `has the wrong form; ${keyForm}`,
      })
      .transform((value) => (typeof value === 'string' ? [value] : value))
      .optional()
      .describe(
        "The record's own stable identity: a column, or a list of columns. `{ fields: [mail, first_name] }`: mapped fields, for several persons with one e-mail address. Unset: the mapped mail.",
      ),
    use: oneOrMore('write the name of a block, or a list of names')
      .optional()
      .describe(
        'Names of `blocks`: their fields come before those of `map`, in this order; the last one wins.',
      ),
    map: mapSchema.describe('How each contact field is made; see The mapping language.'),
    on_duplicate_key: z
      .enum(['reject', 'last', 'union'])
      .prefault('reject')
      .describe(
        'The same key again in one file: `reject` the later record, or the `last` one counts, with its terms alone. Rejected records claim no key. `union`: all rows of a key are one record: each field from the last row that has a value, the terms of all.',
      ),
    on_invalid: onInvalid
      .prefault('reject')
      .describe(
        'A value that its field cannot hold: `reject` the record, `drop` the field, or `truncate` what is too long.',
      ),
    blank: blank
      .prefault('keep')
      .describe("A blank value: `keep` leaves the contact's field unchanged, `clear` empties it."),
    ...fileKeys(),
    where: checkedText(checks.checkCondition)
      .optional()
      .describe(
        'A CEL condition, `record["Status"] != "deleted"`; records for which it is false are skipped.',
      ),
    skip_without: oneOrMore('write the name of a mapped field, or a list of them')
      .optional()
      .describe(
        'Fields without which a record is skipped and counted, not rejected: `[mail]`. Their columns must be in every file. In a full export such a record counts as present, if its key can be read.',
      ),
    terms: termsSchema(checks).prefault({}).describe('The terms (tags) of contacts.'),
    guards: guardsSchema,
    ...sendingKeys(),
    tests: mappingTests,
  })
}

/** The schema of a configuration with these kinds of sources. */
export function configSchema(kinds: SourceKinds, checks: OutsideChecks = {}) {
  const pipelineName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, {
    error: 'is not a name for a pipeline; use up to 64 letters, digits, - and _',
  })
  return z.strictObject({
    service: serviceSchema.describe('The Contact Management Service.'),
    accounts: accountsSchema.optional(),
    state: stateSchema.prefault({}).describe('What is kept between runs.'),
    workers: workersSchema
      .prefault({})
      .describe('This process, where several share a state at a server (`state.url`).'),
    log: logSchema.prefault({}).describe('The operational log.'),
    keep: keepSchema.prefault({}).describe('How long old data is kept.'),
    audit: auditSchema.prefault({}).describe('The sync log.'),
    server: serverSchema.prefault({}).describe('Health, metrics and console, served by `start`.'),
    alerts: alertsSchema.prefault([]).describe('Who is notified when a condition needs attention.'),
    approvals: approvalsSchema
      .prefault([])
      .describe(
        'Changes that wait as held until enough different approvers (`server.users`) have released them: `[{ when: { deletes: 1 }, by: 2 }]`.',
      ),
    consents: consentsSchema
      .prefault({})
      .describe('What people have asked for, and how that is kept beside what the sources say.'),
    allow: z
      .array(z.enum(['module', 'singer', 'outside_paths']))
      .prefault([])
      .describe(
        'Where the configuration is a folder, what its other files may use: sources of the kinds `module` and `singer`, which run programs, and paths outside of the folder. Has no effect in a single file.',
      ),
    max_parallel: whole(1)
      .prefault(4)
      .describe(
        'How many pipelines `start` runs at the same time; the others wait, and the one that waits longest starts first. They always share one rate limit.',
      ),
    blocks: z
      .record(text, mapSchema)
      .optional()
      .describe(
        'Named pieces of a mapping, each written like `map`, for the pipelines that name them in `use`.',
      ),
    pipelines: z
      .record(pipelineName, pipelineSchema(kinds, checks))
      .refine((pipelines) => checks.mayBeEmpty === true || Object.keys(pipelines).length > 0, {
        error: 'is empty; describe at least one pipeline',
      })
      .describe('The pipelines by name: letters, digits, `-` and `_`.'),
  })
}

/** What the file says, checked, with defaults filled in. */
export type ConfigValues = DeepReadonly<z.output<ReturnType<typeof configSchema>>>
type PipelineValues = ConfigValues['pipelines'][string]
type HouseholdKey = DeepReadonly<z.output<typeof householdKeySchema>>

/** The checked configuration of one account, with what the file only refers to: secrets read, paths absolute. Never changed. */
export interface Settings extends Omit<
  ConfigValues,
  'service' | 'accounts' | 'alerts' | 'blocks' | 'pipelines' | 'state'
> {
  /** The configuration file, absolute. */
  readonly file: string
  /** Everything in it belongs to this account: another one has settings and a state of its own. */
  readonly account: string
  readonly service: ServiceSettings
  readonly state: StatePlace
  readonly alerts: readonly AlertSettings[]
  readonly pipelines: readonly PipelineSettings[]
  /** Every secret in it, so that whatever writes text can keep them out. */
  readonly secrets: readonly string[]
  /** Paths of values that are not shown, because they come from the environment and may be secrets. */
  readonly unshown: readonly string[]
}

export type ServiceSettings = ConfigValues['service'] & { readonly api_key: string }
export type RateLimitSettings = ServiceSettings['rate_limit']
export type LogSettings = ConfigValues['log']
export type KeepSettings = ConfigValues['keep']
export type ServerSettings = ConfigValues['server']

/** The receivers of alerts. */
export interface AlertSettings extends Omit<ConfigValues['alerts'][number], 'on'> {
  /** What the receiver is known by in the state: made of its address, and nothing can be read from it. */
  readonly id: string
  readonly receiver: Receiver
  readonly on: readonly ConditionName[]
}

export interface PipelineSettings extends Omit<PipelineValues, 'source' | 'key' | 'map' | 'update_method'> {
  readonly name: string
  /** Columns; undefined where the mapped mail is the key, or the fields of a household. */
  readonly key?: readonly string[] | undefined
  /** Fields that make the key together; in the file they stand within `key`. */
  readonly household?: HouseholdKey['fields'] | undefined
  /** `type` names the kind in the registry of sources; its own options have been checked by that kind's schema. */
  readonly source: PipelineValues['source'] & { readonly [option: string]: unknown }
  readonly map: Readonly<Record<string, FieldMapping>>
  /** By the field's name in its definition; in the file they stand within `map`. */
  readonly custom_fields: Readonly<Record<string, FieldMapping>>
  readonly update_method: PipelineValues['duplicate_merge_method']
  /** Of its fields that any pipeline owns; undefined where none is. */
  readonly owners?: FieldOwners | undefined
  /** The rules of `approvals` that apply to it; undefined where none does. */
  readonly approvals?: PipelineApprovals | undefined
  /** SHA-256 over what decides a record's contact (source, key, map, where, blank ...), hexadecimal. */
  readonly hash: string
}

/** `settings`: SHA-256 over the pipeline's effective settings and these rules, hexadecimal: what an approval is bound to. */
export interface PipelineApprovals {
  readonly rules: readonly ApprovalRule[]
  readonly settings: string
  /** Names of the users of the account who are approvers. */
  readonly approvers: readonly string[]
}

export type MappingTest = NonNullable<PipelineSettings['tests']>[number]
export type GuardSettings = PipelineSettings['guards']
export type TermSettings = PipelineSettings['terms']
export type SourceSettings = PipelineSettings['source']
export type OnInvalid = PipelineSettings['on_invalid']

/** One setting in force, in the words of the file; never a secret. */
export interface ShownSetting {
  /** `pipelines.shop.guards.max_deletes` */
  readonly path: string
  /** As it would be written, `30s` or `5%`. */
  readonly value: string
}
