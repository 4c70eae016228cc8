// Commands for the contract of sources, within this process.
import { Readable, PassThrough } from 'node:stream'
import { runCommandLine } from '../../src/cli/program.ts'

export { MAIN } from './cli.ts'

export async function commandIn(
  args: readonly string[],
  folder: string,
): Promise<{ code: number; stdout: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const code = await runCommandLine([...args], {
    ...{ stdin: Readable.from([]), stdout, stderr, cwd: folder, pid: process.pid, env: {} },
    ...{ isTerminal: false, isInteractive: false },
    signal: new AbortController().signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  })
  return { code, stdout: String(stdout.read() ?? '') }
}
