// What holds, and what follows from it for the receivers of alerts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  alertChanges,
  deliveryGapMs,
  type PendingMessage,
  type RaisedAlert,
} from '../../../src/core/alerts/alert-changes.ts'
import { CONDITION_NAMES, type Condition } from '../../../src/core/alerts/alert-rules.ts'
import {
  type AlertFacts,
  type AlertRules,
  conditions,
  isUnsettled,
  type PipelineFacts,
} from '../../../src/core/alerts/alert.ts'
import { alertMessage, plainText, slackText } from '../../../src/core/alerts/alert-message.ts'
import { noCounts } from '../../../src/core/outcome/summary.ts'

const NOW = Date.parse('2026-06-10T12:00:00Z')
const HOUR = 3_600_000

const RULES: AlertRules = {
  on: CONDITION_NAMES,
  rejects_above: { count: 0 },
  nothing_within: 0,
}

const run = (changes: Partial<NonNullable<PipelineFacts['lastRun']>> = {}) => ({
  id: 'r1',
  pipeline: 'shop',
  startedAt: NOW - HOUR,
  endedAt: NOW - HOUR,
  status: 'ok' as const,
  counts: noCounts(),
  error: undefined,
  code: undefined,
  drift: 0,
  refused: 0,
  ...changes,
})

const shop = (changes: Partial<PipelineFacts> = {}): PipelineFacts => ({
  name: 'shop',
  timezone: 'UTC',
  isRunning: false,
  lastRun: run(),
  milestones: { firstRunAt: 0, lastSuccessAt: NOW, lastFile: { at: NOW - HOUR, read: 100, rejected: 0 } },
  backlog: { rejects: 0, held: 0, inDoubt: 0 },
  asking: 0,
  broken: undefined,
  waitingSince: undefined,
  ...changes,
})

const facts = (changes: Partial<AlertFacts> & { shop?: Partial<PipelineFacts> } = {}): AlertFacts => {
  const { shop: of, ...rest } = changes
  return { now: NOW, service: 'good', pipelines: [shop(of)], ...rest }
}

const names = (given: AlertFacts, rules: Partial<AlertRules> = {}): string[] =>
  conditions(given, { ...RULES, ...rules }).map(({ name, pipeline }) =>
    pipeline === '' ? name : `${pipeline} ${name}`,
  )

const REFUSED = {
  at: NOW - HOUR,
  firstAt: NOW - 3 * HOUR,
  runId: 'r0',
  files: 1,
  file: 'a.csv',
  code: 'INPUT_BINARY',
} as const
const met = (changes: Partial<PipelineFacts['milestones']>) => ({ ...shop().milestones, ...changes })

/** Of a hundred contacts, so many differ. */
const round = (differing: number) => ({
  ...{ pipeline: 'shop', startedAt: 1, endedAt: 2, after: '' },
  counts: { checked: 100, differing, gone: 0, kept: 0, unanswered: 0, by_field: {} },
})

