// The suppression list of the configuration as runs see it: read once for each version of the file, compared with the one
// before, and refused where it cannot be the whole.
import {
  isTooShort,
  type KeptList,
  type SuppressionStore,
  type Suppressed,
  type SuppressionList,
} from '../../core/change/consents/suppression.ts'
import type { Settings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'
import { readKeptList } from '../../store/journal/contacts/suppression.ts'
import { readSuppressionFile, suppressionVersion } from '../../sources/suppression-file.ts'

interface ReadList {
  readonly version: string
  readonly list: Suppressed
}

function assertWhole(path: string, entries: number, last: KeptList | undefined): void {
  if (last !== undefined && isTooShort(entries, last.entries))
    throw new SyncError(
      'SUPPRESSION_LIST',
      `${path}: has ${entries} entries, ${last.entries} when it was last read; a list that has lost a tenth may have been cut off, and nothing is sent by it`,
    )
}

/** The list of a configuration as a run would find it, beside the owner of the state. Throws SUPPRESSION_LIST. */
export async function assertUsableList({
  consents: { suppress: path },
  state,
}: {
  consents: Pick<Settings['consents'], 'suppress'>
  state: Settings['state']
}): Promise<void> {
  if (path === undefined) return
  const { entries } = await readSuppressionFile(path)
  assertWhole(path, entries, readKeptList(state, path))
}

async function readList(path: string, state: SuppressionStore): Promise<Suppressed> {
  const { entries, digest, has } = await readSuppressionFile(path)
  const last = await state.suppressionList(path)
  assertWhole(path, entries, last)
  if (last?.digest === digest) return { edition: last.edition, has }
  // Never the number of an earlier content: what was left out since must not look settled when that content returns.
  const edition = (last?.edition ?? 0) + 1
  await state.keepSuppressionList(path, { entries, digest, edition })
  return { edition, has }
}

/** Undefined where the configuration names no list. */
function listAt(path: string, state: SuppressionStore): SuppressionList {
  let latest: ReadList | undefined
  let reading: Promise<unknown> = Promise.resolve()
  const now = async (): Promise<Suppressed> => {
    const version = await suppressionVersion(path)
    if (latest?.version === version) return latest.list
    const list = await readList(path, state)
    latest = { version, list }
    return list
  }
  return {
    // One after the other: a large list is not read twice at once.
    now() {
      const mine = reading.then(now)
      reading = mine.catch(() => undefined)
      return mine
    },
  }
}

/** Lists by their path, so that a daemon reads an unchanged one once. */
export function createSuppressions(state: SuppressionStore) {
  const lists = new Map<string, SuppressionList>()
  return (path: string | undefined): SuppressionList | undefined => {
    if (path === undefined) return undefined
    const list = lists.get(path) ?? listAt(path, state)
    lists.set(path, list)
    return list
  }
}
