// What must hold of a finished image: `node check.ts ROOT IMAGE.json`. It is run as an engine runs it; the service is a
// sandbox on the host's loopback.
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { ended, inImage, processOne, readImageConfig, type Image } from './in-image.ts'

const [root = '', inspected = ''] = process.argv.slice(2)
const USER = 10_001
const LARGEST_MB = 155
const KEY = 'container-key'
const TOKEN = 'container-token-8b1f'

const folder = mkdtempSync(join(tmpdir(), 'container-'))
const image: Image = { root, folder, config: readImageConfig(inspected) }
const sandbox = await startSandbox({ port: 0, apiKey: KEY, clock: systemClock })

/** The daemon's key comes from a mounted file, its token from a variable. */
const configuration = (key: string): string => `
service: { base_url: "${sandbox.url}", ${key} }
state: { path: /state/contact-sync.db }
log: { folder: /state/logs }
server: { port: 0, token: "\${CONTACT_SYNC_TOKEN}" }
pipelines:
  shop:
    schedule: "* * * * * *"
    source: { type: csv, folder: /state/inbox, settle: 0s }
    map: { mail: mail }
`

function check(what: string, holds: boolean, details?: unknown): void {
  if (!holds) throw new Error(`not so: ${what}${details === undefined ? '' : `\n${JSON.stringify(details)}`}`)
  process.stdout.write(`  ${what}\n`)
}

function drop(name: string, text: string): void {
  const path = join(folder, 'state', 'inbox', name)
  writeFileSync(path, text)
  chownSync(path, USER, USER)
}

function prepare(): void {
  for (const name of ['state', 'state/inbox', 'config', 'secrets']) mkdirSync(join(folder, name))
  for (const name of ['state', 'state/inbox']) chownSync(join(folder, name), USER, USER)
  const put = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  put('config/contact-sync.yaml', configuration('api_key_file: /run/secrets/api_key'))
  put('config/by-variable.yaml', configuration('api_key: "${CONTACT_SYNC_API_KEY}"'))
  put('secrets/api_key', `${KEY}\n`)
  chownSync(join(folder, 'secrets/api_key'), USER, USER)
  chmodSync(join(folder, 'secrets/api_key'), 0o400)
  drop('a.csv', 'mail\nanna@example.com\n')
}

const SHELLS = [
  'sh',
  'bash',
  'dash',
  'busybox',
  'apt',
  'dpkg',
  'npm',
  'npx',
  'yarn',
  'corepack',
  'curl',
  'wget',
  'perl',
]

