import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { LogSettings } from '../../src/core/settings.ts'
import { createLog } from '../../src/log/log.ts'

const SECRET = 'p+a/ss "word"=1'
const FOLDED = 'term not used: the service treats its name as that of another'

async function lines(settings: Partial<LogSettings>, consoleLevel?: 'error'): Promise<string[]> {
  const base = { level: 'info', console_level: undefined, format: 'json', folder: undefined } as const
  const stream = new PassThrough()
  const of = { secrets: [SECRET], stream, ...(consoleLevel === undefined ? {} : { consoleLevel }) }
  const log = createLog({ ...base, keep: 86_400_000, ...settings }, of)
  const shop = log.with({ pipeline: 'shop' })
  shop.warn('values dropped or truncated', { times: 3, field: `key ${SECRET}` })
  shop.warn(FOLDED, { term: 'Anna Muster', into: 'anna' })
  shop.debug('requests paused', { wait_ms: 3 })
  await log.close()
  return String(stream.read() ?? '')
    .trim()
    .split('\n')
}

describe('the log', () => {
  it('writes one line an event, with fixed fields and without secrets', async () => {
    const [line, ...more] = await lines({})
    expect(more).toHaveLength(1)
    expect(JSON.parse(line ?? '')).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/) as string,
      level: 'warn',
      message: 'values dropped or truncated',
      pipeline: 'shop',
      times: 3,
      field: 'key [secret]',
    })
    expect((await lines({ format: 'pretty' }))[0]).toMatch(
      /^\S+Z WARN {2}values dropped or truncated pipeline="shop" times=3 field="key \[secret\]"$/,
    )
  })

  it('masks a secret that came later, in the lines of its children, too', async () => {
    const stream = new PassThrough()
    const settings = {
      level: 'info',
      console_level: undefined,
      format: 'json',
      folder: undefined,
      keep: 1,
    } as const
    const log = createLog(settings, { secrets: [SECRET], stream })
    const child = log.with({ pipeline: 'shop' })
    child.mask(['Another-1'])
    child.warn('values dropped or truncated', { times: 1, field: `${SECRET} Another-1` })
    log.warn('values dropped or truncated', { times: 1, field: 'Another-1' })
    await log.close()
    expect(String(stream.read())).toMatch(/"\[secret\] \[secret\]"[^]*"\[secret\]"/)
  })

  it('leaves out what is told to people alone, and what the table of events lacks', async () => {
    expect(JSON.parse((await lines({}))[1] ?? '')).toEqual({
      timestamp: expect.anything() as string,
      level: 'warn',
      message: FOLDED,
      pipeline: 'shop',
    })
    const stream = new PassThrough()
    const log = createLog(
      { level: 'info', console_level: undefined, format: 'json', folder: undefined, keep: 1 },
      { secrets: [], stream },
    )
    log.info('run started', { mail: 'anna@example.com', constructor: 'x' } as object)
    await log.close()
    expect(String(stream.read())).not.toMatch(/anna|constructor/)
  })

  it('has a level for each sink: the file has everything, standard error what the command asks for', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'))
    const written = async (): Promise<number> => {
      const [name = ''] = await readdir(folder)
      expect(name).toMatch(/^contact-sync-\d{4}-\d{2}-\d{2}\.log$/)
      const text = await readFile(join(folder, name), 'utf8')
      await rm(join(folder, name))
      return text.trim().split('\n').length
    }
    expect(await lines({ folder }, 'error')).toEqual([''])
    expect(await written()).toBe(2)
    expect(await lines({ folder, level: 'debug' }, 'error')).toEqual([''])
    expect(await written()).toBe(3)
    // What the configuration says goes before what the command would like.
    expect(await lines({ folder, console_level: 'debug' }, 'error')).toHaveLength(3)
    expect(await written()).toBe(2)
    await rm(folder, { recursive: true })
  })
})
