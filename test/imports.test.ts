// The import rules hold for the source, and would not hold for a tree that breaks them.
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const run = promisify(execFile)

interface Cruise {
  readonly summary: {
    readonly totalCruised: number
    readonly violations: readonly { rule: { name: string }; from: string }[]
  }
}

async function cruise(folder: string): Promise<Cruise['summary']> {
  const depcruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const config = join(root, '.dependency-cruiser.cjs')
  const args = [depcruise, 'src', '--config', config, '--output-type', 'json']
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await run(process.execPath, args, options).catch(
    (error: unknown) => error as { stdout: string },
  )
  return (JSON.parse(stdout) as Cruise).summary
}

describe('the import rules', () => {
  it('hold', async () => {
    const { violations, totalCruised } = await cruise(root)
    expect(violations.map(({ rule, from }) => `${rule.name}: ${from}`)).toEqual([])
    // A tool that looks at nothing finds nothing.
    expect(totalCruised).toBeGreaterThan(60)
  })

  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'imports-'))
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await symlink(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'))
    await symlink(join(root, 'package.json'), join(folder, 'package.json'))
  })
  afterEach(async () => rm(folder, { recursive: true }))

  async function tree(files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
  }

  it.each([
    ['core-knows-nobody', { 'src/core/a.ts': "import '../store/b.ts'", 'src/store/b.ts': '' }],
    ['core-touches-nothing', { 'src/core/a.ts': "import 'node:fs'" }],
    ['sync-knows-no-technology', { 'src/sync/a.ts': "import '../store/b.ts'", 'src/store/b.ts': '' }],
    ['store-knows-only-core', { 'src/store/a.ts': "import '../service/b.ts'", 'src/service/b.ts': '' }],
    ['sources-knows-only-core', { 'src/sources/a.ts': "import '../system.ts'", 'src/system.ts': '' }],
    ['cli-asks-the-app', { 'src/cli/a.ts': "import '../store/b.ts'", 'src/store/b.ts': '' }],
    [
      'only-the-composition-imports-everybody',
      { 'src/other.ts': "import './store/b.ts'", 'src/store/b.ts': '' },
    ],
    [
      'core-mapping-knows-only-below',
      { 'src/core/mapping/a.ts': "import '../change/b.ts'", 'src/core/change/b.ts': '' },
    ],
    [
      'sync-plan-knows-only-below',
      { 'src/sync/plan/a.ts': "import '../send/b.ts'", 'src/sync/send/b.ts': '' },
    ],
    ['got-has-one-home', { 'src/store/a.ts': "import 'got'" }],
    ['better-sqlite3-has-one-home', { 'src/service/a.ts': "import 'better-sqlite3'" }],
    ['no-circles', { 'src/core/a.ts': "import './b.ts'", 'src/core/b.ts': "import './a.ts'" }],
    ['no-unknown-module', { 'src/core/a.ts': "import './nowhere.ts'" }],
  ])('are broken by a tree that breaks %s', async (rule, files) => {
    await tree(files)
    const { violations } = await cruise(folder)
    expect(violations.map((violation) => violation.rule.name)).toContain(rule)
  })
})

describe('the rooms', () => {
  it('hold 22 files at most, but for that of the commands', () => {
    const counts = new Map<string, number>()
    for (const file of globSync('src/**/*.ts', { cwd: root })) {
      const room = dirname(file)
      counts.set(room, (counts.get(room) ?? 0) + 1)
    }
    expect(counts.size).toBeGreaterThan(40)
    const full = [...counts].filter(([room, files]) => files > 22 && room !== 'src/cli/commands')
    expect(full).toEqual([])
  })
})
