// The names of the pipelines for the completion of a shell: quick, and never an error.
import { pipelineNames } from '../config/pipeline-names.ts'
import { configFile } from './config-file.ts'
import { type CommonOptions, type QuickIo, print } from './io.ts'

export async function printPipelineNames(io: QuickIo, options: CommonOptions): Promise<void> {
  for (const name of await pipelineNames(configFile(io, options))) print(io, name)
}
