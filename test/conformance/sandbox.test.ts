// The sandbox held against the interface; and the suite held against services that break one rule each.
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { type Api, openApi, Violation } from './api.ts'
import { MUTANTS, startMutant } from './mutants.ts'
import { RULES } from './table.ts'

const apiKey = 'conformance-key'
let sandbox: Sandbox
let api: Api

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, apiKey, clock: systemClock })
  api = openApi({ baseUrl: sandbox.url, apiKey, rate: 1000 })
})
afterAll(async () => {
  const { deleted, made } = await api.cleanUp()
  expect(made).toBeGreaterThan(50)
  // One of them was deleted as a test of deleting.
  expect(deleted).toBe(made - 1)
  await sandbox.close()
})

it('names every rule once, with its section', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length)
  expect(RULES.every(({ section }) => /^[2-9]/.test(section))).toBe(true)
})

describe('the sandbox', () => {
  it.each(RULES.map((rule) => [rule.id, rule] as const))('%s', async (_, rule) => {
    await rule.check(api)
  })
})

describe('the suite catches a service that breaks', () => {
  it.each(MUTANTS.map((mutant) => [mutant.breaks, mutant] as const))('%s', async (id, mutant) => {
    const rule = RULES.find((one) => one.id === id)
    const server = await startMutant(mutant, sandbox.url, apiKey)
    const { port } = server.address() as AddressInfo
    const broken = openApi({ baseUrl: `http://127.0.0.1:${port}`, apiKey, rate: 1000 })
    await expect(rule?.check(broken)).rejects.toThrow(Violation)
    await broken.cleanUp()
    server.closeAllConnections()
    server.close()
  })
})
