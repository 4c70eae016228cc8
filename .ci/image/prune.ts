// Takes out of node_modules what the program never loads: `node prune.ts NODE_MODULES [ARCH...]`.
// By kinds that can be no code at run time (types, source maps, documents, C sources), and by a short list of folders
// that are the same code once more in another form. Licences stay. Whatever is taken too much is noticed by
// loads.ts, which loads every package inside the finished image.
import { globSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const [root = '', arch = process.arch] = process.argv.slice(2)

/** Never code at run time. */
const KINDS =
  /(\.map|\.d\.[cm]?ts|\.[cm]?ts|\.md|\.markdown|\.flow|\.tsbuildinfo|\.cpp|\.hpp|\.h|\.c|\.gyp|\.gypi|\.ya?ml)$/
const KEPT = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i

/** Folders and files of one package, as patterns below it. Why: the comment. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  // SQLite's source, and what is ready-made for other systems: this image is glibc on one architecture.
  'better-sqlite3': ['deps', 'src', `prebuilds/!(linux-${arch}.node)`],
  // Headers for compiling.
  'node-addon-api': ['*.gyp*', 'tools'],
  // Imported, never required; but for the API, which prom-client requires.
  '@opentelemetry/!(api)': ['dist/**/*.cjs'],
  hono: ['dist/cjs', 'dist/types'],
  zod: ['src', '**/*.cjs', 'v3', 'v4-mini', 'mini'],
  nodemailer: ['dist/cjs'],
  'csv-parse': ['dist'],
  'csv-stringify': ['dist'],
  // For browsers, and the same in one file; locales that are never asked for.
  moment: ['dist', 'min', 'src', 'locale', 'ts3.1-typings'],
  'libphonenumber-js': [
    'bundle',
    'build',
    'source',
    'es6-modern',
    'mobile',
    '{metadata,examples}.{full,mobile}*',
  ],
  luxon: ['src', 'build/amd', 'build/cjs-browser', 'build/global'],
  validator: ['es', 'validator.js', 'validator.min.js'],
  async: ['dist/async.min.js'],
  bintrees: ['test', 'examples', 'dist'],
}

const bytesIn = (folder: string): number =>
  globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

function removeForms(): void {
  for (const [name, patterns] of Object.entries(FORMS))
    for (const folder of globSync(name, { cwd: root }))
      for (const found of globSync([...patterns], { cwd: join(root, folder) }))
        rmSync(join(root, folder, found), { recursive: true, force: true })
}

function removeKinds(): void {
  for (const entry of globSync('**/*', { cwd: root, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && KINDS.test(entry.name) && !KEPT.test(path)) rmSync(path)
  }
}

/** Whether nothing is left of a folder. */
function removeEmpty(folder: string): boolean {
  const left = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => !entry.isDirectory() || !removeEmpty(join(folder, entry.name)),
  )
  if (left.length > 0) return false
  rmdirSync(folder)
  return true
}

const before = bytesIn(root)
rmSync(join(root, '.bin'), { recursive: true, force: true })
rmSync(join(root, '.package-lock.json'), { force: true })
removeForms()
removeKinds()
removeEmpty(root)
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
process.stdout.write(`node_modules: ${megabytes(before)} MB before, ${megabytes(bytesIn(root))} MB after\n`)