describe('what holds', () => {
  it.each<[string, Parameters<typeof facts>[0], string[]]>([
    ['nothing, when all is well', {}, []],
    [
      'a failed run',
      { shop: { lastRun: run({ status: 'failed', code: 'REFUSED_ALIKE' }) } },
      ['shop failed'],
    ],
    [
      'a run that the suppression list stopped',
      { shop: { lastRun: run({ status: 'held', code: 'SUPPRESSION_LIST' }) } },
      ['shop failed'],
    ],
    [
      'a run under a name that the state does not know',
      { shop: { lastRun: run({ status: 'held', code: 'PIPELINE_RENAMED' }) } },
      ['shop failed'],
    ],
    ['no failure where a run was paused', { shop: { lastRun: run({ status: 'held', code: 'PAUSED' }) } }, []],
    ['no failure where a signal ended the run', { shop: { lastRun: run({ status: 'failed' }) } }, []],
    ['a fault of the state', { shop: { broken: { code: 'STATE_FULL' } } }, ['shop failed']],
    ['held changes', { shop: { backlog: { rejects: 0, held: 3, inDoubt: 0 } } }, ['shop held']],
    ['records that ask about an edit', { shop: { asking: 2 } }, ['shop held']],
    ['any reject', { shop: { backlog: { rejects: 1, held: 0, inDoubt: 0 } } }, ['shop rejects']],
    ['doubts', { shop: { backlog: { rejects: 0, held: 0, inDoubt: 1 } } }, ['shop in_doubt']],
    [
      'a file that was refused, though later runs have gone well',
      { shop: { milestones: met({ lastRefused: REFUSED }) } },
      ['shop file_refused'],
    ],
    [
      'no file that was refused more than a day ago',
      { shop: { milestones: met({ lastRefused: { ...REFUSED, at: NOW - 25 * HOUR } }) } },
      [],
    ],
    ['a reload that was refused', { refusedReload: 2 }, ['reload_refused']],
    ['no reload that was taken', { refusedReload: 0 }, []],
    [
      'drift',
      { shop: { milestones: met({ lastDrift: { at: NOW - HOUR, runId: 'r0', times: 2 } }) } },
      ['shop drift'],
    ],
    ['more drift than allowed', { shop: { drift: { round: round(6), share: 0.05 } } }, ['shop drift_share']],
    ['no drift within what is allowed', { shop: { drift: { round: round(5), share: 0.05 } } }, []],
    ['an erased person who is back', { erasedSeen: 2 }, ['erased_seen']],
    ['no erased person', { erasedSeen: 0 }, []],
    [
      'a sync log that is not handed over',
      { handOver: { behind: 3, oldestAt: NOW - 2 * HOUR - 1 } },
      ['hand_over'],
    ],
    ['one that is soon', { handOver: { behind: 3, oldestAt: NOW - 2 * HOUR } }, []],
    ['one that is handed over', { handOver: { behind: 0, oldestAt: undefined } }, []],
    [
      'a refused key, once and not per pipeline',
      {
        service: { code: 'SERVICE_KEY_REFUSED', reason: 'x' },
        shop: { lastRun: run({ status: 'failed', code: 'SERVICE_KEY_REFUSED' }) },
      },
      ['key_refused'],
    ],
    ['a service that is away', { service: { code: 'SERVICE_UNREACHABLE', reason: 'x' } }, ['unreachable']],
    [
      'a service that is another one',
      { service: { code: 'SERVICE_CONTRACT', reason: 'x' } },
      ['unreachable'],
    ],
    ['the day is used up', { service: { code: 'DAILY_LIMIT', reason: 'x' } }, ['daily_limit']],
    ['a run that waits long', { shop: { waitingSince: NOW - HOUR } }, ['shop overdue']],
    ['no overdue run that waits for a moment', { shop: { waitingSince: NOW - 1000 } }, []],
    [
      'no overdue run that waits for the service',
      { service: { code: 'SERVICE_UNREACHABLE', reason: 'x' }, shop: { waitingSince: NOW - HOUR } },
      ['unreachable'],
    ],
  ])('is %s', (_, given, expected) => {
    expect(names(facts(given))).toEqual(expected)
  })

  it('asks for a share of the last file that had records, and only while rejects are kept', () => {
    const rejects = (rejected: number, kept = rejected) =>
      facts({
        shop: {
          backlog: { rejects: kept, held: 0, inDoubt: 0 },
          milestones: { ...shop().milestones, lastFile: { at: NOW, read: 100, rejected } },
        },
      })
    const rejectsAbove = { share: 0.05 }
    expect(names(rejects(5), { rejects_above: rejectsAbove })).toEqual([])
    expect(names(rejects(6), { rejects_above: rejectsAbove })).toEqual(['shop rejects'])
    expect(names(rejects(6, 0), { rejects_above: rejectsAbove })).toEqual([])
    expect(names(rejects(6), { rejects_above: { count: 6 } })).toEqual([])
    expect(names(rejects(7), { rejects_above: { count: 6 } })).toEqual(['shop rejects'])
  })

  it.each<[string, number | undefined, number, string[]]>([
    ['came in time', Date.parse('2026-06-10T06:00:00Z'), 0, []],
    ['came late', Date.parse('2026-06-10T11:00:00Z'), 0, []],
    ['came yesterday in time', Date.parse('2026-06-09T06:30:00Z'), 0, ['shop nothing_arrived']],
    [
      'came yesterday, after the deadline, but long before this one',
      Date.parse('2026-06-09T07:30:00Z'),
      0,
      ['shop nothing_arrived'],
    ],
    ['never came', undefined, 0, ['shop nothing_arrived']],
    ['came a year ahead, by a clock that was wrong', NOW + 8760 * HOUR, 0, ['shop nothing_arrived']],
    ['came before the clock was set back a little', NOW + HOUR / 2, 0, []],
    [
      'never came to a pipeline that began after the deadline',
      undefined,
      Date.parse('2026-06-10T08:00:00Z'),
      [],
    ],
  ])('knows by 07:00 whether a file %s', (_, last, firstRunAt, expected) => {
    const rules = { nothing_by: 420, nothing_on: ['wed', 'tue'] as const, nothing_within: 12 * HOUR }
    const lastFile = last === undefined ? undefined : { at: last, read: 1, rejected: 0 }
    const given = facts({ shop: { milestones: { firstRunAt, lastSuccessAt: undefined, lastFile } } })
    expect(names(given, rules)).toEqual(expected)
    expect(names(given)).toEqual([])
  })

  it('is told of by what was asked for: failed runs bring the service along, rejects the refused files', () => {
    const refused = facts({
      service: { code: 'SERVICE_KEY_REFUSED', reason: 'x' },
      shop: { milestones: met({ lastRefused: REFUSED, lastDrift: { at: NOW, runId: 'r0', times: 1 } }) },
    })
    expect(names(refused, { on: ['failed'] })).toEqual(['key_refused'])
    expect(names(refused, { on: ['rejects'] })).toEqual(['shop file_refused'])
    expect(names(refused, { on: ['held'] })).toEqual([])
    expect(names(refused, { pipelines: ['crm'] })).toEqual(['key_refused'])
  })

  it.each([
    ['INPUT_BINARY', NOW - HOUR],
    ['INPUT_FOLDER_MISSING', NOW - 3 * HOUR],
    ['INPUT_IO', NOW - 3 * HOUR],
    ['REMOTE_LOST', NOW - 3 * HOUR],
    ['SOURCE_UNREACHABLE', NOW - 3 * HOUR],
  ] as const)('%s: what each run meets again happened when the first of the day met it', (code, at) => {
    const milestones = met({ lastRefused: { ...REFUSED, code } })
    const [refused] = conditions(facts({ shop: { milestones } }), RULES)
    expect(refused).toMatchObject({ name: 'file_refused', at, numbers: { code } })
  })

  it('cannot be said of a pipeline that runs or was cut off, nor of a service that was not asked yet', () => {
    const of = (changes: Partial<PipelineFacts>, name: Condition['name'] = 'held') =>
      isUnsettled({ name, pipeline: 'shop' }, facts({ shop: changes }))
    expect(of({})).toBe(false)
    expect(of({ isRunning: true })).toBe(true)
    expect(of({ isRunning: true }, 'nothing_arrived')).toBe(false)
    expect(of({ lastRun: run({ status: undefined }) })).toBe(true)
    expect(of({ lastRun: run({ status: undefined }), broken: { code: 'STATE_FULL' } })).toBe(false)
    expect(isUnsettled({ name: 'unreachable', pipeline: '' }, facts({ service: 'unknown' }))).toBe(true)
    expect(isUnsettled({ name: 'held', pipeline: 'gone' }, facts())).toBe(false)
    // No longer configured, and still in the state.
    const orphans = ['gone']
    for (const name of ['held', 'in_doubt', 'overdue'] as const)
      expect(isUnsettled({ name, pipeline: 'gone' }, { ...facts(), orphans })).toBe(true)
  })
})

