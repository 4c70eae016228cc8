// Where a file really lies: what a configuration may name, and what a command may replace, is judged by it.
import { realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** The path without links, as far as it exists. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : resolve(realPath(parent), basename(path))
  }
}