function checkWhatIsInIt(): void {
  const { User, Entrypoint, StopSignal, Volumes, Healthcheck, Labels } = image.config
  check('user 10001', User === '10001:10001')
  check('exec-form entry', Entrypoint.join(' ') === 'node /app/dist/main.js')
  check('STOPSIGNAL', StopSignal === 'SIGTERM')
  check('one volume', Object.keys(Volumes).join() === '/state')
  check('exec-form HEALTHCHECK', Healthcheck.Test[0] === 'CMD' && Healthcheck.Test[1] === 'node')
  check(
    'labels',
    ['title', 'version', 'revision'].every((name) => `org.opencontainers.image.${name}` in Labels),
  )
  const files = globSync('**/*', { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile())
  const shells = files.filter(({ name }) => SHELLS.includes(name))
  check('no shell, package manager or download tool', shells.length === 0, shells)
  const native = files.map(({ name }) => name).filter((name) => name.endsWith('.node'))
  check('one native library', native.join() === `linux-${process.arch}.node`, native)
  const idle = files.filter(({ name }) => /\.(map|ts|test\.js)$/.test(name))
  check('no types, maps or tests', idle.length === 0, idle.slice(0, 5))
  const setUser = files.filter((entry) => (statSync(join(entry.parentPath, entry.name)).mode & 0o6002) !== 0)
  check('nothing that sets its user, and nothing that others may write', setUser.length === 0, setUser)
  const megabytes =
    files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6
  check(`${megabytes.toFixed(1)} MB, at most ${LARGEST_MB}`, megabytes <= LARGEST_MB)
  check(
    'scanners are told whose the libraries are',
    readdirSync(join(root, 'var/lib/dpkg/status.d')).includes('libc6'),
  )
}

/** Every chunk of the program, with what it imports lazily or not. What starts something is none of them. */
const chunks = (): string[] => globSync('app/dist/*.mjs', { cwd: root }).map((path) => `/${path}`)

const node = (code: string) => ended(inImage(image, ['node', '--input-type=module', '-e', code]))

async function checkThatItLoads(): Promise<void> {
  const all = chunks()
  const { code: exit, stderr } = await node(`for (const chunk of ${JSON.stringify(all)}) await import(chunk)`)
  check(`${all.length} chunks load`, exit === 0 && all.length > 10, stderr)
  const demo = await ended(inImage(image, [...image.config.Entrypoint, 'demo']))
  check('the demo runs', demo.code === 0, demo)
  const write = await node(
    "import fs from 'node:fs'; try { fs.writeFileSync('/app/x', '') } catch (e) { console.log(e.code) }",
  )
  check('the root is read-only', write.stdout.trim() === 'EROFS', write)
}

const health = (port: string) => ended(inImage(image, image.config.Healthcheck.Test.slice(1), { PORT: port }))

async function checkTheDaemon(): Promise<void> {
  const daemon = inImage(image, [...image.config.Entrypoint, ...image.config.Cmd], {
    CONTACT_SYNC_TOKEN: TOKEN,
  })
  const end = ended(daemon)
  const text = await told(daemon, [/daemon started/, /"created":1/])
  const port = /"port":(\d+)/.exec(text)?.[1] ?? ''
  check('the healthcheck says healthy', (await health(port)).code === 0)
  const headers = { authorization: `Bearer ${TOKEN}` }
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`, { headers })
  check('metrics, by the token from a variable', (await metrics.text()).includes('contact_sync_'))
  check('ready', (await fetch(`http://127.0.0.1:${port}/readyz`)).ok)
  check(
    'the contact is at the service, by the key from the mounted file',
    sandbox.requests().some(({ method, status }) => method === 'POST' && status === 200),
  )
  check('the file was moved away', readdirSync(join(folder, 'state', 'inbox', 'processed')).length === 1)
  const variables = { CONTACT_SYNC_TOKEN: TOKEN, CONTACT_SYNC_API_KEY: KEY }
  const status = await ended(inImage(image, [...image.config.Entrypoint, 'status', '--json'], variables))
  const short = await ended(inImage(image, ['/usr/local/bin/contact-sync', 'status', '--json'], variables))
  check(
    'contact-sync is in the PATH',
    short.code === 0 && image.config.Env.includes('PATH=/usr/local/bin'),
    short,
  )
  check('commands work beside it', status.code === 0 && status.stdout.includes('"shop"'), status)
  const stopped = performance.now()
  process.kill(processOne(daemon), 'SIGTERM')
  check('ended by SIGTERM with 143', (await end).code === 143)
  check('within ten seconds', performance.now() - stopped < 10_000)
  check('the healthcheck says so when nobody answers', (await health(port)).code === 1)
}

async function checkASingleRun(): Promise<void> {
  drop('b.csv', 'mail\nbert@example.com\n')
  const options = ['run', '--json', '--config', '/config/by-variable.yaml']
  const variables = { CONTACT_SYNC_TOKEN: TOKEN, CONTACT_SYNC_API_KEY: KEY }
  const run = await ended(inImage(image, [...image.config.Entrypoint, ...options], variables))
  check('a single run, by the key from a variable', run.code === 0 && run.stdout.includes('"created":1'), run)
}

function checkWhatIsLeft(): void {
  const files = globSync('**/*', { cwd: join(folder, 'state'), withFileTypes: true })
  const stats = files.map((entry) => ({ path: join(entry.parentPath, entry.name), name: entry.name }))
  check(
    'all that was written is its own',
    stats.every(({ path }) => statSync(path).uid === USER),
  )
  const open = stats.filter(({ path }) => (statSync(path).mode & 0o007) !== 0).map(({ name }) => name)
  check('the state is for its owner alone', !open.includes('contact-sync.db'), open)
  const temporary = stats.filter(({ path }) => basename(path).startsWith('etilqs_'))
  check('no temporary file is left', temporary.length === 0, temporary)
}

/** Resolves with what standard error holds once all patterns have come. */
function told(child: ReturnType<typeof inImage>, patterns: readonly RegExp[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    if (patterns.every((pattern) => pattern.test(text))) resolve(text)
  })
  child.once('close', (code) => reject(new Error(`ended with ${String(code)}:\n${text}`)))
  return promise
}

try {
  prepare()
  checkWhatIsInIt()
  await checkThatItLoads()
  await checkTheDaemon()
  await checkASingleRun()
  checkWhatIsLeft()
} finally {
  await sandbox.close()
  rmSync(folder, { recursive: true })
}
