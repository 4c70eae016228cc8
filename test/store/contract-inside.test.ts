// The state at a PostgreSQL server keeps to the contract of the others, where no server is installed, too: with one in this process.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { StateStore } from '../../src/core/state-store.ts'
import { openState } from '../../src/store/state-store.ts'
import { roundsContract } from '../contracts/rounds.ts'
import { stateContract } from '../contracts/state.ts'
import { openInside } from '../support/state/inside.ts'

const folder = mkdtempSync(join(tmpdir(), 'inside-'))
afterAll(() => rmSync(folder, { recursive: true }))

const channel = await openInside()
let states = 0

function open(): StateStore {
  states += 1
  const schema = `state_${states}`
  const place = { url: 'postgres://localhost/inside', schema, path: join(folder, schema) }
  return openState(place, { pid: 1, since: 0, thorough: false, channel })
}

stateContract('at a PostgreSQL server in this process', open)
roundsContract('at a PostgreSQL server in this process', open)
