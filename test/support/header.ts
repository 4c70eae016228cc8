// The first usable column of whatever file lies in a folder, for tests over files whose columns are unknown.
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { systemClock } from '../../src/system.ts'

const FALLBACK = 'first'

/** Falls back to a name that no file has, where the file cannot be read: the run has to say why. */
export async function firstColumn(folder: string): Promise<string> {
  const options = SOURCE_KINDS['csv']?.schema.parse({ folder, files: '*', settle: '0s' }) as Record<
    string,
    unknown
  >
  const source = createSource({ type: 'csv', null_values: [], ...options }, { clock: systemClock })
  try {
    const [input] = (await source.list({ wait: false })).ready
    if (input === undefined) return FALLBACK
    const reader = await source.open(input, { columns: [] })
    await reader.close()
    return reader.header.find((name) => name !== '') ?? FALLBACK
  } catch {
    return FALLBACK
  }
}
