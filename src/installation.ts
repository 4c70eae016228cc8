// Where the program is installed, and its version as package.json has it. This file lies in src/, what it is built to in
// dist/: both are one folder below the installation.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path of a file that is installed along with the program, by its path in the project. */
export const installed = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

const manifest = JSON.parse(readFileSync(installed('package.json'), 'utf8')) as { version: string }

export const VERSION: string = manifest.version
