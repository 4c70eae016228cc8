// The program with a fault put into it: a copy of its source in which a few words are replaced, built as it is installed.
import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

export interface Replacement {
  /** Below `src`. */
  readonly file: string
  readonly from: string
  readonly to: string
}

export interface Mutant {
  readonly main: string
  remove(): Promise<void>
}

/** Throws where the words are not there exactly once: then the source has changed, and the fault with it. */
export async function mutant(replacements: readonly Replacement[]): Promise<Mutant> {
  const folder = await mkdtemp(join(tmpdir(), 'mutant-'))
  await cp(join(ROOT, 'src'), join(folder, 'src'), { recursive: true })
  for (const file of ['package.json', 'rolldown.config.js']) await cp(join(ROOT, file), join(folder, file))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const { file, from, to } of replacements) {
    const path = join(folder, 'src', file)
    const parts = (await readFile(path, 'utf8')).split(from)
    if (parts.length !== 2)
      throw new Error(`${file} has ${parts.length - 1} times what is to be replaced: ${from}`)
    await writeFile(path, parts.join(to))
  }
  execFileSync('rolldown', ['--config'], { cwd: folder, stdio: 'ignore' })
  return { main: join(folder, 'dist', 'main.js'), remove: async () => rm(folder, { recursive: true }) }
}
