// Reads one file of vCards. It has no header: the mapping's columns are its header. A card that cannot be read is
// one reject, with the line on which it begins; the others are read.
import type { SourceItem } from '../../core/mapping/record.ts'
import type { InputReader, OpenOptions } from '../../core/ports.ts'
import { checkedWhole, closingOnFailure, type InputFile } from '../input-file.ts'
import { openCardText } from './card-text.ts'
import { type RawCard, rawCards } from './cards.ts'
import { type CardColumn, cardColumn } from './columns.ts'
import type { VcardOptions } from './options.ts'
import { BadLine, propertiesOf } from './properties.ts'

/** The encoding that is set holds for quoted-printable text without a charset, too. */
const charsetOf = ({ encoding }: Pick<VcardOptions, 'encoding'>): string | undefined =>
  encoding === 'auto' ? undefined : encoding

/** The record of a card, or what is wrong with it. */
function itemOf(card: RawCard, readers: readonly CardColumn[], charset: string | undefined): SourceItem {
  const { line, fault } = card
  const defect = (message: string): SourceItem => ({
    kind: 'defect',
    code: 'RECORD_NOT_A_CARD',
    message,
    values: [],
    line,
  })
  if (fault !== undefined) return defect(fault)
  try {
    const properties = propertiesOf(card.lines, charset)
    return { kind: 'record', values: readers.map((read) => read(properties) ?? ''), line }
  } catch (error) {
    if (error instanceof BadLine) return defect(`Line ${error.line} cannot be read: ${error.message}`)
    throw error
  }
}

/** The optional columns that no card has: found by a reading of the whole file, where there are such columns at all. */
async function missingColumns(
  cards: () => AsyncIterable<RawCard[]>,
  optional: readonly string[],
  charset: string | undefined,
): Promise<readonly string[]> {
  let missing = optional
  if (missing.length === 0) return missing
  const readers = new Map(optional.map((column) => [column, cardColumn(column)]))
  for await (const some of cards())
    for (const card of some) {
      if (missing.length === 0) return missing
      const asked = missing.map((column) => readers.get(column) ?? (() => undefined))
      const item = itemOf(card, asked, charset)
      if (item.kind === 'record') missing = missing.filter((_, index) => item.values[index] === '')
    }
  return missing
}

/** Opens a file as vCards; closes it when that fails. Throws a SyncError of class `input` or `later`. */
export function readVcard(
  file: InputFile,
  options: VcardOptions,
  { columns: asked, optional = [] }: Pick<OpenOptions, 'columns' | 'optional'>,
): Promise<InputReader> {
  return closingOnFailure(file, async () => {
    const { form, parts } = await openCardText(file, options.encoding)
    const charset = charsetOf(options)
    const cards = (): AsyncGenerator<RawCard[]> => rawCards(file.name, parts())
    const missing = await missingColumns(cards, optional, charset)
    const columns = asked.filter((column) => !missing.includes(column))
    const readers = columns.map(cardColumn)
    const read = cards()
    async function* items(): AsyncGenerator<SourceItem[]> {
      for await (const some of read) yield some.map((card) => itemOf(card, readers, charset))
    }
    return {
      header: columns,
      ...(form.twiceEncoded === undefined ? {} : { twiceEncoded: form.twiceEncoded }),
      ...(form.contradicted === undefined ? {} : { contradicted: form.contradicted }),
      bytesRead: () => file.bytesRead(),
      batches: () => checkedWhole(file, items()),
      sha256: () => file.sha256(),
      close: async () => {
        await read.return(undefined)
        await file.close()
      },
    }
  })
}
