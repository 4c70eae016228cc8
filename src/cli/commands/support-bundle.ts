// `support-bundle`: one archive for support; its contents are listed before it is written.
import { open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { loadConfiguration } from '../../app/run/configuration.ts'
import { supportBundle } from '../../app/support-bundle.ts'
import { tarGz } from '../../app/tar.ts'
import { systemClock as clock } from '../../system.ts'
import { SyncError } from '../../core/words/errors.ts'
import { bytesText } from '../../core/words/format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { chosenAccount } from '../accounts/chosen.ts'
import { configFile } from '../config-file.ts'
import { VERSION } from '../../installation.ts'

interface BundleOptions extends CommonOptions {
  readonly list?: boolean
}

/** `20261121-140509`, in UTC. */
const stamp = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')

function notWritten(file: string, error: unknown): SyncError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const why = code === 'EEXIST' ? 'exists already, and is not replaced' : `cannot be written (${code})`
  return new SyncError('USAGE', `${file} ${why}`, { hint: 'Name another file.', cause: error })
}

/** What could not be written whole is removed: it would look like a bundle, and keep the next one from its place. */
async function write(file: string, content: Buffer): Promise<void> {
  const opened = await open(file, 'wx', 0o600).catch((error: unknown) => {
    throw notWritten(file, error)
  })
  try {
    await opened.writeFile(content)
    await opened.close()
  } catch (error) {
    await opened.close().catch(() => undefined)
    await rm(file, { force: true })
    throw notWritten(file, error)
  }
}

export async function bundle(io: Io, options: BundleOptions, [name]: string[]): Promise<number> {
  const at = clock.now()
  const folder = `contact-sync-support-${stamp(at)}`
  const file = resolve(io.cwd, name ?? `${folder}.tar.gz`)
  const loaded = await loadConfiguration(configFile(io, options), io.env)
  const of = loaded.ok ? { ...loaded, settings: chosenAccount(loaded, options) } : loaded
  const entries = await supportBundle(of, VERSION)
  const listed = entries.map((entry) => ({
    name: entry.name,
    bytes: Buffer.byteLength(entry.text),
    about: entry.about,
  }))
  if (options.json !== true)
    for (const one of listed) print(io, `${one.name} (${bytesText(one.bytes)}): ${one.about}`)
  const isListed = options.list === true
  const content = isListed
    ? undefined
    : await tarGz(
        entries.map((entry) => ({ ...entry, name: `${folder}/${entry.name}` })),
        at,
      )
  if (content !== undefined) await write(file, content)
  if (options.json === true)
    printJson(io, { file: isListed ? null : file, bytes: content?.length ?? 0, entries: listed })
  else if (content !== undefined)
    printError(
      io,
      `${file}: ${bytesText(content.length)}, readable by its owner only. Check its content before you send it: tar -xzOf ${file} | less`,
    )
  return 0
}
