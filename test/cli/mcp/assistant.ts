// The other end of `mcp`: calls tools over the protocol, line by line, as an assistant's program does.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { runCommandLine } from '../../../src/cli/program.ts'
import type { Place } from '../../support/in-process.ts'

export interface Answer {
  readonly command: string
  readonly exit_code: number
  readonly answer: Record<string, unknown>
  readonly messages: readonly string[]
}

interface Reply {
  readonly result?: {
    readonly isError?: boolean
    readonly content?: readonly { readonly text: string }[]
    readonly tools?: readonly { readonly name: string; readonly annotations: Record<string, boolean> }[]
  }
  readonly error?: { readonly message: string }
}

export interface Assistant {
  readonly tools: NonNullable<NonNullable<Reply['result']>['tools']>
  /** The text of the answer as it came. */
  text(tool: string, input?: Record<string, unknown>): Promise<string>
  call(tool: string, input?: Record<string, unknown>): Promise<Answer>
  /** Calls a tool whose answer is not read; gives what cancels it. */
  begin(tool: string, input?: Record<string, unknown>): () => void
  /** Ends standard input, and gives the exit code. */
  close(): Promise<number>
}

export async function openAssistant(
  place: Place,
  { env, args = [] }: { env: Record<string, string>; args?: readonly string[] },
): Promise<Assistant> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const ended = runCommandLine(['mcp', '--config', place.path('config.yaml'), ...args], {
    ...{ stdin, stdout, stderr, env, cwd: place.folder, pid: process.pid },
    ...{ isTerminal: false, isInteractive: false, onHangup: () => undefined, outlastReader: () => undefined },
    signal: new AbortController().signal,
  })
  const lines = createInterface({ input: stdout })
  let id = 0
  function send(message: Record<string, unknown>): void {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  async function ask(method: string, params: unknown): Promise<Reply> {
    id += 1
    send({ id, method, params })
    const [line] = (await once(lines, 'line')) as [string]
    return JSON.parse(line) as Reply
  }
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  const { result } = await ask('tools/list', {})
  const text = async (tool: string, input: Record<string, unknown> = {}): Promise<string> => {
    const reply = await ask('tools/call', { name: tool, arguments: input })
    return reply.result?.content?.[0]?.text ?? reply.error?.message ?? ''
  }
  return {
    tools: result?.tools ?? [],
    text,
    call: async (tool, input) => JSON.parse(await text(tool, input)) as Answer,
    begin(tool, input = {}) {
      const requestId = (id += 1)
      send({ id: requestId, method: 'tools/call', params: { name: tool, arguments: input } })
      return () => send({ method: 'notifications/cancelled', params: { requestId } })
    },
    async close() {
      stdin.end()
      return ended
    },
  }
}
