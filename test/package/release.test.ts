// A release, made in a copy of this checkout: what it changes, what it packs, and that it publishes nothing.
import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { datedChangelog, nextVersion, VERSION_PLACES, withVersion } from '../../.ci/release/texts.ts'

describe('the next version', () => {
  it.each([
    ['major', '1.2.3', '2.0.0'],
    ['minor', '1.2.3', '1.3.0'],
    ['patch', '1.2.3', '1.2.4'],
    ['1.2.3', '1.2.3', '1.2.3'],
    ['1.10.0', '1.9.9', '1.10.0'],
  ])('%s after %s is %s', (asked, present, next) => expect(nextVersion(asked, present)).toBe(next))

  it.each([
    ['1.2.2', '1.2.2 is older than 1.2.3'],
    ['0.9.9', '0.9.9 is older than 1.2.3'],
    ['next', 'next is no version: major, minor, patch, or three numbers like 1.2.3'],
    ['1.2', '1.2 is no version: major, minor, patch, or three numbers like 1.2.3'],
  ])('%s is refused', (asked, message) => expect(() => nextVersion(asked, '1.2.3')).toThrow(message))
})

describe('the changelog of a release', () => {
  const before =
    '# Changelog\n\n## [Unreleased]\n\nWhat will be 1.0.0.\n\n### Added\n\n- a\n\n## [0.9.0] - 2026-01-01\n\n- b\n'

  it('has what was unreleased under the version and the date', () => {
    expect(datedChangelog(before, '1.0.0', '2026-02-03')).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-02-03\n\n\n### Added\n\n- a\n\n## [0.9.0] - 2026-01-01\n\n- b\n',
    )
  })

  it.each([
    ['## [Unreleased]\n\n## [0.9.0] - 2026-01-01\n\n- b\n', 'nothing unreleased'],
    ['# Changelog\n', 'no line "## [Unreleased]"'],
    ['## [Unreleased]\n\n- a\n\n## [1.0.0] - 2026-01-01\n', 'a section 1.0.0 already'],
  ])('is refused where there is nothing to release: %j', (text, message) =>
    expect(() => datedChangelog(text, '1.0.0', '2026-02-03')).toThrow(message),
  )
})

it('a place where the version does not stand is noticed', () => {
  expect(() => withVersion('image: other:1.0.0', 'contact-sync:', { from: '1.0.0', to: '1.1.0' })).toThrow(
    '"contact-sync:1.0.0" does not stand there',
  )
})

const ROOT = resolve(import.meta.dirname, '../..')
const ENGINE = `#!/bin/sh
echo "$@" >>"$ENGINE_LOG"
[ "$1" != save ] || echo image >"$3"
`

