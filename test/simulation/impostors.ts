// States that are not what they seem: a copy that was put back without its mark, an older one under a newer mark, and the
// state of a living program under a second name. None of them may be taken.
import { copyFileSync, existsSync, linkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openState } from '../../src/store/state-store.ts'
import { isWrite } from './ledger.ts'
import { removeState } from './program.ts'
import type { World } from './world.ts'

const OWNER = { pid: 2, since: 0, thorough: false }

/** The code with which it is refused; undefined: it was opened. */
function refusalOf(file: string): string | undefined {
  try {
    void openState(file, OWNER).close()
    return undefined
  } catch (error) {
    return String((error as { code?: unknown }).code)
  }
}

function copyWithoutMark(from: string, to: string): void {
  removeState(to)
  for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, to + end)
}

const entriesIn = (file: string): number => {
  const db = new Database(file)
  const count = db.prepare('SELECT count(*) FROM audit').pluck().get()
  db.close()
  return Number(count)
}

/** The state of the life that has just ended, put back under another path: as it is now, and as it was before. */
export function tryCopies(world: World): void {
  const { chance, folder, program, lives, violated, say } = world
  if (!chance.stream(`copies ${lives}`).happens(0.1)) return
  const [older, copy] = [join(folder.path, 'older.db'), join(folder.path, 'copy.db')]
  copyWithoutMark(program.file, copy)
  const entries = entriesIn(copy)
  say(`a copy of the state without its mark has ${entries} entries`)
  const refusal = refusalOf(copy)
  if (entries > 0 && refusal !== 'STATE_OLDER')
    violated('state', `a copy of a state without its mark was taken (${refusal ?? 'opened'})`)
  // Where no contact was written since, no contact can be duplicated; a term is found by its name.
  const hasSent = world.ledger.requests
    .slice(world.copiedAt)
    .some((request) => isWrite(request) && request.path.startsWith('/contact'))
  if (existsSync(older) && existsSync(`${program.file}.mark`) && hasSent) {
    copyFileSync(`${program.file}.mark`, `${older}.mark`)
    const found = refusalOf(older)
    if (found !== 'STATE_OLDER')
      violated('state', `an older state was taken under a newer mark (${found ?? 'opened'})`)
  }
  copyWithoutMark(program.file, older)
  world.copiedAt = world.ledger.requests.length
  removeState(copy)
}

/** The state of a life that goes on, opened by a link to it. */
export function tryAliases({ program, violated, say }: World): void {
  if (program.life.isOver) return
  for (const [kind, link] of [
    ['symbolic', symlinkSync],
    ['hard', linkSync],
  ] as const) {
    const alias = `${program.file}.${kind}`
    link(program.file, alias)
    const refusal = refusalOf(alias)
    say(`the state under a ${kind} link: ${refusal ?? 'opened'}`)
    if (!['STATE_LOCKED', 'STATE_UNUSABLE'].includes(refusal ?? ''))
      violated('state', `the state has a second owner, by a ${kind} link (${refusal ?? 'opened'})`)
    rmSync(alias)
    removeState(alias)
  }
}

export function removeCopies({ folder }: World): void {
  removeState(join(folder.path, 'older.db'))
}
