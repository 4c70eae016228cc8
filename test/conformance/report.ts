// Shows the verdicts to a person: a document of the interface, section by section, with what became of each sentence.
import type { Verdict } from './suite.ts'

const MARKS: Readonly<Record<Verdict['verdict'], string>> = {
  holds: 'holds',
  'does not hold': 'DOES NOT HOLD',
  observed: 'observed',
}

const bySection = (one: Verdict, other: Verdict): number =>
  one.section.localeCompare(other.section, 'en', { numeric: true })

export function reportText(verdicts: readonly Verdict[]): string {
  const rows = verdicts.toSorted(bySection).map(({ section, sentence, verdict, remark }) => {
    const told =
      remark === '' ? '' : verdict === 'holds' ? ` (${remark})` : `: ${remark.replace(/\s+/g, ' ')}`
    return `${section.padEnd(4)} ${sentence}\n     ${MARKS[verdict]}${told}`
  })
  const count = (wanted: Verdict['verdict']): number =>
    verdicts.filter(({ verdict }) => verdict === wanted).length
  const sum = `${verdicts.length} sentences: ${count('holds')} hold, ${count('does not hold')} do not hold, ${count('observed')} observed where the interface is open`
  return `${rows.join('\n')}\n\n${sum}\n`
}
