// Runs commands out of an image's file system as an engine would: its own mounts and process ids, process 1, the image's
// user and environment, the root read-only, one writable volume and one mount that is not.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const inspected = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      StopSignal: z.string(),
      Volumes: z.record(z.string(), z.unknown()),
      Labels: z.record(z.string(), z.string()),
      Healthcheck: z.object({ Test: z.array(z.string()) }),
    }),
  }),
})

export type ImageConfig = z.output<typeof inspected>['Docker']['config']

export const readImageConfig = (path: string): ImageConfig =>
  inspected.parse(JSON.parse(readFileSync(path, 'utf8'))).Docker.config

/** $1 root, $2 folder with state, config and secrets; then variables and the command. There is no shell in the image. */
const SCRIPT = `
set -e
root=$1; folder=$2; shift 2
mount --bind "$root" "$root"
mount --bind "$folder/state" "$root/state"
mount --bind "$folder/config" "$root/config"
mount --bind "$folder/secrets" "$root/run/secrets"
mount -o remount,bind,ro "$root/config"
mount -o remount,bind,ro "$root/run/secrets"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
exec /usr/bin/env -i "$@"
`

export interface Image {
  readonly root: string
  readonly config: ImageConfig
  /** Holds the folders state, config and secrets, which are mounted. */
  readonly folder: string
}

/** Starts a command with the image's environment and these variables beside it, and nothing else of ours. */
export function inImage(
  { root, config, folder }: Image,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const engine = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--propagation',
    'private',
    'sh',
    '-c',
    SCRIPT,
  ]
  const [program = '', ...rest] = command
  const path = program === 'node' ? '/usr/local/bin/node' : program
  const inside = ['/usr/sbin/chroot', `--userspec=${config.User}`, '--groups=', root, path, ...rest]
  return spawn('unshare', [...engine, 'sh', root, folder, ...config.Env, ...variables, ...inside], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The process that is number 1 inside. */
export function processOne(child: ChildProcess): number {
  const pid = String(child.pid)
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}
