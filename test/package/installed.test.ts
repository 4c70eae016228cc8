// The package as a user installs it: packed, unpacked in a folder of theirs, and used by a source of their own, which is
// checked by its types and run under the contract. Nothing is asked of a network.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packInto } from '../../.ci/release/package.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'installed-'))
  const tarball = packInto(folder, ROOT)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@types'), { recursive: true })
  await run('tar', ['-xzf', join(folder, tarball), '-C', modules])
  await run('mv', [join(modules, 'package'), join(modules, 'contact-sync')])
  // What npm would install beside it: the one package that is not bundled; for the author types of Node and a test runner.
  for (const name of ['better-sqlite3', '@types/node', 'undici-types', 'vitest'])
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  cpSync(join(import.meta.dirname, 'sample'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{ target: 'es2024', module: 'nodenext', types: ['node'], noEmit: true, strict: true },
        allowImportingTsExtensions: true,
      },
      include: ['*.ts'],
    }),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('its types are those that a source needs, and refuse what is none', { timeout: 60_000 }, async () => {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc], { cwd: folder })
  const wrong = `import type { ModuleSource } from 'contact-sync/source'
export const wrong: ModuleSource = async function* () { yield { mail: () => 'no text' } }
`
  writeFileSync(join(folder, 'wrong.ts'), wrong)
  const refused = await run(process.execPath, [tsc], { cwd: folder }).catch((error: unknown) => error)
  rmSync(join(folder, 'wrong.ts'))
  expect((refused as { stdout: string }).stdout).toMatch(/^wrong\.ts\(2,14\): error TS2322/)
})

it(
  'the tests that the manual of the sandbox shows pass, and their types fit',
  { timeout: 60_000 },
  async () => {
    const manual = readFileSync(join(ROOT, 'docs/sandbox.md'), 'utf8')
    const blocks = [...manual.matchAll(/^```ts\n\/\/ (\S+)\n([^`]*?(?:`[^`]+`[^`]*?)*)^```$/gm)]
    expect(blocks.map(([, name]) => name)).toEqual(['newsletter.test.ts', 'newsletter.ts'])
    for (const [, name = '', text = ''] of blocks) writeFileSync(join(folder, name), text)
    const bin = (path: string) => join(ROOT, 'node_modules', path)
    await run(process.execPath, [bin('typescript/bin/tsc')], { cwd: folder })
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
    const report = join(folder, 'report.json')
    const args = [
      bin('vitest/vitest.mjs'),
      'run',
      '--root',
      folder,
      '--reporter',
      'json',
      '--outputFile',
      report,
    ]
    await run(process.execPath, args, { cwd: folder, env })
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ numPassedTests: 3, numFailedTests: 0 })
  },
)

it('the types of the sandbox need no others', { timeout: 60_000 }, async () => {
  const text = `import { startSandbox } from 'contact-sync/sandbox'
export const urlOf = async (): Promise<string> => (await startSandbox()).url
`
  writeFileSync(join(folder, 'plain.mts'), text)
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext']
  await run(process.execPath, [tsc, ...options, 'plain.mts'], { cwd: folder })
})

it('a source of its user passes the contract under another test runner', { timeout: 120_000 }, async () => {
  const args = ['--test', '--test-reporter=tap', 'members.check.ts']
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS'))
  const { stdout } = await run(process.execPath, args, { cwd: folder, env })
  expect(stdout).toMatch(/^# pass 9$/m)
  expect(stdout).toMatch(/^# fail 0$/m)
})
