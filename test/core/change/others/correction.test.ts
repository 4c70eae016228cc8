import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Correction,
  droppedText,
  formerCorrection,
  judgeCorrection,
} from '../../../../src/core/change/others/correction.ts'

type Given = Parameters<typeof judgeCorrection>[0]
type Seen = Parameters<typeof judgeCorrection>[1]

describe('a correction', () => {
  it.each<[string, Given, Seen, string]>([
    ['of the same columns', { raw: { tel: '1' }, was: undefined }, { raw: { tel: '1' }, made: '1' }, 'holds'],
    ['whose column is missing', { raw: { tel: '1' }, was: undefined }, { raw: {}, made: undefined }, 'holds'],
    [
      'of which one column changed',
      { raw: { a: '1', b: '2' }, was: undefined },
      { raw: { a: '1', b: '3' }, made: '1' },
      'the source has changed "b"',
    ],
    [
      'that has seen no column yet, and the same value',
      { raw: undefined, was: '1' },
      { raw: { tel: ' 1' }, made: '1' },
      'holds',
    ],
    [
      'that has seen no column yet, where nothing was sent',
      { raw: undefined, was: undefined },
      { raw: {}, made: undefined },
      'holds',
    ],
    [
      'of which both columns changed',
      { raw: { a: '1', b: '2' }, was: undefined },
      { raw: { a: '2', b: '3' }, made: '1' },
      'the source has changed "a", "b"',
    ],
    [
      'that has seen no column yet, and a value where nothing was sent',
      { raw: undefined, was: undefined },
      { raw: { tel: '2' }, made: '2' },
      'holds',
    ],
    [
      'that has seen no column yet, and a blank where a blank was sent',
      { raw: undefined, was: '' },
      { raw: { tel: '' }, made: undefined },
      'holds',
    ],
    [
      'that has seen no column yet, and a value where a blank was sent',
      { raw: undefined, was: '' },
      { raw: { tel: '2' }, made: '2' },
      'the source gives another value',
    ],
    [
      'that has seen no column yet, and nothing that counts',
      { raw: undefined, was: '1' },
      { raw: { tel: '' }, made: undefined, isSilent: true },
      'holds',
    ],
    [
      'that has seen no column yet, and another value',
      { raw: undefined, was: '1' },
      { raw: { tel: '2' }, made: '2' },
      'the source gives another value',
    ],
  ])('%s', (_, given, seen, outcome) => {
    const judged = judgeCorrection(given, seen)
    const { kind } = judged
    expect(kind).toBe(outcome === 'holds' ? 'holds' : 'ended')
    expect(judged.kind === 'holds' ? 'holds' : judged.why).toContain(outcome)
  })

  it('ends with the first column that is there and says something else, and never otherwise', () => {
    const columns = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'))
    fc.assert(
      fc.property(columns, columns, (raw, now) => {
        const differs = Object.keys(raw).some((name) => Object.hasOwn(now, name) && now[name] !== raw[name])
        const judged = judgeCorrection({ raw, was: undefined }, { raw: now, made: undefined })
        expect(judged.kind).toBe(differs ? 'ended' : 'holds')
        // What it is bound to is never forgotten by a file that lacks a column.
        if (judged.kind === 'holds') expect(judged.raw).toMatchObject(raw)
      }),
    )
  })
})

describe('the source that a later correction is bound to', () => {
  const made = (why?: string): Correction => ({
    ...{ id: 1, pipeline: 'shop', key: 'K1', field: 'phone', value: '2', raw: { tel: '1' }, was: '1' },
    ...{ file: undefined, line: undefined, at: 0, by: 'anna', isPending: false },
    ended: why === undefined ? undefined : { at: 1, why },
  })
  const of = { key: 'K1', field: 'phone' }

  it.each([
    ['of one that holds', [made()], true, true],
    ['of one that was dropped, with nothing sent since', [made(droppedText('anna'))], true, true],
    ['not of one that was dropped, with another value sent since', [made(droppedText('anna'))], false, false],
    ['not of one that the source has ended', [made('the source has changed "tel"')], true, false],
    ['of the last one alone', [made(), made('the source has changed "tel"')], true, false],
    ['of the same field alone', [{ ...made(), field: 'fax' }], true, false],
    ['of the same record alone', [{ ...made(), key: 'K2' }], true, false],
  ] as const)('is that %s', (_, earlier, isSent, isKept) => {
    expect(formerCorrection(earlier, of, () => isSent)?.raw).toEqual(isKept ? { tel: '1' } : undefined)
  })
})
