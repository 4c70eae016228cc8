// The JSON Schema of the configuration, with the options of every kind of source.
import { configJsonSchema } from '../config/schema/describe.ts'
import { SOURCE_KINDS } from '../sources/registry.ts'

export const configurationSchema = (): unknown => configJsonSchema(SOURCE_KINDS)
