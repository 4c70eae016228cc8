// A folder on another machine and how it is reached: what the two say together.
import { isRemote } from '../core/words/network/remote-folder.ts'
import { type ConfigProblem, type Said } from './text/problem.ts'
import { isMapping, type Path, problemAt, type Tree, valueAt } from './text/tree.ts'

const LOGINS = ['key', 'key_file', 'password', 'password_file']
const PASSPHRASES = ['passphrase', 'passphrase_file']

function sftpProblems(remote: Readonly<Record<string, unknown>>): Said[] {
  const has = (names: readonly string[]): boolean => names.some((name) => remote[name] !== undefined)
  const problems: Said[] = []
  if (!has(['known_hosts'])) {
    const hint = 'add known_hosts with the path of a file that has the key of the server'
    problems.push({ message: 'does not say by which key the server is known', hint })
  }
  if (!has(LOGINS)) {
    const hint = 'add key_file with the path of a private key, or password_file'
    problems.push({ message: 'does not say how to log in', hint })
  }
  if (has(PASSPHRASES) && !has(['key', 'key_file']))
    problems.push({
      message: 'has a passphrase and no key',
      hint: 'add key_file, or set password_file instead',
    })
  return problems
}

function s3Problems(remote: Readonly<Record<string, unknown>>): Said[] {
  const hasKey = remote['secret_access_key'] !== undefined || remote['secret_access_key_file'] !== undefined
  if (hasKey && remote['access_key_id'] !== undefined) return []
  const hint = 'add access_key_id, and secret_access_key_file with the path of a file'
  return [{ message: 'does not say by which key the bucket is read', hint }]
}

export function remoteProblems(tree: Tree, path: Path, pipeline: unknown): ConfigProblem[] {
  const folder = valueAt(pipeline, ['source', 'folder'])
  const remote = valueAt(pipeline, ['source', 'remote'])
  const at = [...path, 'source', remote === undefined ? 'folder' : 'remote']
  if (typeof folder !== 'string' || !isRemote(folder)) {
    if (remote === undefined) return []
    const hint = 'remove it, or set source.folder to sftp://USER@HOST/FOLDER or s3://BUCKET/PREFIX'
    return [problemAt(tree, at, { message: 'goes with a folder on another machine only', hint })]
  }
  const problems = folder.toLowerCase().startsWith('s3:') ? s3Problems : sftpProblems
  return problems(isMapping(remote) ? remote : {}).map((said) => problemAt(tree, at, said))
}
