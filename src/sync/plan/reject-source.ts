// The rejected records of a pipeline as a source: read again as they came, under the mapping of today. What an earlier
// file reported about them may be resolved by a changed mapping, a new term, or a service that accepts them now.
import type { Source, SourceInput } from '../../core/ports.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import { isRetriable } from '../../core/words/errors.ts'
import type { RejectEntry, StateLists } from '../../core/state.ts'

const AT_ONCE = 200

const itemOf = ({ values, text, rows, file, line }: RejectEntry): SourceItem => ({
  kind: 'record',
  values,
  line,
  file,
  ...(text === undefined ? {} : { text }),
  ...(rows === undefined ? {} : { rows }),
})

interface Retried {
  readonly input: SourceInput
  readonly header: readonly string[]
  /** The input that they were read from. */
  readonly from: RejectEntry['input']
}

/**
 * The rejects of each input are an input again, with its name and digest; nothing is moved or written. `keys`: of these records
 * alone.
 */
export function createRejectSource(
  state: Pick<StateLists, 'rejects'>,
  pipeline: string,
  { keys }: { readonly keys?: ReadonlySet<string> } = {},
): Source {
  const isMeant = (entry: RejectEntry): boolean =>
    isRetriable(entry) && (keys === undefined || (entry.key !== undefined && keys.has(entry.key)))
  const retried = new Map<string, Retried>()
  const list = async (): Promise<SourceInput[]> => {
    const found = new Map<number, Retried>()
    for await (const entry of state.rejects([pipeline])) {
      if (!isMeant(entry)) continue
      const { header, id: upTo, input: from } = entry
      const of = { input: from.id, upTo }
      const which =
        keys === undefined ? { rejectsOf: of } : ({ rejectsOf: { ...of, keys }, isPart: true } as const)
      const version = `rejects of input ${from.id} up to ${upTo}`
      found.set(from.id, { input: { name: from.name, version, bytes: 0, ...which }, header, from })
    }
    for (const one of found.values()) retried.set(one.input.version, one)
    return [...found.values()].map(({ input }) => input)
  }
  async function* batches({ rejectsOf }: SourceInput, of: number): AsyncGenerator<SourceItem[]> {
    let batch: SourceItem[] = []
    for await (const entry of state.rejects([pipeline], of)) {
      if (!isMeant(entry) || (rejectsOf !== undefined && entry.id > rejectsOf.upTo)) continue
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
      const of = retried.get(input.version)
      if (of === undefined) throw new Error(`not listed: ${input.version}`)
      return Promise.resolve({
        header: of.header,
        bytesRead: () => 0,
        batches: () => batches(input, of.from.id),
        sha256: () => of.from.sha256,
        close: () => Promise.resolve(),
      })
    },
    isWaiting: () => Promise.resolve(false),
    clearLeftovers: () => Promise.resolve(),
    archive: () => Promise.resolve(true),
    writeRejects: () => Promise.resolve(),
  }
}
