// Which file holds the configuration: by option, environment or default.
import { resolve } from 'node:path'
import type { CommonOptions, Io } from './io.ts'

const DEFAULT_FILE = 'config/contact-sync.yaml'

/** An empty name is none: that of a variable which is not set, in a script. */
export const configFile = (io: Pick<Io, 'cwd' | 'env'>, options: CommonOptions): string => {
  const named = [options.config, io.env['CONTACT_SYNC_CONFIG']].find(
    (name) => name !== undefined && name !== '',
  )
  return resolve(io.cwd, named ?? DEFAULT_FILE)
}
