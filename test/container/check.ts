// Runs the program out of an image's file system, as the image would be run: `node check.ts ROOT`.
// Its own mount namespace, the root read-only, user 10001, two writable folders; a sandbox on the host's loopback.
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'

const [root = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'container-'))
const sandbox = await startSandbox({ port: 0, apiKey: 'container-key', clock: systemClock })

const CONFIGURATION = `
service: { base_url: "${sandbox.url}", api_key_file: /config/key }
state: { path: /state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
    schedule: "* * * * * *"
    source: { type: csv, folder: /state/inbox, settle: 0s }
    map: { mail: mail }
`

/** What an engine does for `--read-only`: the image's root as it is, without the right to write to it. */
const SCRIPT = `
set -e
mount --bind "$1" "$1"
mount --bind "$2/state" "$1/state"
mount --bind "$2/config" "$1/config"
mount -o remount,bind,ro "$1/config"
mount -o remount,bind,ro "$1"
mount -t tmpfs tmpfs "$1/tmp"
mount --rbind /dev "$1/dev"
exec chroot --userspec=10001:10001 "$1" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin CONTACT_SYNC_CONFIG=/config/contact-sync.yaml node /app/dist/main.js "$3"
`

function inImage(command: string): ChildProcess {
  return spawn(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', SCRIPT, 'sh', root, folder, command],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
}

function prepare(): void {
  for (const name of ['state', 'state/inbox', 'config']) {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), 10_001, 10_001)
  }
  writeFileSync(join(folder, 'config', 'contact-sync.yaml'), CONFIGURATION)
  writeFileSync(join(folder, 'config', 'key'), 'container-key\n')
  writeFileSync(join(folder, 'state', 'inbox', 'a.csv'), 'mail\nanna@example.com\n')
  chownSync(join(folder, 'state', 'inbox', 'a.csv'), 10_001, 10_001)
}

/** Resolves with what standard error holds once all patterns have come. */
function told(child: ChildProcess, patterns: readonly RegExp[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    if (patterns.every((pattern) => pattern.test(text))) resolve(text)
  })
  child.once('close', (code) => reject(new Error(`ended with ${String(code)}:\n${text}`)))
  return promise
}

function check(what: string, holds: boolean): void {
  if (!holds) throw new Error(`not so: ${what}`)
  process.stdout.write(`  ${what}\n`)
}

try {
  prepare()
  const daemon = inImage('start')
  const ended = new Promise<number | null>((resolve) => daemon.once('close', resolve))
  const text = await told(daemon, [/daemon started/, /"created":1/])
  const port = /"port":(\d+)/.exec(text)?.[1] ?? ''
  check('healthy', (await fetch(`http://127.0.0.1:${port}/healthz`)).ok)
  check('ready', (await fetch(`http://127.0.0.1:${port}/readyz`)).ok)
  check(
    'the contact is at the service',
    sandbox.requests().some(({ method, status }) => method === 'POST' && status === 200),
  )
  check('the file was moved away', readdirSync(join(folder, 'state', 'inbox', 'processed')).length === 1)
  const stopped = performance.now()
  daemon.kill('SIGTERM')
  check('ended by SIGTERM with 143', (await ended) === 143)
  check('within ten seconds', performance.now() - stopped < 10_000)
} finally {
  await sandbox.close()
  rmSync(folder, { recursive: true })
}
