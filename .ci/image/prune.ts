// Takes out of node_modules what the built program never loads: `node prune.ts NODE_MODULES [ARCH...]`.
// Packages are bundled into dist/: of each its licence stays, and its package.json, by which scanners know it. What is not
// bundled stays without what can be no code at run time (types, documents, C sources, other systems).
import { globSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

const [root = '', arch = process.arch] = process.argv.slice(2)

/** As in rolldown.config.js. */
const NOT_BUNDLED = 'better-sqlite3'
const KEPT = /(^|\/)((licen[cs]e|notice|copying)[^/]*|package\.json)$/i
/** Never code at run time. */
const KINDS = /(\.map|\.d\.[cm]?ts|\.[cm]?ts|\.md|\.cpp|\.hpp|\.h|\.c|\.gyp|\.gypi)$/
/** SQLite's source, and what is ready-made for other systems: this image is glibc on one architecture. */
const FORMS = ['deps', 'src', `prebuilds/!(linux-${arch}.node)`]

const bytesIn = (folder: string): number =>
  globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

const mayStay = (path: string): boolean =>
  KEPT.test(path) || (path.startsWith(NOT_BUNDLED + sep) && !KINDS.test(path))

function removeFiles(): void {
  for (const form of globSync(FORMS, { cwd: join(root, NOT_BUNDLED) }))
    rmSync(join(root, NOT_BUNDLED, form), { recursive: true, force: true })
  for (const path of globSync('**/*', { cwd: root }))
    if (!mayStay(path) && statSync(join(root, path)).isFile()) rmSync(join(root, path))
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
removeFiles()
removeEmpty(root)
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
process.stdout.write(`node_modules: ${megabytes(before)} MB before, ${megabytes(bytesIn(root))} MB after\n`)
