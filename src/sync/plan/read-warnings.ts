// Warnings of the operational log about an input that was read: the form of its text, and the fate of its values.
// Numbers and names of files alone: no values.
import type { InputReader, SourceInput } from '../../core/ports.ts'
import type { LeftOutCounter } from '../../core/change/plan/left-out.ts'
import type { LikelySame } from '../../core/outcome/likely-same.ts'
import type { StagedInput } from '../../core/state.ts'
import type { PlanContext } from '../context.ts'

type Log = Pick<PlanContext, 'log'>

/** How the text of a file looks, and that nothing keeps another installation from it, once it is open. */
export function warnAboutOpened(
  { twiceEncoded, contradicted }: Pick<InputReader, 'twiceEncoded' | 'contradicted'>,
  { name: file }: SourceInput,
  { log, source }: Pick<PlanContext, 'log' | 'source'>,
): void {
  if (source.isUnclaimed?.() === true) log.warn('store keeps no claims', { file })
  if (twiceEncoded !== undefined)
    log.warn('text appears to be encoded twice ("Ã¼" instead of "ü")', {
      file,
      ...twiceEncoded,
    })
  if (contradicted !== undefined)
    log.warn('file is UTF-8, but source.encoding differs', { file, ...contradicted })
}

/** What of a file is not read as displayed, once it was read to its end. */
export function warnAboutOddities(
  { oddities }: Pick<InputReader, 'oddities'>,
  { name: file }: SourceInput,
  { log }: Log,
): void {
  for (const odd of oddities?.() ?? [])
    log.warn('parts of a workbook not read as displayed', { file, ...odd })
}

/** What a repair is counted under begins with it. */
const REPAIRED = 'repaired: '

interface ValuesRead {
  readonly staged: StagedInput
  readonly mended: ReadonlyMap<string, number>
  readonly odd: ReadonlyMap<string, number>
  readonly several: { readonly records: number }
  readonly leftOut: LeftOutCounter
  readonly passedOver: { readonly withTerms: number }
}

/** What became of values and terms, once the plan stands. */
export function warnAboutValues(
  { mended, odd, several, passedOver, leftOut, staged }: ValuesRead,
  { log }: Log,
): void {
  const file = staged.input.name
  for (const [field, times] of mended) log.warn('values dropped or truncated', { field, times })
  for (const [kind, times] of odd)
    if (kind.startsWith(REPAIRED))
      log.info('values repaired', { file, repair: kind.slice(REPAIRED.length), times })
    else log.warn('values look damaged: sent unchanged', { file, kind, times })
  for (const [lack, records] of Object.entries(leftOut.totals().unproven))
    log.warn('consents not raised: no evidence', { file, lack, records })
  if (several.records > 0)
    log.warn('records skipped: several contacts have the e-mail address', {
      file,
      records: several.records,
    })
  if (passedOver.withTerms > 0)
    log.warn('terms ignored: a later record of the same key counts', {
      file,
      records: passedOver.withTerms,
    })
}

/** Persons who are probably in the source twice. */
export function warnAboutLikelySame(
  { name }: { readonly name: string },
  found: LikelySame | undefined,
  { log }: Log,
): void {
  if (found !== undefined)
    log.info('records probably the same person under different keys', { file: name, pairs: found.pairs })
}
