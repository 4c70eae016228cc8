// Makes a release: `npm run release -- minor [--dry-run] [--out FOLDER] [--image docker|podman]`.
// In a copy of HEAD it raises the version, dates the changelog, builds, packs, and writes an SBOM and checksums into FOLDER.
// Then, unless it is a dry run, it commits and tags the checkout. It publishes nothing: its last lines say how that is done.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packInto, sbomOf } from './package.ts'
import { datedChangelog, nextVersion, VERSION_PLACES, withOwnVersion, withVersion } from './texts.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SUMS = 'SHA256SUMS'

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const text = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8')

function run(cwd: string, command: string, ...args: readonly string[]): string {
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` }
  return execFileSync(command, args, { cwd, env, maxBuffer: 1 << 28 }).toString()
}

/** Every file that a release changes, with what it becomes. */
function changedFiles(from: string, to: string, date: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of ['package.json', 'package-lock.json'])
    files.set(file, withOwnVersion(text(ROOT, file), to))
  files.set('CHANGELOG.md', datedChangelog(text(ROOT, 'CHANGELOG.md'), to, date))
  for (const [file, before] of Object.entries(VERSION_PLACES))
    files.set(file, withVersion(text(ROOT, file), before, { from, to }))
  return files
}

const write = (root: string, files: ReadonlyMap<string, string>): void => {
  for (const [file, content] of files) writeFileSync(join(root, file), content)
}

/** HEAD with the changes, and the packages that are installed in the checkout. */
function copyOfHead(folder: string, files: ReadonlyMap<string, string>): void {
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: ROOT, maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  write(folder, files)
}

function saveImage(engine: string, copy: string, { version, out }: { version: string; out: string }): void {
  const name = `contact-sync:${version}`
  const revision = run(ROOT, 'git', 'rev-parse', 'HEAD').trim()
  run(
    copy,
    engine,
    'build',
    '--build-arg',
    `VERSION=${version}`,
    '--build-arg',
    `REVISION=${revision}`,
    '-t',
    name,
    '.',
  )
  run(copy, engine, 'save', '-o', join(out, `contact-sync-${version}-image.tar`), name)
}

function writeSums(out: string): void {
  const lines = readdirSync(out)
    .filter((file) => file !== SUMS)
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(out, file)))
          .digest('hex')}  ${file}`,
    )
  writeFileSync(join(out, SUMS), `${lines.join('\n')}\n`)
}

function makeArtifacts(
  copy: string,
  { version, out, image }: { version: string; out: string; image?: string },
): void {
  run(copy, 'rolldown', '--config')
  const tarball = packInto(out, copy)
  if (tarball !== `contact-sync-${version}.tgz`) throw new Error(`packed as ${tarball}`)
  writeFileSync(join(out, `contact-sync-${version}.cdx.json`), sbomOf(copy))
  if (image !== undefined) saveImage(image, copy, { version, out })
  writeSums(out)
}

function release(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean' },
      out: { type: 'string', default: 'release' },
      image: { type: 'string' },
    },
  })
  const [asked, ...more] = positionals
  if (asked === undefined || more.length > 0) throw new Error('which version? major, minor, patch, or 1.2.3')
  const out = resolve(values.out)
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty`)
  const isDry = values['dry-run'] === true
  const state = run(ROOT, 'git', 'status', '--porcelain').trim()
  if (!isDry && state !== '') throw new Error(`the checkout has changes that are not committed:\n${state}`)
  const { version: present } = JSON.parse(text(ROOT, 'package.json')) as { version: string }
  const version = nextVersion(asked, present)
  if (run(ROOT, 'git', 'tag', '--list', `v${version}`).trim() !== '')
    throw new Error(`there is a tag v${version} already`)
  const files = changedFiles(present, version, new Date().toISOString().slice(0, 10))
  mkdirSync(out, { recursive: true })
  const copy = mkdtempSync(join(tmpdir(), 'contact-sync-release-'))
  try {
    copyOfHead(copy, files)
    makeArtifacts(copy, { version, out, ...(values.image === undefined ? {} : { image: values.image }) })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
  print(`contact-sync ${version} in ${out}:`)
  for (const line of text(out, SUMS).trim().split('\n')) print(`  ${line}`)
  if (isDry) {
    print(`dry run: nothing was committed or tagged; a release changes ${[...files.keys()].join(', ')}`)
    return
  }
  write(ROOT, files)
  run(ROOT, 'git', 'commit', '-q', '-m', `chore(release): ${version}`, '--', ...files.keys())
  run(ROOT, 'git', 'tag', '-a', `v${version}`, '-m', `contact-sync ${version}`)
  print(`committed and tagged v${version}. To publish it:`)
  print('  git push --follow-tags')
  print(`  npm publish ${join(out, `contact-sync-${version}.tgz`)}`)
}

try {
  release()
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
