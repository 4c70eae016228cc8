// Alerts in words: what a person reads in a message, and the message as receivers get it. No personal data, no secret.
import { isOutOfReach } from '../outcome/summary.ts'
import { type ConditionName, isNotFetched, isNotOpened } from './alert-rules.ts'
import type { NewMessage } from './alert-changes.ts'

export type Severity = 'info' | 'warning' | 'critical'

/** A message as it is kept and sent; `id` is the same each time that it is sent. */
export interface AlertMessage {
  readonly version: 1
  readonly event: 'raised' | 'recovered' | 'test'
  readonly severity: Severity
  readonly condition: ConditionName | 'test'
  readonly pipeline: string | null
  /** ISO 8601. */
  readonly at: string
  readonly since: string
  /** The host of the service, so that several installations can be told apart. */
  readonly service: string
  readonly title: string
  readonly text: string
  /** The code of the error, and the file that it is about; null where there is none. */
  readonly code: string | null
  readonly file: string | null
  /** What to type next; null where nothing is to be typed. */
  readonly command: string | null
  /** The page of the console that shows it; null where the console is closed. */
  readonly link: string | null
  /** Where in the manual. */
  readonly runbook: string
  readonly numbers: Readonly<Record<string, string | number>>
}

interface Words {
  readonly severity: Severity
  /** Of the console; `%` stands for the pipeline. */
  readonly page: string
  readonly raised: string
  readonly recovered: string
  readonly text: (numbers: NewMessage['numbers']) => string
  /** `%` stands for the pipeline. */
  readonly command: string
}

const said = (value: string | number | undefined): string => String(value ?? '')
const many = (value: string | number | undefined, one: string, several = `${one}s`): string =>
  `${said(value)} ${value === 1 ? one : several}`

