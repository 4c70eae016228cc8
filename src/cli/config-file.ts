// Which file holds the configuration: by option, environment or default.
import { resolve } from 'node:path'
import type { CommonOptions, Io } from './io.ts'

const DEFAULT_FILE = 'config/contact-sync.yaml'

export const configFile = (io: Pick<Io, 'cwd' | 'env'>, options: CommonOptions): string =>
  resolve(io.cwd, options.config ?? io.env['CONTACT_SYNC_CONFIG'] ?? DEFAULT_FILE)
