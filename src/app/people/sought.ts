// The person who is to be erased, as files and messages are searched for them. Part of the composition: which key a record
// has, the mapping says; whose it is, the state; and how values may be misread, the sources.
import {
  ERASED_QUOTE,
  type ErasedBefore,
  mailNaming,
  type Recognition,
  recognition,
  type Subject,
  type Theirs,
} from '../../core/erasing.ts'
import { anyRecordKeys } from '../../core/mapping/household-keys.ts'
import { wantedColumns } from '../../core/mapping/mapping.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { inBytes, readings } from '../../sources/text/readings.ts'

/** What is known of the person: values, or, of a person who was erased before, only tombstones. */
export interface SoughtPerson {
  readonly subject: Subject
  readonly before: ErasedBefore | undefined
}

/** The person in messages and names, whichever pipeline they are about. */
export function inMessages({ subject, before }: SoughtPerson, pipelines: readonly string[]): Recognition {
  const known = recognition(subject, readings)
  const isErased = (text: string): boolean =>
    before !== undefined && pipelines.some((name) => before.isTheirs(name, { key: undefined, texts: [text] }))
  return {
    naming: (text) => (isErased(text) ? 'surely' : known.naming(text)),
    isPartOf: (text) => isErased(text) || known.isPartOf(text),
    redacted: (text) => (isErased(text) ? ERASED_QUOTE : known.redacted(text)),
    redactedData: (text) => (isErased(text) ? ERASED_QUOTE : known.redactedData(text)),
    withoutQuotes: (text) => (isErased(text) ? ERASED_QUOTE : known.withoutQuotes(text)),
  }
}

/** `isOfOthers`: whether a record with this key is of another contact. */
export async function theirsIn(
  pipeline: PipelineSettings,
  { subject, before }: SoughtPerson,
  { isOfOthers, now }: { isOfOthers(key: string): boolean; readonly now: number },
): Promise<Theirs> {
  const inTexts = inMessages({ subject, before }, [pipeline.name])
  const inLines = recognition(subject, inBytes)
  const own = subject.keys.filter((one) => one.pipeline === pipeline.name)
  // A value that equals a key of another pipeline may be anything: a postal code, say.
  const inRecords = inMessages({ subject: { ...subject, keys: own }, before }, [pipeline.name])
  const namesMail = mailNaming(subject)
  const keys = new Set(own.flatMap(({ key }) => readings(key)))
  const read = await anyRecordKeys(pipeline, { writtenAt: now })
  const isErased = (text: string): boolean =>
    before?.isTheirs(pipeline.name, { key: undefined, texts: [text] }) === true
  return {
    columns: wantedColumns(pipeline),
    ofRecord(header, values, text) {
      const key = read(header, values)
      if (key !== undefined && keys.has(key)) return 'surely'
      const texts = text === undefined ? values : [...values, text]
      if (before?.isTheirs(pipeline.name, { key, texts }) === true) return 'surely'
      const isOfMail = namesMail(texts)
      const naming = isOfMail ? 'surely' : inRecords.naming(texts.join('\n'))
      if (key === undefined || naming === undefined) return naming
      if (isOfOthers(key)) return undefined
      // It has its own key: by a mail it is certainly theirs, by anything else it may belong to a similar person.
      // In a household the address may belong to another person.
      if (isOfMail && pipeline.household === undefined) return 'surely'
      return naming === 'surely' ? 'maybe' : undefined
    },
    ofLine: (line) => (isErased(line) ? 'surely' : inLines.naming(line)),
    isNamed: inTexts.isPartOf,
    withoutQuotes: inTexts.withoutQuotes,
  }
}
