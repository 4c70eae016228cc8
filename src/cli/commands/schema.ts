// `schema`: the JSON Schema of the configuration file.
import { configJsonSchema, SOURCE_KINDS } from '../../app.ts'
import { type Io, print } from '../io.ts'

export async function schema(io: Io): Promise<number> {
  print(io, JSON.stringify(configJsonSchema(SOURCE_KINDS), undefined, 2))
  return Promise.resolve(0)
}
