// The pure decisions: what differs, who is who in a bulk answer, what a doubt comes to, when to stop.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AUDIT_START, auditHash } from '../../src/core/log/audit-chain.ts'
import { auditEntry } from '../../src/core/log/audit.ts'
import { matchBulkAnswer } from '../../src/core/change/bulk.ts'
import { createCircuit } from '../../src/core/outcome/circuit.ts'
import { compileCondition } from '../../src/core/mapping/condition.ts'
import { mailKey } from '../../src/core/mapping/contact.ts'
import { changedFields, difference, type Known, nextKnown } from '../../src/core/change/diff.ts'
import { doubtStep, isRepeatable } from '../../src/core/change/doubt.ts'
import { ERRORS, type ErrorCode, SyncError } from '../../src/core/words/errors.ts'
import { estimate } from '../../src/core/change/estimate.ts'
import { fingerprint, fingerprintContext } from '../../src/core/change/fingerprint.ts'
import { looksLike } from '../../src/core/change/likeness.ts'
import { allowedFields } from '../../src/core/change/merge-method.ts'
import type { CallResult } from '../../src/core/ports.ts'
import { runId } from '../../src/core/words/run-id.ts'
import {
  assertBalanced,
  exitCode,
  noCounts,
  OUTCOMES,
  runStatus,
  worstStatus,
} from '../../src/core/outcome/summary.ts'
import { parseTemplate } from '../../src/core/mapping/template.ts'
import { pipelineSettings } from '../support/pipeline.ts'

const linked = (fields: Record<string, string>, gone = false): Known => ({
  link: { id: 1, contactId: 7, fields, unsure: [], terms: undefined, gone, merged: false },
  inDoubt: false,
})
const unknown: Known = { link: undefined, inDoubt: false }

describe('difference', () => {
  it.each([
    [
      'a new record with a mail',
      { mail: 'a@x.de', phone: '' },
      unknown,
      { kind: 'create', fields: { mail: 'a@x.de' } },
    ],
    [
      'a new record without mail or address',
      { phone: '1' },
      unknown,
      { kind: 'rejected', code: 'CONTACT_INCOMPLETE' },
    ],
    ['nothing changed', { mail: 'a@x.de' }, linked({ mail: 'a@x.de', phone: '1' }), { kind: 'unchanged' }],
    [
      'one field changed',
      { mail: 'a@x.de', phone: '2' },
      linked({ mail: 'a@x.de', phone: '1' }),
      { kind: 'update', contactId: 7, fields: { phone: '2' } },
    ],
    [
      'a field cleared',
      { phone: '' },
      linked({ phone: '1' }),
      { kind: 'update', contactId: 7, fields: { phone: '' } },
    ],
    ['a linked record needs no mail of its own', { phone: '2' }, linked({ phone: '1' }), { kind: 'update' }],
    ['the contact is gone', { phone: '2' }, linked({ phone: '1' }, true), { kind: 'held' }],
    [
      'the contact is gone, nothing to say',
      { phone: '1' },
      linked({ phone: '1' }, true),
      { kind: 'unchanged' },
    ],
    ['an operation in doubt', { mail: 'a@x.de' }, { ...unknown, inDoubt: true }, { kind: 'waiting' }],
  ] as const)('%s', (_, contact, known, expected) => {
    expect(difference({ contact, terms: undefined }, known, pipelineSettings())).toMatchObject(expected)
  })

  it('leaves nothing to do once it is applied', () => {
    const contact = fc.dictionary(
      fc.constantFrom('mail', 'phone', 'company', 'fax'),
      fc.string({ maxLength: 3 }),
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(contact, contact, (desired, known) => {
        const after = nextKnown(known, desired)
        expect(changedFields(desired, after, [])).toEqual({})
        expect(Object.keys(after).sort()).toEqual(
          [...new Set([...Object.keys(desired), ...Object.keys(known)])].sort(),
        )
      }),
    )
  })
})

