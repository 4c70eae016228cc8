// Gathers what the finished image has beside the program: `node runtime.ts FOLDER`. Node itself, the shared libraries
// that it has loaded, who they are from (so that scanners can tell), and an account without a shell. Nothing else of
// the base comes along: no shell, no package manager, no npm.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'

const [target = ''] = process.argv.slice(2)
const ACCOUNT = 10_001

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(target, path)), { recursive: true })
  writeFileSync(join(target, path), text)
}

/** To the same place; what a link points to instead of the link. */
function take(path: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true })
  cpSync(realpathSync(path), join(target, path))
}

/** Absolute paths of the libraries of the system that this very process has loaded, the loader among them. */
function libraries(): string[] {
  // The driver's own library needs some that Node itself may not.
  new Database(':memory:').close()
  const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] }
  return sharedObjects.filter((path) => /^\/(usr\/)?lib(64)?\//.test(path))
}

const DPKG = '/var/lib/dpkg'

/** The Debian packages that these files belong to. */
function owners(files: readonly string[]): string[] {
  const wanted = new Set(files.map((path) => realpathSync(path)))
  const names = new Set([...files, ...wanted].map((path) => basename(path)))
  const owns = (list: string): boolean =>
    readFileSync(join(DPKG, 'info', list), 'utf8')
      .split('\n')
      .some((path) => names.has(basename(path)) && existsSync(path) && wanted.has(realpathSync(path)))
  return readdirSync(join(DPKG, 'info'))
    .filter((name) => name.endsWith('.list'))
    .filter(owns)
    .map((name) => name.replace(/(:[a-z0-9]+)?\.list$/, ''))
}

/** Their entries, one file each: the form in which scanners look for them in images without a package manager. */
function nameOwners(files: readonly string[]): void {
  const status = readFileSync(join(DPKG, 'status'), 'utf8').split('\n\n')
  for (const name of owners(files)) {
    const entry = status.find((text) => text.startsWith(`Package: ${name}\n`))
    if (entry === undefined) throw new Error(`${name} is not in ${DPKG}/status`)
    put(join(DPKG, 'status.d', name), `${entry.trimEnd()}\n`)
    const copyright = `/usr/share/doc/${name}/copyright`
    if (existsSync(copyright)) take(copyright)
  }
}

const found = libraries()
if (!found.some((path) => basename(path).startsWith('libc.so'))) throw new Error('this base has no glibc')
found.forEach(take)
nameOwners(found)
take(process.execPath)
for (const path of ['/etc/os-release', '/etc/nsswitch.conf', '/usr/local/LICENSE'])
  if (existsSync(path)) take(path)
put(
  'etc/passwd',
  `root:x:0:0:root:/:/nonexistent\ncontact-sync:x:${ACCOUNT}:${ACCOUNT}::/state:/nonexistent\n`,
)
put('etc/group', `root:x:0:\ncontact-sync:x:${ACCOUNT}:\n`)
// `contact-sync` for commands beside the daemon. Without a shell and env it has to name its Node.
const command = '/usr/local/bin/contact-sync'
put(command, `#!${process.execPath}\nimport('/app/dist/main.js')\n`)
chmodSync(join(target, command), 0o755)
process.stdout.write(`runtime: ${process.version}, ${found.map((path) => basename(path)).join(' ')}\n`)
