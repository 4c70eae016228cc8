// The rejected records of a pipeline as a source: read again as they came, under the mapping of today. What an earlier
// file reported about them may be resolved by a changed mapping, a new term, or a service that accepts them now.
import type { Source, SourceInput } from '../../core/ports.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import { FINAL_REJECTS } from '../../core/words/errors.ts'
import type { RejectEntry, StateLists } from '../../core/state.ts'

const AT_ONCE = 200

const isRetriable = ({ code }: RejectEntry): boolean => !FINAL_REJECTS.includes(code)

const itemOf = ({ values, text, rows, file, line }: RejectEntry): SourceItem => ({
  kind: 'record',
  values,
  line,
  file,
  ...(text === undefined ? {} : { text }),
  ...(rows === undefined ? {} : { rows }),
})

const sameHeader = (entry: RejectEntry, header: readonly string[]): boolean =>
  JSON.stringify(entry.header) === JSON.stringify(header)

/** Rejects that came under one header are one input; nothing is moved or written. `keys`: of these records alone. */
export function createRejectSource(
  state: Pick<StateLists, 'rejects'>,
  pipeline: string,
  { keys }: { readonly keys?: ReadonlySet<string> } = {},
): Source {
  const isMeant = (entry: RejectEntry): boolean =>
    isRetriable(entry) && (keys === undefined || (entry.key !== undefined && keys.has(entry.key)))
  const inputs = new Map<string, { header: readonly string[] }>()
  const list = async (): Promise<SourceInput[]> => {
    const found = new Map<string, { input: SourceInput; header: readonly string[] }>()
    for await (const entry of state.rejects([pipeline])) {
      if (!isMeant(entry)) continue
      const key = JSON.stringify(entry.header)
      const name = found.get(key)?.input.name ?? entry.file
      const which = keys === undefined ? { rejectsUpTo: entry.id } : ({ isPart: true } as const)
      const input = { name, version: `rejects up to ${entry.id}`, bytes: 0, ...which }
      found.set(key, { input, header: entry.header })
    }
    for (const { input, header } of found.values()) inputs.set(input.version, { header })
    return [...found.values()].map(({ input }) => input)
  }
  async function* batches(input: SourceInput, header: readonly string[]): AsyncGenerator<SourceItem[]> {
    let batch: SourceItem[] = []
    for await (const entry of state.rejects([pipeline])) {
      const isLater = input.rejectsUpTo !== undefined && entry.id > input.rejectsUpTo
      if (isLater || !isMeant(entry) || !sameHeader(entry, header)) continue
      batch.push(itemOf(entry))
      if (batch.length < AT_ONCE) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }
  return {
    list: async () => ({ ready: await list(), unsettled: 0, refused: [] }),
    open(input) {
      const header = inputs.get(input.version)?.header ?? []
      return Promise.resolve({
        header,
        bytesRead: () => 0,
        batches: () => batches(input, header),
        sha256: () => '',
        close: () => Promise.resolve(),
      })
    },
    isWaiting: () => Promise.resolve(false),
    clearLeftovers: () => Promise.resolve(),
    archive: () => Promise.resolve(true),
    writeRejects: () => Promise.resolve(),
  }
}