const WORDS: Readonly<Record<ConditionName, Words>> = {
  failed: {
    severity: 'warning',
    page: '/runs?pipeline=%',
    raised: 'a run failed',
    recovered: 'runs succeed again',
    text: ({ code }) => `The run was aborted: ${said(code)}. The next run continues where it stopped.`,
    command: 'contact-sync status',
  },
  held: {
    severity: 'warning',
    page: '/held?pipeline=%',
    raised: 'changes are held',
    recovered: 'no changes are held any more',
    text: ({ held, edits, to_approve: some, approvers }) =>
      [
        some === undefined
          ? `${many(held, 'change')} held; an operator must decide.`
          : `${many(held, 'change')} held, ${said(some)} of which approvers must release: ${said(approvers)}.`,
        ...(edits === undefined
          ? []
          : [`${said(edits)} because of fields that were edited at the service: contact-sync edits list.`]),
      ].join(' '),
    command: 'contact-sync held list %',
  },
  rejects: {
    severity: 'warning',
    page: '/rejects?pipeline=%',
    raised: 'records were rejected',
    recovered: 'rejects are below the limit again',
    text: ({ rejects, rejected, read }) =>
      `${many(rejects, 'rejected record')} kept${read === undefined ? '' : `; in the last file ${said(rejected)} of ${said(read)}`}.`,
    command: 'contact-sync rejects list %',
  },
  in_doubt: {
    severity: 'warning',
    page: '/doubts?pipeline=%',
    raised: 'operations are in doubt',
    recovered: 'no operation is in doubt any more',
    text: ({ in_doubt: count }) =>
      `${many(count, 'operation')} with unknown outcome. The next run looks up those with an e-mail address again; the others wait for an operator.`,
    command: 'contact-sync doubts list %',
  },
  nothing_arrived: {
    severity: 'warning',
    page: '/runs?pipeline=%',
    raised: 'no file has arrived',
    recovered: 'a file has arrived',
    text: ({ by, last_file: last }) =>
      `No file had arrived by ${said(by)}${last === undefined ? '; none ever has' : `; the last file arrived ${said(last)}`}.`,
    command: 'contact-sync status',
  },
  key_refused: {
    severity: 'critical',
    page: '/',
    raised: 'the service refuses the API key',
    recovered: 'the service accepts the API key again',
    text: ({ reason }) =>
      `Runs failed or are paused: ${said(reason)}. Nothing is lost; runs resume with a valid key.`,
    command: 'contact-sync check',
  },
  unreachable: {
    severity: 'warning',
    page: '/',
    raised: 'the service is unavailable',
    recovered: 'the service is available again',
    text: ({ reason }) =>
      `Runs failed or are paused: ${said(reason)}. Nothing is lost; runs resume automatically.`,
    command: 'contact-sync check',
  },
  daily_limit: {
    severity: 'warning',
    page: '/',
    raised: 'the daily request limit is reached',
    recovered: 'requests can be sent again',
    text: () =>
      'service.rate_limit.per_day is used up. Nothing is lost; runs resume when requests are free again.',
    command: 'contact-sync status',
  },
  file_refused: {
    severity: 'warning',
    page: '/runs?pipeline=%',
    raised: 'a file was rejected',
    recovered: 'files are accepted again',
    text: ({ files, file, code }) =>
      `${many(files, 'file')} of one run rejected${file === undefined ? '' : `, ${said(file)} for one`}${code === undefined ? '' : ` (${said(code)})`}; the reason is in the text beside it in failed/.`,
    command: 'contact-sync status',
  },
  reload_refused: {
    severity: 'warning',
    page: '/configuration',
    raised: 'a reload was refused',
    recovered: 'configuration reloaded',
    text: ({ problems }) =>
      `${many(problems, 'problem')} in the configuration; the previous one stays in force.`,
    command: 'contact-sync check',
  },
  overdue: {
    severity: 'warning',
    page: '/',
    raised: 'a run is overdue',
    recovered: 'runs start again',
    text: ({ since }) => `It should have run at ${said(since)} and has not started.`,
    command: 'contact-sync status',
  },
  drift: {
    severity: 'info',
    page: '/runs?pipeline=%',
    raised: 'changes by others were found at the service',
    recovered: 'no further changes by others were found',
    text: ({ times }) =>
      `The last run found ${said(times)} ${times === 1 ? 'time' : 'times'}: contacts that were deleted, or custom fields that were redefined.`,
    command: 'contact-sync held list %',
  },
  drift_share: {
    severity: 'warning',
    page: '/drift?pipeline=%',
    raised: 'more contacts differ from what was sent than allowed',
    recovered: 'no more contacts differ than allowed',
    text: ({ differing, checked, allowed }) =>
      `${said(differing)} of ${many(checked, 'contact')} differ at the service from what was last sent; allowed are ${said(allowed)}.`,
    command: 'contact-sync drift % --all --repair',
  },
  erased_seen: {
    severity: 'warning',
    page: '/',
    raised: 'an erased person is at the service again',
    recovered: 'no erased person is at the service',
    text: ({ contacts }) =>
      `${many(contacts, 'contact')} at the service with the address of an erased person; nothing is sent to them.`,
    command: 'contact-sync status',
  },
  hand_over: {
    severity: 'warning',
    page: '/log',
    raised: 'the sync log is not handed over',
    recovered: 'the sync log is handed over again',
    text: ({ entries, since }) =>
      `${said(entries)} ${entries === 1 ? 'entry waits' : 'entries wait'} to be handed over (audit.hand_over), the oldest since ${said(since)}. Nothing is lost; runs are not affected.`,
    command: 'contact-sync audit hand-over',
  },
}

const ONLY_EDITS: Words = { ...WORDS.held, page: '/edits?pipeline=%', command: 'contact-sync edits list %' }

/** There is no file in failed/: what arrived before, if anything did, was processed. */
const NOT_FETCHED: Words = {
  ...WORDS.file_refused,
  raised: 'the source could not be fetched',
  text: ({ code }) =>
    `The fetch failed or ended early (${said(code)}). Nothing is concluded from what did not arrive; the next run fetches again. contact-sync status says why.`,
}

/** It stays where it is, or there is none. */
const NOT_OPENED: Words = {
  ...WORDS.file_refused,
  raised: 'a file or folder could not be read',
  text: ({ files, file, code }) =>
    `${many(files, 'file or folder', 'files or folders')} not read${file === undefined ? '' : `, ${said(file)} for one`} (${said(code)}); contact-sync status says why.`,
}

/** Nothing of the files behind it is taken before it can be read. */
const WAITED_FOR: Words = {
  ...WORDS.file_refused,
  raised: 'a file could not be read, and newer ones wait for it',
  text: ({ file, code }) =>
    `${said(file)} was not read (${said(code)}). It stays where it is, and the next run tries again, before newer files; contact-sync status says why.`,
}

