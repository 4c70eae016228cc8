// SIGTERM while requests are on their way: what has left is waited for, nothing more leaves. Where no answer comes and
// patience ends, the next start settles it.
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contactsAtService, openOperations } from '../processes/evidence.ts'
import { firstExport } from '../processes/inputs.ts'
import { type Check, openWorkplace, runUntilClean, type Workplace } from '../processes/workplace.ts'
import type { Running } from '../support/cli.ts'
import type { Fault, Passed } from '../support/fault-proxy.ts'

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

/** New terms are made before the first change, without a journal of their own: their names are their identity. */
const isChange = ({ isWrite, path }: Pick<Passed, 'isWrite' | 'path'>): boolean =>
  isWrite && !path.endsWith('/terms')
const writes = (): number => workplace.proxy.record.filter(isChange).length

/** Starts a run whose writes all meet the fault, and resolves when as many as may be are on their way. */
async function busy(fault: Fault): Promise<Running> {
  const full = Promise.withResolvers<undefined>()
  workplace.script = (passing) => {
    if (!isChange(passing)) return { kind: 'pass' }
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

  it('SIGHUP of a one-shot run is its terminal that has gone: ended in the same good order', async () => {
    const running = await busy({ kind: 'slow', ms: 400 })
    running.process.kill('SIGHUP')
    expect((await running.ended).code).toBe(129)
    expect(writes()).toBe(AT_ONCE)
    expect(openOperations(workplace)).not.toContain('sending')
    await endsRight()
  })
})

describe('max_duration', () => {
  beforeEach(() => open('none'))

  it('stops a run in good order, says so, and the next one goes on from there', async () => {
    const { shop } = workplace
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace('    key: no\n', '    key: no\n    max_duration: 1s\n'))
    const running = await busy({ kind: 'slow', ms: 1500 })
    const { code, stdout } = await running.ended
    expect(code).toBe(3)
    expect(writes()).toBe(AT_ONCE)
    const [pipeline] = (JSON.parse(stdout) as { pipelines: Record<string, unknown>[] }).pipelines
    expect(pipeline).toMatchObject({ status: 'partial', code: 'MAX_DURATION', in_doubt: 0 })
    expect(pipeline?.['error']).toContain('max_duration (1s) is over; the next run continues from here')
    expect(Number(pipeline?.['failed'])).toBeGreaterThan(0)
    // How many more runs of a second it takes depends on the machine.
    await shop.configure(yaml)
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

  it('SIGTERM alone: ended within ten seconds, what was on its way in doubt and journalled', async () => {
    const running = await busy({ kind: 'silence', moment: 'after' })
    const asked = performance.now()
    running.process.kill('SIGTERM')
    expect((await running.ended).code).toBe(143)
    expect(performance.now() - asked).toBeLessThan(10_000)
    expect(writes()).toBe(AT_ONCE)
    // It came to its own end: nothing is left as being sent.
    expect(openOperations(workplace)).toContain('in_doubt')
    expect(openOperations(workplace)).not.toContain('sending')
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