const held: Condition = { name: 'held', pipeline: 'shop', numbers: { held: 2 } }
const raised = (changes: Partial<RaisedAlert> = {}): RaisedAlert => ({
  name: 'held',
  pipeline: 'shop',
  since: 5,
  told: true,
  ...changes,
})
const settled = { at: 100, afterMs: 0, isUnsettled: () => false }

describe('what is told', () => {
  it('is a message when it begins, none while it lasts, one when it is over', () => {
    const begins = alertChanges([held], { raised: [], pending: [] }, settled)
    expect(begins).toMatchObject({
      set: [{ since: 100, told: true }],
      messages: [{ event: 'raised', numbers: { held: 2 } }],
    })
    const lasts = alertChanges([held], { raised: [raised()], pending: [] }, settled)
    expect(lasts).toEqual({ set: [], remove: [], messages: [], drop: [] })
    const over = alertChanges([], { raised: [raised()], pending: [] }, settled)
    expect(over).toMatchObject({
      remove: [{ name: 'held', pipeline: 'shop' }],
      messages: [{ event: 'recovered', since: 5 }],
    })
  })

  it('is nothing of what nobody can judge now', () => {
    const unsettled = { ...settled, isUnsettled: () => true }
    expect(alertChanges([], { raised: [raised()], pending: [] }, unsettled)).toMatchObject({
      remove: [],
      messages: [],
    })
    expect(alertChanges([held], { raised: [], pending: [] }, unsettled)).toMatchObject({
      set: [],
      messages: [],
    })
  })

  it('waits until it has lasted, and is never told where it has not', () => {
    const first = alertChanges([held], { raised: [], pending: [] }, { ...settled, afterMs: 60 })
    expect(first).toMatchObject({ set: [{ since: 100, told: false }], messages: [] })
    const early = alertChanges(
      [held],
      { raised: [raised({ since: 100, told: false })], pending: [] },
      { ...settled, at: 159, afterMs: 60 },
    )
    expect(early).toMatchObject({ set: [], messages: [] })
    const late = alertChanges(
      [held],
      { raised: [raised({ since: 100, told: false })], pending: [] },
      { ...settled, at: 160, afterMs: 60 },
    )
    expect(late).toMatchObject({
      set: [{ since: 100, told: true }],
      messages: [{ event: 'raised', since: 100 }],
    })
    const over = alertChanges([], { raised: [raised({ told: false })], pending: [] }, settled)
    expect(over).toMatchObject({ remove: [{ name: 'held' }], messages: [] })
  })

  it('is told again when it happens again, and not while it only stands', () => {
    const refused: Condition = { name: 'file_refused', pipeline: 'shop', numbers: { files: 1 }, at: 4 }
    const before = { raised: [raised({ name: 'file_refused' })], pending: [] }
    expect(alertChanges([refused], before, settled)).toMatchObject({ set: [], messages: [] })
    const again = { ...refused, at: 50 }
    expect(alertChanges([again], before, settled)).toMatchObject({
      set: [{ since: 100 }],
      messages: [{ event: 'raised' }],
    })
    const pending: PendingMessage[] = [
      { id: 9, name: 'file_refused', pipeline: 'shop', event: 'raised', attempts: 0 },
    ]
    expect(alertChanges([again], { ...before, pending }, settled)).toMatchObject({
      drop: [9],
      messages: [{ event: 'raised' }],
    })
  })

  it('is told again when it happens again after the clock, which was ahead, was put back', () => {
    const ahead: Condition = { name: 'file_refused', pipeline: 'shop', numbers: { files: 1 }, at: 900 }
    const before = { raised: [raised({ name: 'file_refused', since: 905 })], pending: [] }
    expect(alertChanges([ahead], before, settled)).toMatchObject({ set: [], messages: [] })
    const again = alertChanges([{ ...ahead, at: 99 }], before, settled)
    expect(again).toMatchObject({ set: [{ since: 100, told: true }], messages: [{ event: 'raised' }] })
    const after = { raised: [...again.set], pending: [] }
    expect(alertChanges([{ ...ahead, at: 99 }], after, settled)).toMatchObject({ set: [], messages: [] })
  })

  it('has lasted from now on, where it began by a clock that was ahead', () => {
    const context = { ...settled, afterMs: 60 }
    const before = [raised({ since: 9000, told: false })]
    const back = alertChanges([held], { raised: before, pending: [] }, context)
    expect(back).toMatchObject({ set: [{ since: 100, told: false }], messages: [] })
    const late = alertChanges([held], { raised: [...back.set], pending: [] }, { ...context, at: 160 })
    expect(late).toMatchObject({ messages: [{ event: 'raised', since: 100 }] })
  })

  it('is told once it has lasted, also where it happens again and again within that time', () => {
    const context = { ...settled, afterMs: 60 }
    let before: RaisedAlert[] = []
    const toldAt: number[] = []
    for (let at = 100; at <= 260; at += 20) {
      const refused: Condition = { name: 'file_refused', pipeline: 'shop', numbers: { files: 1 }, at: at - 1 }
      const { set, messages } = alertChanges([refused], { raised: before, pending: [] }, { ...context, at })
      if (set.length > 0) before = [...set]
      if (messages.length > 0) toldAt.push(at)
    }
    expect(toldAt).toEqual([160, 240])
  })

  it('says of an event that it is there, and not that it is over', () => {
    const over = alertChanges([], { raised: [raised({ name: 'drift' })], pending: [] }, settled)
    expect(over).toMatchObject({ remove: [{ name: 'drift' }], messages: [] })
  })

  it.each([
    ['never tried', 0, []],
    ['tried', 1, [{ event: 'recovered' }]],
  ])('takes back a message that was %s when it is overtaken', (_, attempts, messages) => {
    const pending: PendingMessage[] = [{ id: 9, name: 'held', pipeline: 'shop', event: 'raised', attempts }]
    expect(alertChanges([], { raised: [raised()], pending }, settled)).toMatchObject({ drop: [9], messages })
  })

  it('never repeats itself and never tells of an end without a beginning, however conditions come and go', () => {
    const steps = fc.array(
      fc.record({
        holds: fc.boolean(),
        isUnsettled: fc.boolean(),
        afterMs: fc.constantFrom(0, 2),
        delivers: fc.boolean(),
      }),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(steps, (course) => {
        let known: RaisedAlert[] = []
        let pending: PendingMessage[] = []
        const received: string[] = []
        course.forEach(({ holds, isUnsettled: unsettled, afterMs, delivers }, at) => {
          const changes = alertChanges(
            holds ? [held] : [],
            { raised: known, pending },
            { at, afterMs, isUnsettled: () => unsettled },
          )
          if (changes.remove.length > 0) known = []
          if (changes.set.length > 0) known = [...changes.set]
          pending = [
            ...pending.filter(({ id }) => !changes.drop.includes(id)),
            ...changes.messages.map((message) => ({ ...message, id: at + 1, attempts: 0 })),
          ]
          expect(pending.length).toBeLessThanOrEqual(1)
          if (delivers) received.push(...pending.splice(0).map(({ event }) => event))
        })
        received.forEach((event, place) => expect(event).toBe(place % 2 === 0 ? 'raised' : 'recovered'))
      }),
    )
  })

  it('is tried again ever more seldom, at least every hour', () => {
    expect([1, 2, 3, 6, 7, 50].map(deliveryGapMs)).toEqual([
      10_000, 30_000, 90_000, 2_430_000, 3_600_000, 3_600_000,
    ])
  })
})

