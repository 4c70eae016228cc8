// What a contact had at a moment, and what changed between two, against a service that users edit as well.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoggedEntry } from '../../../src/core/log/audit-chain.ts'
import {
  changesTogether,
  type ContactAsOf,
  contactsAsOf,
  isChangeLost,
} from '../../../src/core/log/contact-history.ts'

const AT = Date.parse('2026-11-01T00:00:00Z')

async function* each(entries: readonly LoggedEntry[]): AsyncGenerator<LoggedEntry> {
  for (const entry of entries) yield await Promise.resolve(entry)
}

const entry = (seq: number, more: Partial<LoggedEntry>): LoggedEntry => ({
  ...{ at: new Date(AT + seq).toISOString(), run_id: 'r', pipeline: 'shop', key: 'K1', contact_id: 1 },
  ...{ action: 'update', fields: {}, terms: { add: [], remove: [] }, request: null, outcome: 'done' },
  ...{ reason: null, source: null, config_hash: '', seq, person: 'p', values: 'open', field_names: [] },
  ...{ prev: '', hash: '', proof: { entry: '' } },
  ...more,
})

const change = (seq: number, fields: Record<string, string>, more: Partial<LoggedEntry> = {}): LoggedEntry =>
  entry(seq, {
    fields: Object.fromEntries(Object.entries(fields).map(([name, to]) => [name, { from: null, to }])),
    ...more,
  })

const terms = (seq: number, add: string[], remove: string[] = []): LoggedEntry =>
  entry(seq, { action: 'terms', terms: { add, remove } })

const erased = (seq: number, action: LoggedEntry['action'], names: string[]): LoggedEntry =>
  entry(seq, { action, values: 'erased', key: null, contact_id: null, field_names: names })

const plain = ({ exists, fields, terms: has, unknown }: ContactAsOf) => ({
  ...{ exists, terms: has, unknown },
  fields: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
})

describe('as of a moment', () => {
  const asOf = async (entries: readonly LoggedEntry[], seq = 99) =>
    (await contactsAsOf(each(entries), AT + seq)).contacts.map(plain)

  it('a decision about a contact that was deleted does not bring it back', async () => {
    const history = [
      change(1, { phone: '1' }, { action: 'create' }),
      entry(2, { action: 'delete' }),
      entry(3, { action: 'correct' }),
    ]
    expect(await asOf(history)).toEqual([{ exists: false, terms: [], unknown: [], fields: {} }])
  })

  it('what was entered by a clock that was ahead had happened before what was entered after it', async () => {
    const at = (ms: number) => ({ at: new Date(AT + ms).toISOString() })
    const history = [
      change(1, { phone: '1', fax: '1' }, { action: 'create' }),
      change(2, { phone: '2', mail: '2' }, at(5000)),
      change(3, { phone: '3' }),
      change(4, { phone: '4' }),
    ]
    const [first, third, last] = [await asOf(history, 1), await asOf(history, 3), await asOf(history, 4)]
    expect(first).toMatchObject([{ fields: { phone: '1', fax: '1' } }])
    expect(third).toMatchObject([{ fields: { phone: '3', fax: '1', mail: '2' } }])
    expect(last).toMatchObject([{ fields: { phone: '4' } }])
  })

  it('names what entries had set whose values are gone', async () => {
    const old = [erased(1, 'create', ['mail', 'phone']), erased(2, 'terms', []), erased(3, 'link', ['fax'])]
    expect(await contactsAsOf(each(old), AT + 9)).toEqual({
      contacts: [],
      unknown: ['mail', 'phone', 'terms'],
    })
    expect(await asOf([...old, change(4, { phone: '2' })])).toEqual([
      { exists: true, terms: [], unknown: ['mail', 'terms'], fields: { phone: '2' } },
    ])
    const again = [...old, erased(4, 'delete', []), change(5, { mail: 'a' }, { action: 'create' })]
    expect(await asOf(again)).toEqual([{ exists: true, terms: [], unknown: [], fields: { mail: 'a' } }])
    expect([...old, terms(9, ['A'])].map(isChangeLost)).toEqual([true, true, false, false])
  })
})

it('a term that was given twice, and taken, is no longer there', async () => {
  const history = [terms(1, ['A']), terms(2, ['A']), terms(3, ['B'], ['A'])]
  expect(await changesTogether(each(history))).toMatchObject([{ terms: { add: ['B'], remove: [] } }])
})

it('a create that was merged into a contact of another pipeline makes none', async () => {
  const made = change(1, { mail: 'anna@example.com', phone: '1' }, { action: 'create' })
  const fields = { mail: { from: 'anna@example.com', to: 'anna@example.com' }, phone: { from: '1', to: '2' } }
  const merged = entry(2, { action: 'create', pipeline: 'crm', fields })
  expect(await changesTogether(each([merged]))).toMatchObject([
    { made: false, fields: { phone: { from: '1', to: '2' } } },
  ])
  expect(await changesTogether(each([made, merged]))).toMatchObject([{ made: true }])
})