describe('a mail in its form for comparison', () => {
  it.each([
    ['Anna@Example.COM ', 'anna@example.com'],
    ['anna@example.com.', 'anna@example.com'],
    ['anna@bücher.example', 'anna@xn--bcher-kva.example'],
    ['anna@xn--bcher-kva.example', 'anna@xn--bcher-kva.example'],
    ['anna+tag@example.com', 'anna+tag@example.com'],
    ['e\u0301@example.com', 'é@example.com'],
    ['not a mail', 'not a mail'],
  ])('%j', (mail, expected) => {
    expect(mailKey(mail)).toBe(expected)
  })
})

describe('a bulk answer', () => {
  it('is matched by mail, never by position', () => {
    const match = matchBulkAnswer(
      ['a@x.de', 'b@x.de', 'c@x.de', 'd@x.de', 'e@x.de'],
      [
        { id: 2, email: 'B@x.de' },
        { id: 1, email: ' a@x.de' },
        { id: 4, email: 'd@x.de' },
        { id: 4, email: 'e@x.de' },
        { id: 9, email: 'z@x.de' },
      ],
    )
    expect([...match.matched]).toEqual([
      ['a@x.de', 1],
      ['b@x.de', 2],
    ])
    expect(match).toMatchObject({ unanswered: ['c@x.de'], strangers: 1 })
    expect([...match.merged.keys()]).toEqual(['d@x.de', 'e@x.de'])
  })

  it('gives nobody the contact of another, whatever order and gaps it has', () => {
    const people = fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(people, fc.infiniteStream(fc.nat(3)), (numbers, chance) => {
        const sent = numbers.map((number) => `p${number}@x.de`)
        const answered = numbers.filter(() => chance.next().value !== 0).reverse()
        const match = matchBulkAnswer(
          sent,
          answered.map((number) => ({ id: number, email: `P${number}@X.DE` })),
        )
        for (const [mail, id] of match.matched) expect(mail).toBe(`p${id}@x.de`)
        expect(match.matched.size + match.unanswered.length).toBe(sent.length)
      }),
    )
  })

  it('that gives one mail two contacts answers nothing for it', () => {
    const match = matchBulkAnswer(
      ['a@x.de'],
      [
        { id: 1, email: 'a@x.de' },
        { id: 2, email: 'a@x.de' },
      ],
    )
    expect(match).toMatchObject({ unanswered: ['a@x.de'] })
  })
})

