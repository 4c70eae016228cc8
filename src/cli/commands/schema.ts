// `schema`: the JSON Schema of the configuration file.
import { configurationSchema } from '../../app/config-schema.ts'
import type { Io } from '../io.ts'

/** A document over several lines: `print` is for lines, and would escape what separates them. */
export async function schema(io: Io): Promise<number> {
  io.stdout.write(`${JSON.stringify(await configurationSchema(), undefined, 2)}\n`)
  return 0
}
