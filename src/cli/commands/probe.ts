// `probe`: what the service does where its interface leaves it open, found with contacts that are deleted again.
import { writeFile } from 'node:fs/promises'
import { writeExport } from '../../app/export-file.ts'
import { probeOf, profileAsYaml } from '../../app/run/service/probing.ts'
import { outputFile } from '../../app/output-file.ts'
import { SyncError } from '../../core/words/errors.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { plural } from '../../core/words/format.ts'
import { PROBE_NAME, PROBE_REQUESTS, type ProbeResult } from '../../sync/probe.ts'
import { confirm } from '../confirm.ts'
import { configFile } from '../config-file.ts'
import { type CommonOptions, type Io, print, printError } from '../io.ts'
import { commandSettings } from '../settings.ts'

interface ProbeOptions extends CommonOptions {
  readonly address?: string
  readonly output?: string
  readonly yes?: boolean
}

const STANDARD_ADDRESS = 'contact-sync-probe@example.org'

function assertAddress(address: string): void {
  if (/^[A-Za-z0-9.+=-]{1,48}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(address)) return
  throw new SyncError('USAGE', `--address ${address} is not an e-mail address that can be numbered`, {
    hint: 'Write one of letters, digits, dots, + and -, as in you+probe@example.org.',
  })
}

function told({ requests, hasTerm, left, unread, stopped }: ProbeResult): readonly string[] {
  const what = { interrupted: 'interrupted', requests: 'no more requests were left' }
  return [
    `${plural(requests, 'request')} sent${hasTerm ? `; the term "${PROBE_NAME}" stays at the service` : ''}`,
    ...(stopped === undefined ? [] : [`${what[stopped]}: what was not looked at is unknown`]),
    ...(left.length === 0 ? [] : [`could not be deleted, delete at the service: contact ${left.join(', ')}`]),
    ...(unread.length === 0
      ? []
      : [`could not be looked up again: ${unread.join(', ')}; the next probe deletes contacts left there`]),
  ]
}

export async function probe(io: Io, options: ProbeOptions): Promise<number> {
  const { address = STANDARD_ADDRESS, output, yes = false, json = false } = options
  assertAddress(address)
  const settings = await commandSettings(io, options)
  const path =
    output === undefined
      ? undefined
      : outputFile(output, { cwd: io.cwd, settings, configurations: [configFile(io, options)], json })
  const { host } = new URL(settings.service.base_url)
  const question = `Create and delete three contacts at ${host}, with at most ${PROBE_REQUESTS} requests?`
  await confirm(io, question, yes)
  const result = await probeOf(settings, { address, signal: io.signal })
  const text = json ? `${JSON.stringify(result.profile)}\n` : profileAsYaml(result.profile)
  if (path === undefined || json) print(io, text.trimEnd().split('\n'))
  if (path !== undefined) {
    const { replaced } = await writeExport(path, (part) => writeFile(part, text))
    printError(io, `${output} ${replaced ? 'replaced' : 'written'}`)
  }
  printError(io, told(result))
  const isWhole = result.stopped === undefined && result.left.length === 0 && result.unread.length === 0
  return isWhole ? EXIT.done : EXIT.partial
}
