// `sandbox` on the command line: its help names every habit, and what is typed is what is served.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { typedName } from '../../src/sandbox/habit-text.ts'
import { HABITS } from '../../src/sandbox/habits.ts'
import { MAIN } from '../support/cli.ts'

function line(...args: string[]) {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const ending = new AbortController()
  const io = {
    stdin: Readable.from([]),
    isInteractive: false,
    stdout,
    stderr,
    env: {},
    cwd: '/',
    pid: 1,
    isTerminal: false,
    signal: ending.signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  }
  return { stdout, stderr, end: () => ending.abort(), code: runCommandLine(args, io) }
}

it('its help lists every habit with its values and meaning', async () => {
  const { code, stdout } = line('sandbox', '--help')
  expect(await code).toBe(0)
  const help = String(stdout.read())
  for (const [name, { values, help: meaning }] of Object.entries(HABITS)) {
    expect(help).toContain(`  ${typedName(name)}=${values.join('|')}\n`)
    expect(help).toContain(meaning)
  }
})

it('the help of other commands says nothing of them', async () => {
  const { code, stdout } = line('plan', '--help')
  expect(await code).toBe(0)
  expect(String(stdout.read())).not.toContain('error-body')
})

it('what is typed is what is served', async () => {
  const { code, stdout, end } = line(
    ...['sandbox', '--port', '0', '--json'],
    ...['--habit', 'ids-as-text', '--habit', 'lists=keyed'],
  )
  const [said] = (await once(stdout, 'data')) as [Buffer]
  const { base_url } = JSON.parse(said.toString()) as { base_url: string }
  const answer = await fetch(`${base_url}/public/api/V1/custom-fields?limit=1`, {
    headers: { authorization: 'Bearer sandbox-key' },
  })
  expect(await answer.json()).toMatchObject({ '0': { field_id: '1' } })
  end()
  expect(await code).toBe(0)
})

it.each([
  ['id-as-text', 'there is no habit "id-as-text"; did you mean ids-as-text?'],
  ['lists=keyd', 'cannot be "keyd"; did you mean keyed?\nAllowed: array, keyed, keyed-with-gaps.'],
])('--habit %s ends with 2, the nearest and what is allowed', async (habit, message) => {
  const { code, stderr } = line('sandbox', '--port', '0', '--habit', habit)
  expect(await code).toBe(2)
  expect(String(stderr.read())).toContain(message)
})

interface Begun {
  readonly base_url: string
  readonly ca_file: string
  readonly fingerprint: string
}

async function begun(stdout: PassThrough): Promise<Begun> {
  const [printed] = (await once(stdout, 'data')) as [Buffer]
  return JSON.parse(printed.toString()) as Begun
}

const status = (url: string, ca: string): Promise<number | undefined> =>
  new Promise((done, failed) =>
    get(url, { ca, agent: false }, (answer) => {
      answer.resume()
      done(answer.statusCode)
    }).once('error', failed),
  )

describe('--tls', () => {
  it('answers those who trust its certificate, which goes with it', async () => {
    const { code, stdout, end } = line('sandbox', '--port', '0', '--json', '--tls')
    const { base_url, ca_file, fingerprint } = await begun(stdout)
    expect(base_url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(fingerprint).toMatch(/^([\dA-F]{2}:){31}[\dA-F]{2}$/)
    const ca = readFileSync(ca_file, 'utf8')
    expect(ca).not.toContain('PRIVATE KEY')
    expect(await status(`${base_url}/openapi.json`, ca)).toBe(200)
    expect(await status(`${base_url.replace('127.0.0.1', 'localhost')}/openapi.json`, ca)).toBe(200)
    await expect(fetch(`${base_url}/openapi.json`)).rejects.toThrow('fetch failed')
    end()
    expect(await code).toBe(0)
    expect(existsSync(ca_file)).toBe(false)
  })

  it('the program takes it by NODE_EXTRA_CA_CERTS, and says what is wrong without', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-tls-'))
    const file = join(folder, 'ca.pem')
    const { code, stdout, end } = line('sandbox', '--port', '0', '--json', '--tls', '--ca-file', file)
    const { base_url, ca_file } = await begun(stdout)
    expect(ca_file).toBe(file)
    const source = { type: 'csv', folder: 'in' }
    const config = {
      service: { base_url, api_key: '${KEY}' },
      state: { path: 'state.db' },
      pipelines: { people: { source, map: { mail: 'mail' } } },
    }
    mkdirSync(join(folder, 'in'))
    writeFileSync(join(folder, 'c.yaml'), JSON.stringify(config))
    const check = (more: Readonly<Record<string, string>>) =>
      new Promise<{ code: number | null; text: string }>((done) => {
        const env = { PATH: process.env['PATH'], KEY: 'sandbox-key', ...more }
        const child = execFile(
          process.execPath,
          [MAIN, 'check', '--config', join(folder, 'c.yaml')],
          { env },
          (_, out, problems) => done({ code: child.exitCode, text: out + problems }),
        )
      })
    expect(await check({ NODE_EXTRA_CA_CERTS: file })).toMatchObject({ code: 0 })
    const refused = await check({})
    expect(refused).toMatchObject({ code: 5, text: expect.stringContaining('SELF_SIGNED_CERT') as string })
    end()
    expect(await code).toBe(0)
    expect(existsSync(file)).toBe(true)
    rmSync(folder, { recursive: true })
  })

  it('a person is told where the certificate is, and how it is trusted', async () => {
    const { code, stdout, end } = line('sandbox', '--port', '0', '--tls')
    const printed: string[] = []
    stdout.on('data', (part: Buffer) => {
      printed.push(part.toString())
      if (part.toString().includes('NODE_EXTRA_CA_CERTS')) end()
    })
    expect(await code).toBe(0)
    expect(printed.join('')).toMatch(
      /^certificate: (\S+)\n {2}SHA-256 [\dA-F:]{95}\n {2}so that contact-sync trusts it: export NODE_EXTRA_CA_CERTS=\1\n/m,
    )
  })

  it.each([
    [['--ca-file', 'x.pem'], '--ca-file needs --tls'],
    [['--tls', '--ca-file', '/does/not/exist/x.pem'], '/does/not/exist/x.pem cannot be written'],
  ])('%j ends with 2', async (args, message) => {
    const { code, stderr } = line('sandbox', '--port', '0', ...args)
    expect(await code).toBe(2)
    expect(String(stderr.read())).toContain(message)
  })
})
