// SIGTERM while requests are on their way: what has left is waited for, nothing more leaves. Where no answer comes and
// patience ends, whoever starts next finds out what became of it.
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contactsAtService, openOperations } from '../processes/evidence.ts'
import { firstExport } from '../processes/inputs.ts'
import { type Check, openWorkplace, runUntilClean, type Workplace } from '../processes/workplace.ts'
import type { Running } from '../support/cli.ts'
import type { Fault } from '../support/fault-proxy.ts'

const PEOPLE = 20
/** rate_limit.concurrency of the workplace. */
const AT_ONCE = 4

let workplace: Workplace
const open = async (check: Check): Promise<void> => {
  workplace = await openWorkplace(check)
  const { shop } = workplace
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(yaml.replace(/timeout: \w+/, 'timeout: 60s'))
  await workplace.drop(firstExport(PEOPLE))
}
afterEach(() => workplace.close())

const writes = (): number => workplace.proxy.record.filter(({ isWrite }) => isWrite).length

/** Starts a run whose writes all meet the fault, and resolves when as many as may be are on their way. */
async function busy(fault: Fault): Promise<Running> {
  const full = Promise.withResolvers<undefined>()
  workplace.script = ({ isWrite }) => {
    if (!isWrite) return { kind: 'pass' }
    if (writes() + 1 === AT_ONCE) full.resolve(undefined)
    return fault
  }
  const running = workplace.shop.start('run', '--json')
  workplace.current = running
  await full.promise
  return running
}

async function endsRight(): Promise<void> {
  workplace.script = () => ({ kind: 'pass' })
  await runUntilClean(workplace, { most: 3 })
  const mails = contactsAtService(workplace).flatMap((text) => /person\d+@/.exec(text)?.[0] ?? [])
  const others = mails.filter((mail) => mail !== 'person2@')
  expect(others).toHaveLength(PEOPLE - 1)
  expect(new Set(others).size).toBe(PEOPLE - 1)
}

describe('SIGTERM', () => {
  beforeEach(() => open('none'))

  it('lets what is on its way finish, sends nothing more, and leaves nothing in doubt', async () => {
    const running = await busy({ kind: 'slow', ms: 400 })
    running.process.kill('SIGTERM')
    expect((await running.ended).code).toBe(143)
    expect(writes()).toBe(AT_ONCE)
    expect(openOperations(workplace).filter((state) => state === 'sending' || state === 'in_doubt')).toEqual(
      [],
    )
    await endsRight()
  })
})

describe.each<Check>(['email', 'none'])('a service that does not answer, check %s', (check) => {
  beforeEach(() => open(check))

  it('SIGTERM, and SIGKILL when patience ends: in doubt, and settled by the next start', async () => {
    const running = await busy({ kind: 'silence', moment: 'after' })
    running.process.kill('SIGTERM')
    running.process.kill('SIGKILL')
    expect((await running.ended).signal).toBe('SIGKILL')
    expect(openOperations(workplace)).toContain('sending')
    await endsRight()
  })

  it('a second SIGTERM does not wait: in doubt, and settled by the next start', async () => {
    const running = await busy({ kind: 'silence', moment: 'after' })
    running.process.kill('SIGTERM')
    const again = setInterval(() => running.process.kill('SIGTERM'), 20)
    const { code } = await running.ended
    clearInterval(again)
    expect(code).toBe(143)
    expect(writes()).toBe(AT_ONCE)
    expect(openOperations(workplace)).toContain('sending')
    await endsRight()
  })
})