/** Where nothing but edits at the service is waited for, no change is held that could be listed. */
function wordsOf({ name, numbers }: NewMessage): Words {
  const { code, file, held, edits } = numbers
  if (name === 'held' && held !== undefined && held === edits) return ONLY_EDITS
  if (name === 'file_refused' && isNotFetched(code)) return NOT_FETCHED
  if (name === 'file_refused' && isOutOfReach(code)) return file === undefined ? NOT_FETCHED : WAITED_FOR
  if (name === 'file_refused' && isNotOpened(code)) return NOT_OPENED
  return WORDS[name]
}

/** Where several pipelines are concerned, the sentence stands alone. */
const titled = (pipeline: string, words: string): string =>
  `contact-sync: ${pipeline === '' ? '' : `${pipeline}: `}${words}`

function pageOf({ page }: Words, { pipeline, numbers }: NewMessage): string {
  if (page === '/runs?pipeline=%' && numbers['run_id'] !== undefined)
    return `/runs/${said(numbers['run_id'])}`
  return page.replace('%', encodeURIComponent(pipeline))
}

/** `at`: milliseconds since the epoch. `console`: where its pages are, without a slash at the end. */
export function alertMessage(
  message: NewMessage,
  context: { at: number; service: string; console?: string | undefined },
): AlertMessage {
  const { name, pipeline, event, since, numbers } = message
  const words = wordsOf(message)
  const from = new Date(since).toISOString()
  return {
    version: 1,
    event,
    severity: event === 'raised' ? words.severity : 'info',
    condition: name,
    pipeline: pipeline === '' ? null : pipeline,
    at: new Date(context.at).toISOString(),
    since: from,
    service: context.service,
    title: titled(pipeline, event === 'raised' ? words.raised : words.recovered),
    text: event === 'raised' ? words.text(numbers) : `It had lasted since ${from}.`,
    command: event === 'raised' ? words.command.replace(' %', pipeline === '' ? '' : ` ${pipeline}`) : null,
    code: numbers['code'] === undefined ? null : said(numbers['code']),
    file: numbers['file'] === undefined ? null : said(numbers['file']),
    link: context.console === undefined ? null : context.console + pageOf(words, message),
    runbook: `state/README.md#${name}`,
    numbers,
  }
}

/** What `alerts test` sends. */
export function testMessage(context: { at: number; service: string }): AlertMessage {
  const at = new Date(context.at).toISOString()
  return {
    version: 1,
    event: 'test',
    severity: 'info',
    condition: 'test',
    pipeline: null,
    at,
    since: at,
    service: context.service,
    title: 'contact-sync: test message',
    text: 'This message was requested with contact-sync alerts test. Nothing is wrong.',
    command: null,
    code: null,
    file: null,
    link: null,
    runbook: 'config/README.md#alerts',
    numbers: {},
  }
}

/** Plain text: the body of a mail. */
export function plainText(message: AlertMessage): string {
  const { title, text, command, since, service, runbook, severity, code, file, link } = message
  const next = [
    ...(command === null ? [] : [`Next step: ${command}`]),
    ...(link === null ? [] : [`In the console: ${link}`]),
  ]
  const about = [
    `Severity: ${severity}`,
    ...(code === null ? [] : [`Code: ${code}`]),
    ...(file === null ? [] : [`File: ${file}`]),
  ]
  return [
    title,
    '',
    text,
    ...next,
    '',
    ...about,
    `Since: ${since}`,
    `Service: ${service}`,
    `Manual: ${runbook}`,
    '',
  ].join('\n')
}

/** In the marked-up text of Slack and what is compatible with it, three characters must be written otherwise. */
const slackEscaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const ICONS = {
  raised: ':red_circle:',
  recovered: ':large_green_circle:',
  test: ':large_blue_circle:',
} as const

export function slackText({ event, severity, title, text, command, link, service }: AlertMessage): string {
  const lines = [`${ICONS[event]} *${slackEscaped(title)}*`, slackEscaped(text)]
  if (command !== null) lines.push(`\`${slackEscaped(command)}\``)
  if (link !== null) lines.push(slackEscaped(link))
  return [...lines, `_${slackEscaped(service)}, ${severity}_`].join('\n')
}
