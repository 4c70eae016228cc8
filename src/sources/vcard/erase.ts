// Finds a person's cards in a file, and gives the file without them. The cards of others stay on the lines on which they were.
import type { Naming, Sought } from '../../core/erasing.ts'
import { type Found, openStored, storedBytes, type StoredFile } from '../folder/erasing.ts'
import { unitOf, withoutLines } from '../text/blank-lines.ts'
import { byteText } from '../text/readings.ts'
import { createSpans } from '../text/search-lines.ts'
import { openCardText } from './card-text.ts'
import { type RawCard, rawCards } from './cards.ts'
import { type CardColumn, cardColumn } from './columns.ts'
import type { VcardOptions } from './options.ts'
import { BadLine, propertiesOf } from './properties.ts'

/** Everything that a card says, as text: folded and encoded words would not be found. */
function namingOf(
  card: RawCard,
  readers: readonly CardColumn[],
  charset: string | undefined,
  sought: Sought,
) {
  const lines = (): Naming | Promise<Naming> =>
    sought.ofLine(byteText(Buffer.from(card.lines.map(({ text }) => text).join('\n'))))
  if (card.fault !== undefined) return lines()
  try {
    const properties = propertiesOf(card.lines, charset)
    const values = readers.map((read) => read(properties) ?? '')
    const text = properties.map(({ parts }) => parts.flat().join(' ')).join('\n')
    return sought.ofRecord(sought.columns, values, text)
  } catch (error) {
    if (error instanceof BadLine) return lines()
    throw error
  }
}

/** Throws a SyncError of class `input` for a file that cannot be read as cards. */
export async function findCards(put: StoredFile, options: VcardOptions, sought: Sought): Promise<Found> {
  const file = await openStored(put)
  try {
    const { form, parts } = await openCardText(file, options.encoding)
    const readers = sought.columns.map(cardColumn)
    const charset = options.encoding === 'auto' ? undefined : options.encoding
    const spans = createSpans()
    for await (const some of rawCards(put.input.name, parts()))
      for (const card of some)
        spans.note(await namingOf(card, readers, charset, sought), card.line, card.last)
    return {
      records: spans.gone.length,
      uncertain: spans.uncertain,
      content: () => withoutLines(storedBytes(put), spans.gone, unitOf(form.encoding)),
    }
  } finally {
    await file.close()
  }
}
