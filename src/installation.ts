// Where the program is installed, and its version as package.json has it. This file is in src/, what it is built to in
// dist/: both are one folder below the installation.
import type fs from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The path of a file that is installed along with the program, by its path in the project. */
export const installed = (path: string): string => join(import.meta.dirname, '..', path)

// An import of it would load its streams and promises too: more than the version takes.
const { readFileSync } = createRequire(import.meta.url)('node:fs') as typeof fs
const manifest = JSON.parse(readFileSync(installed('package.json'), 'utf8')) as { version: string }

export const VERSION: string = manifest.version
