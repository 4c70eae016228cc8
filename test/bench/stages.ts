// Where the time of a run goes, by room: the self time of a CPU profile, added up over the files of each room and over
// what stands outside of them (SQLite, hashing, the collector, packages).
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly url: string; readonly functionName: string }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const ROOM = /\/dist\/([a-z-]+)(?:\/|\.js)/
const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/

/** Native code has no file: it belongs to whoever called it, except for what names itself. */
function ownStage({ url, functionName }: Profile['nodes'][number]['callFrame']): string | undefined {
  if (functionName === '(garbage collector)') return 'garbage collector'
  if (functionName === '(idle)') return 'idle'
  const room = ROOM.exec(url)?.[1]
  if (room !== undefined) return room
  const name = PACKAGE.exec(url)?.[1]
  if (name !== undefined) return name
  return url.startsWith('node:') ? 'node' : undefined
}

/** Milliseconds by stage, the dearest first; without what was idle. */
export function stagesOf(folder: string): [string, number][] {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile')) ?? ''
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
  const stages = new Map<number, string>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const enter = (id: number, above: string): void => {
    const node = byId.get(id)
    if (node === undefined) return
    const native = node.callFrame.url === '' && above === 'store' ? 'SQLite and native calls of store' : above
    const stage = ownStage(node.callFrame) ?? native
    stages.set(id, stage)
    for (const child of node.children ?? []) enter(child, stage === native ? above : stage)
  }
  enter(nodes[0]?.id ?? 0, 'node')
  const spent = new Map<string, number>()
  samples.forEach((id, index) => {
    const stage = stages.get(id) ?? 'node'
    spent.set(stage, (spent.get(stage) ?? 0) + (timeDeltas[index] ?? 0) / 1000)
  })
  spent.delete('idle')
  return [...spent].sort((one, other) => other[1] - one[1])
}
