// Commands that a signal ends before their work is done: what they say of what was not done.
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { openPlace, type Place } from '../support/in-process.ts'

let place: Place
beforeEach(async () => {
  place = await openPlace()
  await place.write('in/a.csv', 'Mail\nann@example.org\n')
  const pipeline = '{ source: { type: csv, folder: in, settle: 0s }, map: { mail: Mail } }'
  await place.write(
    'config.yaml',
    `
service: { base_url: "http://127.0.0.1:9", api_key: "\${THE_KEY}" }
state: { path: contact-sync.db }
pipelines:
  shop: ${pipeline}
  crm: ${pipeline.replace('folder: in', 'folder: in/crm')}
`,
  )
})
afterEach(() => place.close())

/** With a signal that came while the program was loaded. */
async function ended(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  await runCommandLine([...args, '--config', place.path('config.yaml')], {
    ...{ stdin: Readable.from([]), stdout, stderr, env: { THE_KEY: 'k3y-of-the-service' } },
    ...{ cwd: place.folder, pid: process.pid, isTerminal: false, isInteractive: false },
    signal: AbortSignal.abort(),
    onHangup: () => undefined,
    outlastReader: () => undefined,
  })
  return { stdout: String(stdout.read()), stderr: String(stderr.read()) }
}

it('a run that a signal kept from beginning is no success, and names what was not run', async () => {
  const { stdout, stderr } = await ended('run', '--json')
  const error = 'ended by a signal; not run: shop, crm'
  expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', pipelines: [], error })
  expect(stderr).toBe(`${error}\n`)
})

it('a plan that a signal ended does not say that its file was changed', async () => {
  const { stdout } = await ended('plan', 'shop', '--json')
  const { pipelines } = JSON.parse(stdout) as { pipelines: [{ files: object[] }] }
  expect(pipelines[0].files).toMatchObject([
    {
      error: 'a.csv: the run was stopped while the file was read',
      hint: 'The next run reads it from its beginning.',
    },
  ])
})
