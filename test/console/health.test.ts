import { expect, it } from 'vitest'
import { readiness } from '../../src/console/health.ts'

const shop = { name: 'shop', dueAt: 1, running: false, missedAt: undefined, why: undefined }

it.each([
  ['all is well', { running: true, stateOpen: true, pipelines: [shop] }, []],
  ['it is ending', { running: false, stateOpen: true, pipelines: [shop] }, ['shutting down']],
  ['the state is closed', { running: true, stateOpen: false, pipelines: [] }, ['the state is not open']],
  [
    'a pipeline did not run',
    { running: true, stateOpen: true, pipelines: [{ ...shop, missedAt: 5 }] },
    ['pipeline shop is overdue'],
  ],
  [
    'the disk is full',
    { running: true, stateOpen: true, pipelines: [{ ...shop, missedAt: 5, why: 'STATE_FULL' }] },
    ['pipeline shop is overdue (STATE_FULL)'],
  ],
  [
    'it runs again',
    { running: true, stateOpen: true, pipelines: [{ ...shop, missedAt: 5, running: true }] },
    [],
  ],
])('readiness when %s', (_, daemon, reasons) => {
  expect(readiness(daemon)).toEqual({ ready: reasons.length === 0, reasons })
})
