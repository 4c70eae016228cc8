// `sandbox` on the command line: its help names every habit, and what is typed is what is served.
import { once } from 'node:events'
import { Readable, PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { typedName } from '../../src/sandbox/habit-text.ts'
import { HABITS } from '../../src/sandbox/habits.ts'

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
