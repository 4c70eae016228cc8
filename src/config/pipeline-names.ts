// The names of the pipelines of a file that need not be valid, nor its variables be set: for completion in a shell.
import { readSmallFile, readText } from './text/read-text.ts'
import { isMapping, valueAt } from './text/tree.ts'
import { readYaml } from './text/yaml-tree.ts'

/** None where the file is not there or cannot be read. */
export async function pipelineNames(file: string): Promise<readonly string[]> {
  const read = await readText(file, readSmallFile)
  if ('problem' in read) return []
  const { tree } = readYaml(read.text, { file, env: {} })
  const pipelines = tree === undefined ? undefined : valueAt(tree.value, ['pipelines'])
  return isMapping(pipelines)
    ? Object.keys(pipelines).filter((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))
    : []
}
