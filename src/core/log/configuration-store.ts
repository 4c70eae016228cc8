// The configurations that were in force, without secrets, kept by their hash: what an entry of the sync log was done under can be
// read after the file has changed.
import type { AuditEntry } from './audit.ts'
import type { ShownSetting } from '../settings.ts'

export interface KeptConfiguration {
  /** SHA-256 over the settings as they are shown. */
  readonly hash: string
  /** When it came into force first, milliseconds since the epoch. */
  readonly at: number
  /** The hash of each pipeline, by name: that of the entries in the sync log. */
  readonly pipelines: Readonly<Record<string, string>>
  readonly settings: readonly ShownSetting[]
}

/** One with what a reader compares it with. */
export interface ConfigurationView {
  readonly kept: KeptConfiguration
  readonly before: KeptConfiguration | undefined
  /** Later ones that go by the same hash: that of a pipeline stays while other settings change. */
  readonly also: readonly string[]
}

export interface ConfigurationStore {
  /**
   * Keeps it, and notes that it is in force now. The entry is appended where another one was in force before, in the same
   * transaction.
   */
  noteConfiguration(configuration: KeptConfiguration, entry: AuditEntry): Promise<void>
  /** Those whose hash, or the hash of one of whose pipelines, begins so; oldest first. */
  configurationsLike(hash: string): Promise<readonly KeptConfiguration[]>
  /** The one that came into force before it; undefined for the first. */
  configurationBefore(hash: string): Promise<KeptConfiguration | undefined>
}

/** What another configuration changed, in the order of the file. */
export function settingChanges(
  before: readonly ShownSetting[],
  after: readonly ShownSetting[],
): readonly { readonly path: string; readonly from: string | undefined; readonly to: string | undefined }[] {
  const [old, now] = [before, after].map((all) => new Map(all.map(({ path, value }) => [path, value])))
  const paths = [...new Set([...after, ...before].map(({ path }) => path))]
  return paths.flatMap((path) => {
    const [from, to] = [old?.get(path), now?.get(path)]
    return from === to ? [] : [{ path, from, to }]
  })
}