describe('a doubt', () => {
  const sent = { mail: 'a@x.de', first_name: 'A', date_of_birth: '1980-01-01T12:00:00+00:00', mail_status: 4 }
  const shown = (id: number, changes: Record<string, unknown> = {}) => ({
    id,
    fields: {
      mail: 'A@X.de',
      first_name: 'A',
      date_of_birth: '1980-01-01T13:00:00+01:00',
      mail_status: 3,
      ...changes,
    },
  })
  it.each([
    ['nothing there', [], 'none', { kind: 'absent' }],
    ['just ours', [shown(5)], 'none', { kind: 'adopt', contactId: 5 }],
    ['ours among others', [shown(5), shown(6, { first_name: 'B' })], 'none', { kind: 'adopt', contactId: 5 }],
    ['two that look alike', [shown(5), shown(6)], 'none', { kind: 'unclear' }],
    [
      'others only, under none',
      [shown(6, { first_name: 'B', date_of_birth: '1981-02-02' })],
      'none',
      { kind: 'absent' },
    ],
    ['perhaps ours, renamed since', [shown(6, { first_name: 'B' })], 'none', { kind: 'unclear' }],
    ['perhaps ours, changed since', [shown(6, { date_of_birth: '1981-02-02' })], 'none', { kind: 'unclear' }],
    [
      'another, of whom nothing is known',
      [{ id: 6, fields: { mail: 'a@x.de' } }],
      'none',
      { kind: 'absent' },
    ],
    ['others only, under auto', [shown(6, { first_name: 'B' })], 'auto', { kind: 'unclear' }],
  ] as const)('%s', (_, found, check, expected) => {
    const as = { check, merge: 'update_add', marker: undefined, ofOthers: new Map() } as const
    expect(doubtStep(sent, { contacts: found, others: [] }, as)).toMatchObject(expected)
  })

  it('about a contact of which names alone were sent: whoever has the mail may be ours, renamed', () => {
    const as = { check: 'none', merge: 'update_add', marker: undefined, ofOthers: new Map() } as const
    const seen = { contacts: [shown(6, { first_name: 'B' })], others: [] }
    expect(doubtStep({ mail: 'a@x.de', first_name: 'A' }, seen, as)).toMatchObject({ kind: 'unclear' })
  })

  it.each([
    [
      'shows part of what was sent',
      { first_name: 'A' },
      { none: 'unclear', auto: 'unclear', email: 'absent' },
    ],
    ['shows nothing of it', { first_name: 'B' }, { none: 'absent', auto: 'absent', email: 'absent' }],
  ] as const)('where a contact of another mail %s', (_, fields, expected) => {
    for (const check of ['none', 'auto', 'email'] as const) {
      const as = { check, merge: 'update_add', marker: undefined, ofOthers: new Map() } as const
      const seen = { contacts: [], others: [{ id: 6, fields: { mail: 'ab@x.de', ...fields } }] }
      expect([check, doubtStep(sent, seen, as).kind]).toEqual([check, expected[check]])
    }
  })

  it.each([
    ['with what that one sent', { first_name: 'A', date_of_birth: '1980-01-01T12:00:00+00:00' }, 'absent'],
    ['with more than that one sent', { first_name: 'A' }, 'unclear'],
  ] as const)('about a contact that another pipeline has, %s', (_, pushed, kind) => {
    const ofOthers = new Map([[6, pushed]])
    const seen = { contacts: [shown(6, { mail: 'a@x.de', mail_status: 1, phone: '1' })], others: [] }
    const as = { check: 'none', merge: 'update_add', marker: undefined, ofOthers } as const
    expect(doubtStep({ ...sent, phone: '2' }, seen, as)).toMatchObject({ kind })
    // A merge takes the marker away.
    const marked = { ...as, marker: { key: 'sync_marker', text: 'i.r.1' } }
    expect(doubtStep({ ...sent, phone: '2' }, seen, marked)).toMatchObject({ kind })
  })

  const marker = { key: 'sync_marker', text: 'i.r.1' }
  const marked = (id: number, text: string) => shown(id, { sync_marker: text, first_name: 'changed since' })
  it.each([
    [
      'ours, though it was changed since',
      [marked(5, 'i.r.1')],
      'email',
      'update_add',
      { kind: 'adopt', contactId: 5 },
    ],
    [
      'ours among several of that mail',
      [marked(5, 'i.r.2'), marked(6, 'i.r.1')],
      'email',
      'add',
      { kind: 'adopt', contactId: 6 },
    ],
    ['made by another operation', [marked(5, 'i.r.2')], 'none', 'add', { kind: 'absent' }],
    ['not merged into, for that would have left it', [shown(5)], 'email', 'update_add', { kind: 'absent' }],
    ['perhaps merged into without leaving it', [shown(5)], 'email', 'add', { kind: 'adopt', contactId: 5 }],
    ['twice', [marked(5, 'i.r.1'), marked(6, 'i.r.1')], 'none', 'add', { kind: 'unclear' }],
  ] as const)('by its marker: %s', (_, found, check, merge, expected) => {
    expect(
      doubtStep(sent, { contacts: found, others: [] }, { check, merge, marker, ofOthers: new Map() }),
    ).toMatchObject(expected)
  })

  it('may be sent again at once only with a mail under email', () => {
    expect(isRepeatable({ mail: 'a@x.de' }, 'email')).toBe(true)
    expect(isRepeatable({ mail: 'a@x.de' }, 'none')).toBe(false)
    expect(isRepeatable({ mail: 'a@x.de' }, 'auto')).toBe(false)
    expect(isRepeatable({ first_name: 'A' }, 'email')).toBe(false)
  })

  it.each([
    [{ phone: '030' }, { phone: ' 030' }, true],
    [{ phone: '030' }, {}, false],
    [{ tags: ['b', 'a'] }, { tags: ['a', 'b'] }, true],
    [{ tags: ['a'] }, { tags: 'a' }, false],
    [{ date_of_birth: 'x' }, { date_of_birth: 'x' }, true],
  ])('compares %o with %o: %s', (left, right, expected) => {
    expect(looksLike(left, { id: 1, fields: right })).toBe(expected)
  })
})

