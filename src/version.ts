// The version, as package.json has it: beside src/ and beside dist/ alike.
import { createRequire } from 'node:module'

const manifest = createRequire(import.meta.url)('../package.json') as { version: string }

export const VERSION: string = manifest.version
