// The sandbox keeps every rule of the interface; and a server that breaks one is caught by the case that names it.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { startBrokenServer } from './broken-server.ts'
import { createClient } from './client.ts'
import { MUTANTS } from './mutants.ts'
import { CASES, verdictOn } from './suite.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

let sandbox: Sandbox
/** One whose key may set mail_status. */
let permissive: Sandbox
const CHOICES = new Map([
  ['language', ['de', 'en', 'fr']],
  ['interests', ['books', 'music', 'sports']],
])
const worldOf = (baseUrl: string, options: Partial<WorldOptions> = {}): World =>
  createWorld(createClient({ baseUrl, apiKey: 'k', rate: 0 }), baseUrl, { choices: CHOICES, ...options })

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: 'k', clock: systemClock })
  permissive = await startSandbox({
    port: 0,
    apiKey: 'k',
    clock: systemClock,
    habits: { mailStatusPermission: true },
  })
})
afterAll(async () => {
  await sandbox.close()
  await permissive.close()
})

describe('the sandbox', () => {
  let world: World
  beforeAll(() => {
    world = worldOf(sandbox.url)
  })
  afterAll(async () => {
    const { deleted, left } = await world.tidy()
    expect(deleted).toBeGreaterThan(50)
    expect(left).toBe(0)
  })

  it('is asked each thing once', () => {
    expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length)
    for (const section of ['2.1', '2.2', '2.3', '3', '4', '4.1', '4.2', '4.3', '4.4', '5', '7', '8', '9'])
      expect(CASES.some((one) => one.section === section)).toBe(true)
  })

  it.each(CASES)('$section $sentence [$id]', async (one) => {
    const { verdict, remark } = await verdictOn(one, world)
    expect(verdict, remark).toBe(one.kind === 'rule' ? 'holds' : 'observed')
    expect(remark).not.toContain('could not be seen')
    expect(remark).not.toMatch(/nothing to see it by|is ignored$/)
  })

  // What depends on how much there is, and on what the key may.
  it.each(CASES.filter(({ section, kind }) => kind === 'rule' && ['3', '8'].includes(section)))(
    'beyond a page, and with every right: $section $sentence [$id]',
    async (one) => {
      const large = worldOf(permissive.url, { many: 501 })
      const { verdict, remark } = await verdictOn(one, large)
      expect(verdict, remark).toBe('holds')
      expect(remark).not.toMatch(/to see it by|may not set/)
    },
  )
})

describe('a server that', () => {
  it.each(MUTANTS)('$does is caught by $caughtBy', async ({ caughtBy, spoil, mayPermit, many }) => {
    const server = await startBrokenServer((mayPermit ? permissive : sandbox).url, spoil)
    const rule = CASES.find(({ id }) => id === caughtBy)
    expect(rule).toBeDefined()
    if (rule !== undefined)
      expect(await verdictOn(rule, worldOf(server.url, many === undefined ? {} : { many }))).toMatchObject({
        verdict: 'does not hold',
      })
    await server.close()
  })
})

describe('the command', () => {
  const command = async (args: readonly string[], env: Record<string, string> = {}) => {
    const done = Promise.withResolvers<{ code: number; stdout: string; stderr: string }>()
    const path = join(import.meta.dirname, 'main.ts')
    execFile(process.execPath, [path, ...args], { env }, (error, stdout, stderr) =>
      done.resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
    return done.promise
  }
  const fast = ['--rate', '0']
  const key = { CONTACT_SYNC_API_KEY: 'k' }

  it('ends with 0 where all holds, shows no key, and leaves no contact', async () => {
    const { code, stdout, stderr } = await command(['--base-url', sandbox.url, '--json', ...fast], key)
    expect(code).toBe(0)
    const { verdicts } = JSON.parse(stdout) as { verdicts: unknown[] }
    expect(verdicts.length).toBe(CASES.length)
    expect(stderr).toContain(', 0 are left')
    expect(stdout + stderr).not.toContain('Bearer k')
  })

  it('ends with 3, and says where, when a rule is broken', async () => {
    const mutant = MUTANTS.find(({ caughtBy }) => caughtBy === 'contact-terms-set')
    const server = await startBrokenServer(sandbox.url, mutant?.spoil ?? expect.fail())
    const { code, stdout } = await command(['--base-url', server.url, ...fast], key)
    expect(code).toBe(3)
    expect(stdout).toMatch(/Setting replaces the whole list\n\s+DOES NOT HOLD: the terms is/)
    await server.close()
  })

  it.each([
    ['no address', ['--rate', '1'], key, 2],
    ['no key', ['--base-url', 'https://x.example'], {}, 2],
    ['the key over plain http', ['--base-url', 'http://x.example'], key, 2],
    ['an unknown option', ['--nowhere'], key, 2],
    ['nobody there', ['--base-url', 'http://127.0.0.1:9'], key, 5],
  ])('%s: ends with the right code', async (_, args, env, code) => {
    const ended = await command(args, env)
    expect(ended.code).toBe(code)
    expect(ended.stderr).not.toBe('')
  })

  it('a refused key ends with 5', async () => {
    const { code } = await command(['--base-url', sandbox.url], { CONTACT_SYNC_API_KEY: 'other' })
    expect(code).toBe(5)
  })
})