describe('a merge method', () => {
  it.each([
    ['update_add', { a: '1', b: '2' }],
    ['update', { a: '1' }],
    ['add', { b: '2' }],
  ] as const)('%s', (method, expected) => {
    expect(allowedFields({ a: '1', b: '2' }, { a: 'x', b: null }, method)).toEqual(expected)
  })
})

describe('the circuit', () => {
  const result = (
    kind: Exclude<CallResult<never>['kind'], 'ok'>,
    status?: number,
    summary = 'because',
  ): CallResult<never> => ({
    kind,
    reason: summary,
    summary,
    request: { method: 'PUT', path: '/contact/<contact_id>', status, attempts: 1 },
  })
  const ok: CallResult<true> = {
    kind: 'ok',
    value: true,
    request: { method: 'GET', path: '/x', status: 200, attempts: 1 },
  }
  it.each([
    ['401 at any time', [ok, result('denied', 401)], 'SERVICE_KEY_REFUSED'],
    ['403 on the first call', [result('denied', 403)], 'SERVICE_KEY_REFUSED'],
    ['403 on one object later', [ok, result('denied', 403)], undefined],
    [
      '403 three times in a row',
      [ok, ...Array.from({ length: 3 }, () => result('denied', 403))],
      'SERVICE_KEY_REFUSED',
    ],
    [
      '403 with good answers between',
      [ok, result('denied', 403), result('denied', 403), ok, result('denied', 403)],
      undefined,
    ],
    ['no connection', [result('not_applied')], 'SERVICE_UNREACHABLE'],
    ['the wrong place', [result('not_applied', 404)], 'SERVICE_CONTRACT'],
    ['two unknown outcomes', [result('unknown', 500), result('unknown', 500)], undefined],
    [
      'three unknown outcomes',
      Array.from({ length: 3 }, () => result('unknown', 500)),
      'SERVICE_UNREACHABLE',
    ],
    [
      'three pages that are no answers',
      Array.from({ length: 3 }, () => result('unknown', 200)),
      'SERVICE_CONTRACT',
    ],
    ['refusals', Array.from({ length: 9 }, () => result('refused', 422)), undefined],
  ])('%s', (_, results, expected) => {
    const circuit = createCircuit({ max_equal_refusals: 0 })
    for (const one of results) circuit.note(one)
    expect(circuit.stop?.code).toBe(expected)
  })
})

describe('the counts', () => {
  it('must add up', () => {
    expect(() => assertBalanced({ ...noCounts(), read: 2, created: 1, held: 1 })).not.toThrow()
    expect(() => assertBalanced({ ...noCounts(), read: 3, created: 1 })).toThrow(
      '3 records were read, 1 have an outcome',
    )
  })

  it('make the status, the worst reason first', () => {
    const none = { fatal: false, inputsRefused: 0, inputsHeld: 0 }
    expect(runStatus(noCounts(), none)).toBe('ok')
    for (const outcome of OUTCOMES) {
      const imperfect =
        outcome === 'held' ? 'held' : ['rejected', 'failed', 'in_doubt'].includes(outcome) ? 'partial' : 'ok'
      expect(runStatus({ ...noCounts(), [outcome]: 1 }, none)).toBe(imperfect)
    }
    expect(runStatus(noCounts(), { ...none, inputsRefused: 1 })).toBe('partial')
    expect(runStatus({ ...noCounts(), held: 1 }, { ...none, fatal: true })).toBe('failed')
    expect(worstStatus(['ok', 'partial', 'held'])).toBe('held')
    const codes = (['ok', 'partial', 'held', 'failed'] as const).map((status) => exitCode([{ status }]))
    expect(codes).toEqual([0, 3, 4, 5])
    const badMapping = { status: 'failed', code: 'CONFIG_INVALID' } as const
    expect(exitCode([badMapping, { status: 'held' }])).toBe(2)
    expect(exitCode([badMapping, { status: 'failed', code: 'SERVICE_UNREACHABLE' }])).toBe(5)
  })
})

