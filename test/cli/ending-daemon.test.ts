// Runs that an ending daemon is asked for: they are not made, and the command ends as one whose run the daemon broke off.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDesk } from '../../src/app/decisions/desk-server.ts'
import type { DaemonOwner } from '../../src/app/decisions/owner.ts'
import { createAskedRuns } from '../../src/app/daemon/asked-runs.ts'
import { loadConfiguration } from '../../src/app/run/configuration.ts'
import type { Log } from '../../src/log/log.ts'
import { openState } from '../../src/store/state-store.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const CONFIGURATION = `
service: { base_url: "http://127.0.0.1:9", api_key: "\${THE_KEY}" }
state: { path: state.db }
pipelines:
  shop: { source: { type: csv, folder: shop }, map: { mail: mail } }
  club: { source: { type: csv, folder: club }, map: { mail: mail } }
`

const ENV = { THE_KEY: 'none-is-needed' }

const nothing = (): void => undefined
const LOG = { info: nothing, warn: nothing, error: nothing, with: () => LOG } as unknown as Log

let place: Place
let close: () => Promise<void>

beforeEach(async () => {
  place = await openPlace(ENV)
  await place.write('config.yaml', CONFIGURATION)
  const loaded = await loadConfiguration(place.path('config.yaml'), ENV)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const { settings } = loaded
  const state = openState(settings.state, { pid: process.pid, since: 0, thorough: false })
  const asked = createAskedRuns(() => undefined)
  asked.dismiss()
  const daemon = { run: asked.ask, isRunning: () => false } as unknown as DaemonOwner
  const { signal } = new AbortController()
  const desk = await openDesk({ settings: () => settings, state, signal, daemon }, LOG)
  close = async () => {
    await desk.close()
    await state.close()
  }
})
afterEach(async () => {
  await close()
  await place.close()
})

it('ends with 143, and names what was not run', async () => {
  const { code, stdout, stderr } = await place.cli('run', 'shop', 'club', '--json')
  const why =
    'the process that has the state was stopped before the run of shop, which was not made; not run: club'
  expect({ code, stderr }).toEqual({ code: 143, stderr: `${why}\n` })
  expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', pipelines: [], error: why })
})
