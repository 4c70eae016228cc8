import { expect, it } from 'vitest'
import { createDriftLooks } from '../../../src/app/daemon/drift-looks.ts'
import type { RoundLook } from '../../../src/app/run/service/drift-round.ts'
import type { Log } from '../../../src/log/log.ts'
import { testSettings } from '../../support/daemon.ts'

const HOUR = 3_600_000
const drift = { every: HOUR, share: 0.05 }
const settings = testSettings([{ name: 'shop', drift }, { name: 'crm', drift }, { name: 'club' }])
const counts = { checked: 20, differing: 2, gone: 1, kept: 3, unanswered: 0, by_field: {} }
const round = { pipeline: 'shop', startedAt: 0, endedAt: 5, after: '', counts }
const NOTHING: RoundLook = { ended: undefined, stop: undefined }

function world(outcomes: RoundLook[], mayLook: (name: string) => boolean = () => true) {
  const lines: string[] = []
  const looked: string[] = []
  const time = { now: 0 }
  const note = (message: string, fields: object = {}): void =>
    void lines.push([message, ...Object.values(fields).map(String)].join(' '))
  const log = { info: note, warn: note } as object as Log
  const looks = createDriftLooks({
    ...{ log, mayLook, signal: new AbortController().signal },
    clock: { monotonic: () => time.now },
    settings: () => settings,
    runner: {
      continueDrift: ({ name }) => {
        looked.push(name)
        return Promise.resolve(outcomes.shift() ?? NOTHING)
      },
    },
    onFault: (error) => void lines.push(String(error)),
  })
  return { looks, lines, looked, time }
}

it('looks at the pipelines that ask for it, and logs what a round has counted', async () => {
  const { looks, lines, looked } = world([
    { ended: round, stop: undefined },
    { ended: { ...round, counts: { ...counts, differing: 1 } }, stop: undefined },
  ])
  await looks.look()
  expect(looked).toEqual(['shop', 'crm'])
  expect(lines).toEqual([
    'looked for drift shop 20 2 1 3 0',
    'more drift than allowed shop 20 2 5%',
    'looked for drift crm 20 1 1 3 0',
  ])
})

it('leaves out a pipeline that may not be looked at now', async () => {
  const { looks, looked } = world([], (name) => name === 'crm')
  await looks.look()
  expect(looked).toEqual(['crm'])
})

it('waits an hour where the service could not be used', async () => {
  const { looks, lines, looked, time } = world([
    { ended: undefined, stop: { code: 'SERVICE_KEY_REFUSED', message: '401' } },
  ])
  await looks.look()
  time.now = HOUR - 1
  await looks.look()
  expect(lines).toEqual(['looks for drift interrupted shop SERVICE_KEY_REFUSED'])
  expect(looked).toEqual(['shop', 'crm', 'crm'])
  time.now = HOUR
  await looks.look()
  expect(looked.slice(3)).toEqual(['shop', 'crm'])
})
