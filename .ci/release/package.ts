// Packs what is installed from a registry. The bundle holds all packages but one, so that the published package.json asks for
// that one alone; the licences of the others come along in one file.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** As in rolldown.config.js. */
const NOT_BUNDLED = 'better-sqlite3'
const LICENCE_FILE = /^(licen[cs]e|notice|copying)/i
const LICENCES = 'THIRD-PARTY-LICENSES.txt'

/** Of no use to those who install it. */
const LEFT_OUT = new Set(['private', 'scripts', 'devDependencies', 'optionalDependencies'])

interface Locked {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

const isUsed = ({ dev, optional, devOptional }: Locked): boolean => !(dev ?? optional ?? devOptional ?? false)

/**
 * What the program consists of, as CycloneDX. `npm sbom --omit dev` leaves out every package that a development package
 * needs as well, so it is asked in a folder where there are no others.
 */
export function sbomOf(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'contact-sync-sbom-'))
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, unknown>
  const without = (manifest: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(manifest).filter(([name]) => !LEFT_OUT.has(name)))
  try {
    const lock = read('package-lock.json')
    const packages = Object.entries(lock['packages'] as Readonly<Record<string, Locked>>)
      .filter(([, locked]) => isUsed(locked))
      .map(([path, locked]) => [path, path === '' ? without({ ...locked }) : locked] as const)
    const write = (file: string, value: unknown) => writeFileSync(join(folder, file), JSON.stringify(value))
    write('package.json', without(read('package.json')))
    write('package-lock.json', { ...lock, packages: Object.fromEntries(packages) })
    const args = ['sbom', '--loglevel=error', '--package-lock-only', '--sbom-format=cyclonedx']
    return execFileSync('npm', args, { cwd: folder, maxBuffer: 1 << 28 }).toString()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Every package that is part of the bundle, with its licence as it came. */
function licenceTexts(root: string): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>
  }
  const parts = Object.entries(lock.packages).flatMap(([path, locked]) => {
    const folder = join(root, path)
    if (path === '' || !isUsed(locked)) return []
    const { version = '', license = 'see its text' } = locked
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => LICENCE_FILE.test(file)) : []
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
    const name = path.replace(/^.*node_modules\//, '')
    return [`${name} ${version} (${license})\n\n${texts.join('\n\n')}`.trim()]
  })
  return `${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

function publishedManifest(text: string): string {
  const manifest = JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> }
  const kept = Object.entries(manifest).filter(([name]) => !LEFT_OUT.has(name))
  const dependencies = { [NOT_BUNDLED]: manifest.dependencies[NOT_BUNDLED] }
  return `${JSON.stringify({ ...Object.fromEntries(kept), dependencies }, null, 2)}\n`
}

const npmPack = (folder: string, to: string): string =>
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', to], { cwd: folder })
    .toString()
    .trim()

/** Packs a built checkout into the folder; the name of the file. */
export function packInto(folder: string, root: string): string {
  const work = mkdtempSync(join(tmpdir(), 'contact-sync-pack-'))
  try {
    const whole = npmPack(root, work)
    execFileSync('tar', ['-xzf', whole], { cwd: work })
    const staged = join(work, 'package')
    const manifest = join(staged, 'package.json')
    writeFileSync(manifest, publishedManifest(readFileSync(manifest, 'utf8')))
    writeFileSync(join(staged, LICENCES), licenceTexts(root))
    return npmPack(staged, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
