// Small decisions: mails in their form for comparison, counts and status, and what names and explains things.
import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AUDIT_START, auditHash } from '../../src/core/log/audit-chain.ts'
import { auditEntry } from '../../src/core/log/audit.ts'
import { compileCondition } from '../../src/core/mapping/cel/condition.ts'
import { mailKey } from '../../src/core/mapping/contact.ts'
import { ERRORS, type ErrorCode, SyncError } from '../../src/core/words/errors.ts'
import { runId } from '../../src/core/words/run-id.ts'
import {
  assertBalanced,
  exitCode,
  noCounts,
  OUTCOMES,
  runStatus,
  worstStatus,
} from '../../src/core/outcome/summary.ts'
import { parseTemplate } from '../../src/core/mapping/fields/template.ts'
import { seeded } from '../support/seeded.ts'

describe('a mail in its form for comparison', () => {
  it.each([
    ['Anna@Example.COM ', 'anna@example.com'],
    ['anna@example.com.', 'anna@example.com'],
    ['anna@bücher.example', 'anna@xn--bcher-kva.example'],
    ['anna@xn--bcher-kva.example', 'anna@xn--bcher-kva.example'],
    ['anna+tag@example.com', 'anna+tag@example.com'],
    ['e\u0301@example.com', 'é@example.com'],
    ['not a mail', 'not a mail'],
    ['anna@XN--BCHER-KVA.example', 'anna@xn--bcher-kva.example'],
    ['anna@1.2', 'anna@1.0.0.2'],
    ['anna@[127.0.0.1]', 'anna@[127.0.0.1]'],
    ['anna@example..com', 'anna@example..com'],
  ])('%j', (mail, expected) => {
    expect(mailKey(mail)).toBe(expected)
  })

  const label = fc.string({
    unit: fc.constantFrom('a', 'b', 'z', 'X', 'Y', '0', '9', '-', '_', 'ü'),
    minLength: 1,
    maxLength: 6,
  })
  it('has the domain in the form that its URL would have, however it is found', () => {
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
        const domain = labels.join('.')
        expect(mailKey(`a@${domain}`)).toBe(`a@${domainToASCII(domain) || domain.toLowerCase()}`)
      }),
      { numRuns: 2000 },
    )
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
    expect(compileCondition('recrod["a"] == "1"')).toMatchObject({
      problem: 'Unknown variable: recrod (at character 1)',
    })
    expect(compileCondition('record["a')).toMatchObject({
      problem: expect.stringContaining('Unterminated') as string,
    })
  })

  it('a run is named by its start', () => {
    expect(runId(Date.UTC(2026, 10, 21, 14, 5, 9), () => 0)).toBe('20261121-140509-000000')
  })

  it('runs of one second have names of their own', () => {
    const { next } = seeded(11)
    const names = Array.from({ length: 3000 }, () => runId(0, next))
    expect(new Set(names).size).toBe(names.length)
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
      needed: 0,
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
