// What a process asks of the kernel, by strace: in which order it writes, flushes and sends; and which of its calls fail.
// Needs strace and the right to trace a process; a user of it calls `straceWorks` first and says what is left out.
import { spawnSync } from 'node:child_process'

/** `-e trace=none`: tries the right to trace, and nothing else. */
export const straceWorks: boolean =
  spawnSync('strace', ['-f', '-e', 'trace=none', 'true'], { stdio: 'ignore' }).status === 0

export const NO_STRACE =
  'left out: there is no strace here, or no right to trace a process (apt-get install strace)'

/** Longer than a page of the database as strace writes it. */
const TEXT_LENGTH = 8000

/**
 * A command line's beginning that writes the trace to a file in the folder where it is started. `calls`: of those that
 * change a file; what goes over sockets is traced anyway.
 */
export const traced = (
  file: string,
  calls = 'fsync,fdatasync,pwrite64',
  ...options: readonly string[]
): readonly [string, ...string[]] => [
  'strace',
  '--follow-forks',
  '--seccomp-bpf',
  '--decode-fds=all',
  `--string-limit=${TEXT_LENGTH}`,
  `--trace=${calls},write,writev,sendto,sendmsg`,
  `--output=${file}`,
  ...options,
]

const SHOWN = 150

export type Happening =
  | { readonly kind: 'journal'; readonly text: string }
  /** A flush of the journal that has come back. */
  | { readonly kind: 'flush' }
  /** A call that was made to fail. */
  | { readonly kind: 'failure'; readonly text: string }
  | { readonly kind: 'request'; readonly method: string; readonly path: string; readonly text: string }

const CALL = /^(?<pid>\d+) +(?<call>\w+)\(\d+<(?<to>[^>]+(?:->[^>]+)?)>(?<rest>.*)$/
const RESUMED = /^(?<pid>\d+) +<\.\.\. (?:fsync|fdatasync) resumed>\) = 0$/
const REQUEST = /"(?<method>GET|POST|PUT|DELETE) (?<path>\S+) HTTP/

/** A trace as what matters for the order: a write and a request count when they begin, a flush when it has ended. */
export function happenings(trace: string): Happening[] {
  const flushing = new Set<string>()
  return trace.split('\n').flatMap((line): Happening[] => {
    const resumed = RESUMED.exec(line)?.groups?.['pid']
    if (line.endsWith('(INJECTED)')) return [{ kind: 'failure', text: line.slice(0, SHOWN) }]
    if (resumed !== undefined) return flushing.delete(resumed) ? [{ kind: 'flush' }] : []
    const { pid = '', call = '', to = '', rest = '' } = CALL.exec(line)?.groups ?? {}
    if (to.startsWith('TCP')) return requestOf(rest)
    if (!to.endsWith('.db-wal')) return []
    if (call === 'pwrite64') return [{ kind: 'journal', text: rest }]
    if (rest.includes('<unfinished')) flushing.add(pid)
    return rest === ') = 0' ? [{ kind: 'flush' }] : []
  })
}

function requestOf(text: string): Happening[] {
  const { method, path } = REQUEST.exec(text)?.groups ?? {}
  return method === undefined || path === undefined ? [] : [{ kind: 'request', method, path, text }]
}
