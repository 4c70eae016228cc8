// The question before something that cannot be taken back.
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { confirm } from '../../src/cli/confirm.ts'
import type { Io } from '../../src/cli/io.ts'
import { errorMessage } from '../../src/cli/messages.ts'

function asked(answer: string, isInteractive = true) {
  const stdin = new PassThrough()
  const stderr = new PassThrough()
  stdin.end(`${answer}\n`)
  const io: Io = {
    stdin,
    stdout: new PassThrough(),
    stderr,
    env: {},
    cwd: '/',
    pid: 1,
    isTerminal: true,
    isInteractive,
    signal: new AbortController().signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  }
  return { io, shown: () => String(stderr.read()) }
}

test.each(['y', 'Y', 'yes', ' YES '])('%o goes on', async (answer) => {
  const { io, shown } = asked(answer)
  await confirm(io, 'Really?', false)
  expect(shown()).toContain('Really? [y/N]')
})

test.each(['', 'n', 'yep', 'no'])('%o does not', async (answer) => {
  await expect(confirm(asked(answer).io, 'Really?', false)).rejects.toThrow('not done')
})

test('an input that ends without an answer does not, and nobody waits', async () => {
  const { io } = asked('y')
  const stdin = new PassThrough()
  stdin.end()
  await expect(confirm({ ...io, stdin }, 'Really?', false)).rejects.toThrow('not done')
})

test('nor does the end of the process', async () => {
  const { io } = asked('y')
  const ending = new AbortController()
  const waiting = confirm({ ...io, stdin: new PassThrough(), signal: ending.signal }, 'Really?', false)
  ending.abort()
  await expect(waiting).rejects.toThrow('not done')
})

test('Ctrl-C at a terminal ends the command as a signal would', async () => {
  const { io } = asked('y')
  const stdin = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  const waiting = confirm({ ...io, stdin, stderr }, 'Really?', false)
  stdin.write('\u0003')
  const error: unknown = await waiting.catch((one: unknown) => one)
  expect(errorMessage(error)).toEqual({
    lines: ['interrupted, not done', 'Nothing was changed.'],
    exitCode: 130,
  })
})

test('without a terminal only --yes says yes', async () => {
  const { io } = asked('y', false)
  await expect(confirm(io, 'Really?', false)).rejects.toThrow('standard input is not a terminal')
  await confirm(io, 'Really?', true)
})