type Step =
  | { readonly what: 'write' | 'fail'; readonly fields: Readonly<Record<string, string>> }
  | { readonly what: 'give' | 'take' | 'hand gives' | 'hand takes'; readonly term: string }
  | { readonly what: 'decide' | 'delete' }

const name = fc.constantFrom('mail', 'phone', 'fax')
const value = fc.constantFrom('', '1', '2', '3')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    what: fc.constantFrom('write' as const, 'fail' as const),
    fields: fc.dictionary(name, value, { minKeys: 1 }),
  }),
  fc.record({
    what: fc.constantFrom(...(['give', 'take', 'hand gives', 'hand takes'] as const)),
    term: fc.constantFrom('A', 'B'),
  }),
  fc.record({ what: fc.constantFrom('decide' as const, 'delete' as const) }),
)

/** After each step: what we have set, and what the service has; the entries of the log. */
function play(steps: readonly Step[]) {
  let ours = { exists: false, fields: {} as Record<string, string>, terms: new Set<string>() }
  const there = new Set<string>()
  const entries: LoggedEntry[] = []
  const states = steps.map((one, index) => {
    const seq = index + 1
    const write = (fields: Readonly<Record<string, string>>): void => {
      const action = ours.exists ? 'update' : 'create'
      const changes = Object.entries(fields).map(([field, to]) => [
        field,
        { from: ours.fields[field] ?? null, to },
      ])
      entries.push(entry(seq, { action, fields: Object.fromEntries(changes) as LoggedEntry['fields'] }))
      ours = { ...ours, exists: true, fields: { ...ours.fields, ...fields } }
    }
    if (one.what === 'write') write(one.fields)
    else if (one.what === 'fail') entries.push(change(seq, one.fields, { outcome: 'failed' }))
    else if (one.what === 'decide') entries.push(entry(seq, { action: 'correct' }))
    else if (one.what === 'delete') {
      if (ours.exists) entries.push(entry(seq, { action: 'delete' }))
      ours = { exists: false, fields: {}, terms: new Set() }
      there.clear()
    } else if (!ours.exists) write({ mail: '1' })
    else if (one.what === 'hand gives') there.add(one.term)
    else if (one.what === 'hand takes') there.delete(one.term)
    else if (one.what === 'give' && !there.has(one.term)) {
      there.add(one.term)
      ours = { ...ours, terms: new Set([...ours.terms, one.term]) }
      entries.push(terms(seq, [one.term]))
    } else if (one.what === 'take' && there.has(one.term)) {
      there.delete(one.term)
      ours = { ...ours, terms: new Set([...ours.terms].filter((term) => term !== one.term)) }
      entries.push(terms(seq, [], [one.term]))
    }
    return ours
  })
  return { states, entries }
}

it('at each moment of any history it is what we had set', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { states, entries } = play(steps)
      for (const [index, { exists, fields, terms: has }] of states.entries()) {
        const [shown] = (await contactsAsOf(each(entries), AT + index + 1)).contacts.map(plain)
        const filled = Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== ''))
        if (exists) expect(shown).toEqual({ exists, fields: filled, terms: [...has].sort(), unknown: [] })
        else expect(shown?.fields ?? {}).toEqual({})
      }
    }),
  )
})

it('between two moments of any history it is what differs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        step.filter(({ what }) => what !== 'delete'),
        { minLength: 2, maxLength: 20 },
      ),
      fc.nat(),
      async (steps, at) => {
        const { states, entries } = play(steps)
        const from = at % (steps.length - 1)
        const [before, after] = [states[from], states.at(-1)]
        const [found] = await changesTogether(each(entries.filter(({ seq }) => seq > from + 1)))
        const names = [
          ...new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after?.fields ?? {})]),
        ]
        const differing = names.filter((one) => (before?.fields[one] ?? '') !== (after?.fields[one] ?? ''))
        expect(Object.keys(found?.fields ?? {}).sort()).toEqual(differing.sort())
        for (const one of differing) expect(found?.fields[one]?.to).toBe(after?.fields[one])
        const { add = [], remove = [] } = found?.terms ?? {}
        for (const term of add) expect(after?.terms.has(term)).toBe(true)
        for (const term of remove) expect(after?.terms.has(term)).toBe(false)
        const byHand = steps.flatMap((one) =>
          one.what.startsWith('hand') && 'term' in one ? [one.term] : [],
        )
        for (const term of ['A', 'B'].filter((one) => !byHand.includes(one)))
          if (before?.terms.has(term) !== true && after?.terms.has(term) === true) expect(add).toContain(term)
      },
    ),
  )
})