describe('small things', () => {
  it('a template keeps braces that are doubled', () => {
    const template = parseTemplate('{{{a}}} {b}')
    expect(template.columns).toEqual(['a', 'b'])
    expect(template.render((column) => column.toUpperCase())).toBe('{A} B')
  })

  it('a condition that could run for ever, or is none, is refused with a sentence', () => {
    expect(compileCondition('record["a"].matches("(a+)+$")')).toMatchObject({
      problem: expect.stringContaining('like()') as string,
    })
    expect(compileCondition('record["a"]')).toMatchObject({ problem: 'gives string, not true or false' })
    expect(compileCondition('recrod["a"] == "1"')).toMatchObject({ problem: 'Unknown variable: recrod' })
    expect(compileCondition('record["a')).toMatchObject({
      problem: expect.stringContaining('Unterminated') as string,
    })
  })

  it('a run is named by its start', () => {
    expect(runId(Date.UTC(2026, 10, 21, 14, 5, 9), () => 0)).toBe('20261121-140509-0000')
  })

  it('an estimate counts calls and windows', () => {
    const terms = { policy: 'managed', verify: true } as const
    const limits = { bulkSize: 50, requests: 5, perMs: 1000, mergeMethod: 'update_add', terms } as const
    const none = { termAdditions: 0, termRemovals: 0, consents: 0, withdrawals: 0, newTerms: 0, deletes: 0 }
    const work = { createsWithMail: 250, createsWithoutMail: 1, updates: 4, ...none }
    expect(estimate(work, limits)).toEqual({ requests: 10, seconds: 1 })
    const updates = { createsWithMail: 0, createsWithoutMail: 0, updates: 4, ...none }
    expect(estimate(updates, { ...limits, mergeMethod: 'add' })).toEqual({ requests: 8, seconds: 1 })
    const steps = { ...updates, updates: 0, termAdditions: 3, termRemovals: 2, consents: 1, newTerms: 1 }
    expect(estimate(steps, limits).requests).toBe(3 * 2 + 2 * 2 + 2 + 2)
    const adding = { ...limits, terms: { policy: 'add', verify: true } } as const
    expect(estimate(steps, adding).requests).toBe(3 + 2 * 2 + 2 + 2)
  })

  it('a fingerprint belongs to its header and mapping, and to just these values', () => {
    const context = fingerprintContext(['a', 'b'], 'm1')
    expect(fingerprint(context, ['x', 'y'])).toHaveLength(22)
    expect(fingerprint(context, ['x', 'y'])).not.toBe(fingerprint(context, ['xy', '']))
    expect(fingerprintContext(['a', 'b'], 'm2')).not.toBe(context)
    expect(fingerprintContext(['b', 'a'], 'm1')).not.toBe(context)
  })

  it('every error has a class and a hint that ends as a sentence', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      expect(new SyncError(code, 'x').class).toMatch(/^(fatal|input|later|record|warning)$/)
      expect(ERRORS[code].hint.length).toBeGreaterThan(15)
    }
  })

  it('an audit entry explains a change, and its hash covers all of it', () => {
    const operation = {
      id: 1,
      runId: 'r',
      pipeline: 'shop',
      key: 'K1',
      kind: 'update',
      contactId: 7,
      mailKey: undefined,
      fields: { phone: '2' },
      desired: { phone: '2', mail: 'a@x.de' },
      known: { phone: '1' },
      unsure: [],
      terms: undefined,
      asserted: undefined,
      consent: undefined,
      isFresh: false,
      carried: undefined,
      outcome: undefined,
      source: { file: 'a.csv', line: 2 },
      cause: 'record',
      state: 'sending',
      sent: 1,
      swallowed: 0,
      undoes: undefined,
      guard: undefined,
      absentReads: 0,
      notBefore: 0,
      reason: undefined,
    } as const
    const entry = auditEntry(
      { operation, settlement: { kind: 'done', contactId: 7 }, request: undefined },
      { at: 0, runId: 'r', configHash: 'c' },
    )
    expect(entry).toMatchObject({
      at: '1970-01-01T00:00:00.000Z',
      fields: { phone: { from: '1', to: '2' } },
      outcome: 'done',
      contact_id: 7,
    })
    const json = JSON.stringify(entry)
    expect(auditHash(AUDIT_START, json)).not.toBe(auditHash(AUDIT_START, json.replace('"2"', '"3"')))
  })
})
