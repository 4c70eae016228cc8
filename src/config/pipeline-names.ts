// The names of the pipelines of a file that need not be valid, nor its variables be set: for completion in a shell, which
// asks at every key. So the lines are looked at; the parser of YAML, some seventy files, is loaded where they do not tell.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readSmallFile, readText } from './text/read-text.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/
/** A key that opens a block: nothing but a comment, an anchor or a mapping in braces behind it. */
const KEY = /^( +)(["']?)([A-Za-z0-9_-]{1,64})\2:(?: |$)/
const IGNORED = /^\s*(#|$)/

/** The keys below `pipelines:` where it is written as a block, without tabs or documents; undefined: who knows. */
function namesInLines(text: string): readonly string[] | undefined {
  const lines = text.split(/\r?\n/)
  const begin = lines.findIndex((line) => /^pipelines:\s*(#.*)?$/.test(line))
  if (begin < 0 || /^(---|\.\.\.|%)|\t/m.test(text)) return undefined
  const rest = lines.slice(begin + 1).filter((line) => !IGNORED.test(line))
  const end = rest.findIndex((line) => !line.startsWith(' '))
  const block = end < 0 ? rest : rest.slice(0, end)
  const indent = /^ +/.exec(block[0] ?? '')?.[0].length
  const own = block.filter((line) => /^ */.exec(line)?.[0].length === indent)
  const names = own.map((line) => KEY.exec(line)?.[3])
  return names.every((name) => name !== undefined) ? names : undefined
}

async function namesInTree(text: string, file: string): Promise<readonly string[]> {
  const { readYaml } = await import('./text/yaml-tree.ts')
  const { isMapping, valueAt } = await import('./text/tree.ts')
  const { tree } = readYaml(text, { file, env: {} })
  const pipelines = tree === undefined ? undefined : valueAt(tree.value, ['pipelines'])
  return isMapping(pipelines) ? Object.keys(pipelines).filter((name) => NAME.test(name)) : []
}

/** Those of the file, or of every file in the folder. None where there is none, or it cannot be read. */
export async function pipelineNames(file: string): Promise<readonly string[]> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return namesInFile(file)
  const pieces = readdirSync(file).filter((name) => name.endsWith('.yaml') && !name.startsWith('.'))
  const names = await Promise.all(pieces.sort().map((name) => namesInFile(join(file, name))))
  return names.flat()
}

async function namesInFile(file: string): Promise<readonly string[]> {
  const read = await readText(file, readSmallFile)
  if ('problem' in read) return []
  return namesInLines(read.text) ?? namesInTree(read.text, file)
}