describe('npm run release', { timeout: 120_000 }, () => {
  let folder: string
  let checkout: string
  let present: string

  const at = (...path: readonly string[]): string => join(folder, ...path)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: checkout }).toString().trim()
  const text = (file: string): string => readFileSync(join(checkout, file), 'utf8')

  async function release(
    ...args: readonly string[]
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = {
      ...process.env,
      PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`,
      ENGINE_LOG: at('engine.log'),
    }
    const script = join(checkout, '.ci/release/release.ts')
    return promisify(execFile)(process.execPath, [script, ...args], { cwd: checkout, env }).then(
      (ended) => ({ code: 0, ...ended }),
      (error: unknown) => error as { code: number; stdout: string; stderr: string },
    )
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'release-'))
    checkout = at('checkout')
    mkdirSync(checkout)
    execFileSync(
      'bash',
      ['-c', 'git ls-files -zco --exclude-standard | tar --null -T - -c | tar -x -C "$0"', checkout],
      { cwd: ROOT },
    )
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
    // A folder in the repository's own list; here it is a link.
    writeFileSync(join(checkout, '.gitignore'), `${text('.gitignore')}node_modules\n`)
    git('init', '-q')
    git('config', 'user.name', 'Release')
    git('config', 'user.email', 'release@example.com')
    git('add', '-A')
    git('commit', '-qm', 'all')
    mkdirSync(at('bin'))
    writeFileSync(at('bin', 'docker'), ENGINE)
    chmodSync(at('bin', 'docker'), 0o755)
    present = (JSON.parse(text('package.json')) as { version: string }).version
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('--dry-run writes the package, its SBOM and checksums, and changes nothing', async () => {
    const { code, stdout, stderr } = await release('minor', '--dry-run', '--out', at('dry'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const version = nextVersion('minor', present)
    const files = [`contact-sync-${version}.cdx.json`, `contact-sync-${version}.tgz`]
    expect(readdirSync(at('dry'))).toEqual(['SHA256SUMS', ...files])
    expect(
      execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('dry') }).toString(),
    ).toBe('')
    expect(stdout).toContain('dry run: nothing was committed or tagged')
    expect(git('status', '--porcelain')).toBe('')
    expect(git('tag')).toBe('')
    const sbom = JSON.parse(readFileSync(at('dry', files[0] ?? ''), 'utf8')) as {
      readonly bomFormat: string
      readonly metadata: { readonly component: { readonly version: string } }
      readonly components: readonly { readonly 'bom-ref': string }[]
    }
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version } } })
    const { dependencies } = JSON.parse(text('package.json')) as { dependencies: Record<string, string> }
    const names = sbom.components.map((one) => one['bom-ref'].replace(/@[^@]*$/, ''))
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    expect(names).not.toContain('vitest')
  })

  it('the package is small, needs one other, and has nothing of the repository that it does not need', () => {
    const version = nextVersion('minor', present)
    const tarball = at('dry', `contact-sync-${version}.tgz`)
    expect(readFileSync(tarball).length).toBeLessThan(3_000_000)
    mkdirSync(at('unpacked'))
    execFileSync('tar', ['-xzf', tarball, '-C', at('unpacked')])
    const files = readdirSync(at('unpacked/package'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(at('unpacked/package/').length))
    const allowed =
      /^(dist\/[\w-]+(\.d\.ts|\.m?js)|config\/.+|docs\/(decisions\/)?[\w-]+\.md|state\/((README|FAILURES|SERVER)\.md|verify_log\.py)|(CHANGELOG|README|SECURITY)\.md|LICENSE|THIRD-PARTY-LICENSES\.txt|package\.json)$/
    expect(files.filter((file) => !allowed.test(file))).toEqual([])
    for (const name of [
      'dist/main.js',
      'dist/source.d.ts',
      'dist/contract.d.ts',
      'dist/sandbox.d.ts',
      'LICENSE',
      'config/README.md',
    ])
      expect(files).toContain(name)
    const manifest = JSON.parse(readFileSync(at('unpacked/package/package.json'), 'utf8')) as Record<
      string,
      object
    >
    expect(manifest).toMatchObject({ name: 'contact-sync', version, license: 'MIT' })
    for (const name of ['private', 'scripts', 'devDependencies', 'optionalDependencies'])
      expect(manifest).not.toHaveProperty(name)
    expect(Object.keys(manifest['dependencies'] ?? {})).toEqual(['better-sqlite3'])
    const exported = JSON.stringify(manifest['exports']).match(/(?<=\.\/)dist\/[\w.]+/g) ?? []
    expect(exported.filter((file) => !files.includes(file))).toEqual([])
    const licences = readFileSync(at('unpacked/package/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['hono', 'zod', 'commander', 'pg'])
      expect(licences).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'))
  })

  it('its files import nothing that is not installed with it', () => {
    const known = new Set([...builtinModules, 'better-sqlite3'])
    const dist = at('unpacked/package/dist')
    const imports = readdirSync(dist)
      .filter((file) => /\.m?js$/.test(file))
      .flatMap((file) => ts.preProcessFile(readFileSync(join(dist, file), 'utf8')).importedFiles)
      .map(({ fileName }) => fileName)
    expect(imports.length).toBeGreaterThan(100)
    expect(
      imports.filter((name) => !name.startsWith('.') && !name.startsWith('node:') && !known.has(name)),
    ).toEqual([])
  })

  it('commits, tags, makes the image, and says how it is published', async () => {
    const { code, stdout, stderr } = await release('patch', '--out', at('real'), '--image', 'docker')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const version = nextVersion('patch', present)
    expect(git('status', '--porcelain')).toBe('')
    expect(git('tag', '--points-at', 'HEAD')).toBe(`v${version}`)
    expect(git('log', '-1', '--format=%s')).toBe(`chore(release): ${version}`)
    for (const file of Object.keys(VERSION_PLACES))
      expect(text(file)).not.toContain(`contact-sync:${present}`)
    expect(text('CHANGELOG.md')).toMatch(
      new RegExp(`^## \\[Unreleased\\]\\n\\n## \\[${version}\\] - \\d{4}-\\d{2}-\\d{2}\\n`, 'm'),
    )
    expect(stdout).toContain(`npm publish ${at('real', `contact-sync-${version}.tgz`)}`)
    expect(readFileSync(at('engine.log'), 'utf8').trim().split('\n')).toEqual([
      expect.stringMatching(
        `^build --build-arg VERSION=${version} --build-arg REVISION=[0-9a-f]{40} -t contact-sync:${version} \\.$`,
      ),
      `save -o ${at('real', `contact-sync-${version}-image.tar`)} contact-sync:${version}`,
    ])
  })

  it.each([
    [['1.0', '--out', 'new'], 'no version'],
    [['--out', 'new'], 'which version?'],
    [['minor', '--out', '.'], 'is not empty'],
    [['minor', '--out', 'new'], 'nothing unreleased'],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await release(...args)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })

  it('a checkout with changes is refused', async () => {
    writeFileSync(join(checkout, 'new.txt'), '')
    const { code, stderr } = await release('minor', '--out', at('other'))
    rmSync(join(checkout, 'new.txt'))
    expect(code).toBe(1)
    expect(stderr).toContain('the checkout has changes that are not committed:\n?? new.txt')
  })
})
