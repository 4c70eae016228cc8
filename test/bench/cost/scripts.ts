// The scripts that are measured, or loaded into what is measured, as plain JavaScript: taking the types off a file costs a
// process some tens of milliseconds, which would be counted for the plain scripts and never for the program.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join, resolve } from 'node:path'

const BENCH = resolve(import.meta.dirname, '..')
// Within the checkout, where packages are found, and out of git's sight.
const FOLDER = resolve(BENCH, '../../node_modules/.cache/contact-sync-bench')

export const SCRIPTS = {
  report: join(FOLDER, 'report.cjs'),
  plain: join(FOLDER, 'plain.mjs'),
  'plain-push': join(FOLDER, 'plain-push.mjs'),
} as const

export async function prepareScripts(): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  for (const [name, path] of Object.entries(SCRIPTS)) {
    const text = await readFile(join(BENCH, `${name}.ts`), 'utf8')
    await writeFile(path, stripTypeScriptTypes(text))
  }
}
