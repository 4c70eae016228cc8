// What of the operational log may leave the machine: lines of this log alone, and of them what names no person.
import { expect, it } from 'vitest'
import { logExcerpt } from '../../../src/core/log/log-excerpt.ts'

const line = (fields: object): string =>
  JSON.stringify({ timestamp: '2026-11-21T14:00:00.000Z', level: 'warn', ...fields })

it.each([
  [
    'file rejected',
    { pipeline: 'shop', run_id: 'r', file: 'anna.csv', code: 'INPUT_EMPTY', detail: 'Anna' },
    { pipeline: 'shop', run_id: 'r', code: 'INPUT_EMPTY' },
  ],
  [
    'field not cleared by the service',
    { contact_id: 17, fields: 'phone', mail: 'a@b.c' },
    { fields: 'phone' },
  ],
  ['run started', { constructor: 'x', pipeline: { deep: 'Anna' } }, {}],
])('%s: leaves out names of files, contacts, and what the table lacks', (message, fields, kept) => {
  const expected = { timestamp: '2026-11-21T14:00:00.000Z', level: 'warn', message, ...kept }
  expect(JSON.parse(logExcerpt(line({ message, ...fields })) ?? '')).toEqual(expected)
})

it('reads the format for people, too', () => {
  const pretty =
    '2026-11-21T14:00:00.000Z WARN  values dropped or truncated pipeline="shop" field="a \\"b\\"" times=3 mail="x@y.z"'
  expect(JSON.parse(logExcerpt(pretty) ?? '')).toEqual({
    timestamp: '2026-11-21T14:00:00.000Z',
    level: 'warn',
    message: 'values dropped or truncated',
    pipeline: 'shop',
    field: 'a "b"',
    times: 3,
  })
})

it('keeps of an unknown event that it was there', () => {
  expect(logExcerpt(line({ message: 'Anna called' }))).not.toContain('Anna')
  expect(JSON.parse(logExcerpt(line({ message: 'toString' })) ?? '')).toMatchObject({
    message: expect.stringMatching(/^\(an event/) as string,
  })
})

it.each([
  '',
  'anna@example.com',
  '{"message":"run started"}',
  '{broken',
  '[]',
  'null',
  '2026-11-21 WARN run started',
])('drops %j, which is no line of this log', (text) => {
  expect(logExcerpt(text)).toBeUndefined()
})
