// The table of events: used whole, and nothing beside it; the manual's list is made from it.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { errorFacts } from '../../../../src/core/words/error-facts.ts'
import { SyncError } from '../../../../src/core/words/errors.ts'
import { COMMON_FIELDS, EVENTS } from '../../../../src/core/log/events/events.ts'

const SOURCES = resolve(import.meta.dirname, '../../../../src')
const MANUAL = resolve(import.meta.dirname, '../../../../state/README.md')
const START = '<!-- events: npm run docs -->\n'
const END = '<!-- end of events -->\n'

const texts = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== 'core/log/events/events.ts')
  .map((name) => readFileSync(resolve(SOURCES, name), 'utf8'))

it('every call of the log names an event, and every event has its call', () => {
  const called = texts.flatMap((text) =>
    [...text.matchAll(/\blog\.(error|warn|info|debug)\(\s*('(?:[^'\\]|\\.)*'|[^\s,)]+)/g)].map(
      ([, level, event]) => [event, level],
    ),
  )
  expect(called.length).toBeGreaterThan(20)
  const known = new Map(Object.entries(EVENTS).map(([event, { level }]) => [`'${event}'`, level]))
  // The one place that hands an event on.
  for (const [event, level] of called.filter(([name]) => name !== 'event'))
    expect([event, known.get(event ?? '')]).toEqual([event, level])
  const all = texts.join('\n')
  expect(Object.keys(EVENTS).filter((event) => !all.includes(`'${event}'`))).toEqual([])
})

it('no field of an event bears the name of one that every line has', () => {
  const fixed = [...Object.keys(COMMON_FIELDS), 'timestamp', 'level', 'message']
  for (const { fields } of Object.values(EVENTS))
    expect(Object.keys(fields).filter((name) => fixed.includes(name))).toEqual([])
})

function table(): string {
  const rows = Object.entries(EVENTS).map(([event, { level, fields, means }]) => {
    const logged = Object.entries(fields).filter(([, kind]) => kind !== 'told')
    return `| ${level} | ${event} | ${logged.map(([name]) => `\`${name.replace('?', '')}\``).join(', ')} | ${means} |`
  })
  return ['', '| level | event | fields | what it means |', '|---|---|---|---|', ...rows, '', ''].join('\n')
}

it('the manual has every event with its level, fields and meaning', async () => {
  const manual = readFileSync(MANUAL, 'utf8')
  const [before, rest] = manual.split(START)
  const after = rest?.split(END)[1]
  expect(after).toBeDefined()
  await expect(`${before ?? ''}${START}${table()}${END}${after ?? ''}`).toMatchFileSnapshot(MANUAL)
})

it('an error is logged by its code, or by its class and place: never by words that may quote a record', () => {
  const quoting = new TypeError('Unexpected token, "anna@example.com" is not a number')
  expect(JSON.stringify(errorFacts(quoting))).not.toContain('anna')
  expect(errorFacts(quoting)).toMatchObject({
    error: 'TypeError',
    at: expect.stringMatching(/events\.test\.ts:\d+:\d+/) as string,
  })
  expect(errorFacts('anna')).toEqual({ error: 'string' })
  expect(errorFacts(new SyncError('STATE_FULL', 'no room'))).toEqual({
    error: 'SyncError',
    code: 'STATE_FULL',
    detail: 'no room',
  })
})
