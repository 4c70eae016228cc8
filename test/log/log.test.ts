import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLog } from '../../src/log/log.ts'
import { createRedaction } from '../../src/log/redact.ts'

const SECRET = 'p+a/ss "word"=1'

describe('redaction', () => {
  const redact = createRedaction([SECRET, 'abc'])
  it.each([
    ['as it is', SECRET],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64 without padding', Buffer.from(SECRET).toString('base64').replace(/=+$/, '')],
    ['as JSON writes it', JSON.stringify({ key: SECRET })],
  ])('masks a secret %s', (_, text) => {
    expect(redact(`before ${text} after`)).toMatch(/^before .*\[secret\].* after$/)
    expect(redact(text)).not.toContain(text.slice(2, -3))
  })
  it('leaves words alone that a short secret would hide', () => {
    expect(redact('abcdef')).toBe('abcdef')
  })
})

describe('the log', () => {
  const base = { level: 'info', folder: undefined, keepMs: 86_400_000 } as const

  async function lines(format: 'json' | 'pretty', folder?: string): Promise<string[]> {
    const stream = new PassThrough()
    const log = createLog({ ...base, format, folder }, { secrets: [SECRET], stream })
    log.with({ pipeline: 'shop' }).warn('something happened', { times: 3, text: `key ${SECRET}` })
    log.debug('not for this level')
    await log.close()
    return String(stream.read()).trim().split('\n')
  }

  it('writes one line an event, with fixed fields and without secrets', async () => {
    const [line, ...more] = await lines('json')
    expect(more).toEqual([])
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'warn',
      message: 'something happened',
      pipeline: 'shop',
      times: 3,
    })
    expect(line).not.toContain('word')
    expect((await lines('pretty'))[0]).toMatch(
      /^\S+Z WARN {2}something happened pipeline="shop" times=3 text="key \[secret\]"$/,
    )
  })

  it('keeps a file a day in its folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'))
    await lines('json', folder)
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('.log'))
    expect(name).toMatch(/^contact-sync-\d{4}-\d{2}-\d{2}\.log$/)
    const text = await readFile(join(folder, name ?? ''), 'utf8')
    expect(text).toContain('something happened')
    expect(text).not.toContain('word')
    await rm(folder, { recursive: true })
  })
})
