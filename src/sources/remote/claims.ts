// Claims on files of another machine: a small file in `.claims` that bears the file's name and says who processes it. Only one
// writer can make it, so two installations never process one file. A claim is made before a file is read, and removed once the
// file has left the folder. It has no time limit: a run that is slow, or was stopped, keeps its files.
import { open, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { SyncError } from '../../core/words/errors.ts'
import { displayName } from '../file-name.ts'
import { withWorkFolder, writeParts } from './copies.ts'
import type { SourceDeps } from '../kind.ts'
import type { RemoteSession } from './session.ts'

export interface Claimant {
  /** The address, for people. */
  readonly folder: string
  readonly owner: NonNullable<SourceDeps['owner']>
  /** For what is fetched and written on the way. */
  readonly spool: string
  /** What cannot be claimed is left. */
  readonly isStrict: boolean
  now(): number
}

const PLACE = '.claims'
const MOST_BYTES = 4096

const written = z.object({
  owner: z.string(),
  pipeline: z.string().max(300),
  by: z.string().max(300),
  since: z.string().max(40),
})
type Claim = z.output<typeof written>

/** What cannot be read as a claim is that of a stranger. */
function claimIn(text: string): Claim {
  try {
    return written.parse(JSON.parse(text))
  } catch {
    return { owner: '', pipeline: '', by: 'another program', since: 'an unknown time' }
  }
}

async function claimOn(session: RemoteSession, name: string, spool: string): Promise<Claim | undefined> {
  const entry = await session.entry(PLACE, name)
  if (entry === undefined) return undefined
  if (entry.what !== 'file' || entry.bytes > MOST_BYTES) return claimIn('')
  return withWorkFolder(spool, async (folder) => {
    const path = join(folder, 'claim')
    await (await open(path, 'wx', 0o600)).close()
    await session.fetch(PLACE, entry, path)
    return claimIn(await readFile(path, 'utf8'))
  })
}

const isOwn = async (claim: Claim, { owner }: Claimant): Promise<boolean> =>
  claim.owner === (await owner.state()) &&
  (claim.pipeline === owner.pipeline || (await owner.formerNames()).includes(claim.pipeline))

function claimedBy({ by, since }: Claim, name: string, { folder }: Claimant): SyncError {
  const shown = displayName(Buffer.from(name))
  const who = `${displayName(Buffer.from(by))} since ${displayName(Buffer.from(since))}`
  return new SyncError(
    'INPUT_CLAIMED',
    `${shown} is claimed by ${who} (${folder.replace(/\/$/, '')}/${PLACE}/${shown})`,
  )
}

const unsafe = (name: string, { folder }: Claimant): SyncError =>
  new SyncError(
    'INPUT_CLAIMED',
    `${displayName(Buffer.from(name))} cannot be claimed: the store of ${folder} overwrites objects that must not be there (If-None-Match)`,
    {
      hint: 'If only this pipeline of this installation reads the prefix, remove source.remote.claim. Otherwise use a store that honours conditional writes.',
    },
  )

/** Throws INPUT_CLAIMED where another one processes the file. Claims nothing. */
export async function assertUnclaimed(
  session: RemoteSession,
  name: string,
  claimant: Claimant,
): Promise<void> {
  const claim = await claimOn(session, name, claimant.spool)
  if (claim !== undefined && !(await isOwn(claim, claimant))) throw claimedBy(claim, name, claimant)
}

/**
 * Throws INPUT_CLAIMED. A claim of one's own, from a run that was stopped, is as good as a new one. Gives false where the store
 * keeps no claims.
 */
export async function claimInput(session: RemoteSession, name: string, claimant: Claimant): Promise<boolean> {
  const { owner, spool } = claimant
  const claim: Claim = {
    owner: await owner.state(),
    pipeline: owner.pipeline,
    by: `${hostname()}, pipeline ${owner.pipeline}`,
    since: new Date(claimant.now()).toISOString(),
  }
  const made = await withWorkFolder(spool, async (folder) => {
    const path = join(folder, 'claim')
    await writeParts(path, [`${JSON.stringify(claim)}\n`])
    return session.storeNew(PLACE, { name, writing: `.writing-${claim.owner}-${owner.pipeline}` }, path)
  })
  if (made === 'stored') return true
  if (made === 'unsafe') {
    if (claimant.isStrict) throw unsafe(name, claimant)
    return false
  }
  const held = await claimOn(session, name, spool)
  // Released between the two questions: the next run sees what became of the file.
  if (held === undefined)
    throw claimedBy({ ...claim, by: 'another installation', since: 'a moment' }, name, claimant)
  if (!(await isOwn(held, claimant))) throw claimedBy(held, name, claimant)
  return true
}

/** Never that of another one. */
export async function releaseClaim(session: RemoteSession, name: string, claimant: Claimant): Promise<void> {
  const claim = await claimOn(session, name, claimant.spool)
  if (claim !== undefined && (await isOwn(claim, claimant))) await session.remove(PLACE, name)
}

/** Releases one's own claims on files that are not there any more. */
export async function releaseStale(
  session: RemoteSession,
  present: readonly string[],
  claimant: Claimant,
): Promise<void> {
  for (const { name } of (await session.list(PLACE)) ?? [])
    if (!present.includes(name)) await releaseClaim(session, name, claimant)
}
