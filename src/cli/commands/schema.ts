// `schema`: the JSON Schema of the configuration file.
import { configurationSchema } from '../../app/config-schema.ts'
import { type Io, print } from '../io.ts'

export async function schema(io: Io): Promise<number> {
  print(io, JSON.stringify(await configurationSchema(), undefined, 2))
  return 0
}