describe('a message', () => {
  const context = { at: NOW, service: 'a.b.example.com', console: 'https://sync.example.com' }

  it.each(CONDITION_NAMES)('says of %s what it is, what to type and where to read on', (name) => {
    const pipeline = [
      'key_refused',
      'unreachable',
      'daily_limit',
      'reload_refused',
      'erased_seen',
      'hand_over',
    ].includes(name)
      ? ''
      : 'shop'
    const message = alertMessage(
      {
        name,
        pipeline,
        event: 'raised',
        since: NOW,
        numbers: {
          held: 1,
          rejects: 2,
          in_doubt: 1,
          code: 'X',
          reason: 'no answer',
          by: 'a',
          since: 'b',
          files: 1,
          problems: 2,
          times: 1,
          differing: 6,
          checked: 100,
          allowed: '5%',
          contacts: 1,
        },
      },
      context,
    )
    expect(message.title).toMatch(pipeline === '' ? /^contact-sync: (the|an?) / : /^contact-sync: shop: /)
    expect(message.text).not.toMatch(/undefined|\s{2}| %/)
    expect(message.command).toMatch(/^contact-sync [a-z -]+$/)
    expect(message.runbook).toBe(`state/README.md#${name}`)
    expect(message.severity).toMatch(/^(info|warning|critical)$/)
    expect(message.link).toMatch(/^https:\/\/sync\.example\.com\/[a-z]*(\?pipeline=shop)?$/)
    const over = alertMessage({ name, pipeline, event: 'recovered', since: NOW, numbers: {} }, context)
    expect(over.text).toBe('It had lasted since 2026-06-10T12:00:00.000Z.')
    expect(over.command).toBeNull()
  })

  it.each([
    ['INPUT_EMPTY', 'a file was rejected', 'the reason is in the text beside it in failed/'],
    ['SOURCE_DENIED', 'the source could not be fetched', 'the next run fetches again'],
    ['INPUT_NOT_A_FILE', 'a file or folder could not be read', '2 files or folders not read, x.csv for one'],
    ['INPUT_IO', 'a file could not be read, and newer ones wait for it', 'x.csv was not read (INPUT_IO)'],
  ])('says of %s where its reason is to be found', (code, title, text) => {
    const numbers = { files: 2, file: 'x.csv', code, run_id: 'r1' }
    const refused = { name: 'file_refused', pipeline: 'shop', event: 'raised', since: NOW, numbers } as const
    const message = alertMessage(refused, context)
    expect(message.title).toBe(`contact-sync: shop: ${title}`)
    expect(message.text).toContain(text)
    expect(message.text.includes('failed/')).toBe(code === 'INPUT_EMPTY')
  })

  it('says of a fetch for which the disk had no place that it failed', () => {
    const numbers = { files: 1, code: 'SPOOL_FAILED', run_id: 'r1' }
    const refused = { name: 'file_refused', pipeline: 'shop', event: 'raised', since: NOW, numbers } as const
    expect(alertMessage(refused, context).text).toContain('The fetch failed or ended early (SPOOL_FAILED)')
  })

  it('says how much of what is held is about edits, and where they are listed', () => {
    const held = (numbers: Record<string, number>) =>
      alertMessage({ name: 'held', pipeline: 'shop', event: 'raised', since: NOW, numbers }, context)
    const LIST = 'contact-sync held list shop'
    expect(held({ held: 1 })).toMatchObject({
      text: '1 change held; an operator must decide.',
      command: LIST,
    })
    expect(held({ held: 3, edits: 1 })).toMatchObject({
      text: '3 changes held; an operator must decide. 1 because of fields that were edited at the service: contact-sync edits list.',
      command: LIST,
    })
    expect(held({ held: 2, edits: 2 })).toMatchObject({
      command: 'contact-sync edits list shop',
      link: 'https://sync.example.com/edits?pipeline=shop',
    })
  })

  it('is plain text for mails, and marked up and escaped for Slack', () => {
    const message = alertMessage(
      {
        name: 'unreachable',
        pipeline: '',
        event: 'raised',
        since: NOW,
        numbers: { reason: 'GET /contact/<contact_id> & more' },
      },
      context,
    )
    expect(plainText(message)).toContain('Next step: contact-sync check\n')
    expect(slackText(message)).toContain('GET /contact/&lt;contact_id&gt; &amp; more')
    expect(slackText(message)).toContain(':red_circle: *contact-sync: the service is unavailable*')
  })
})
