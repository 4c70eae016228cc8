// What `init` prints about a proposal and what it makes of the samples.
import type { Tried } from '../../app/init/trying.ts'
import { isSure } from '../../core/proposal/entry.ts'
import type { Proposal } from '../../core/proposal/proposal.ts'
import { number, plural } from '../../core/words/format.ts'

const LANGUAGES = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  it: 'Italian',
  nl: 'Dutch',
  pl: 'Polish',
  pt: 'Portuguese',
}

function writtenAs({ type, sheet, records, encoding, delimiter, quote }: Proposal['form']): string {
  switch (type) {
    case 'csv':
      return `${encoding}, delimiter ${delimiter === '\t' ? 'tab' : `"${delimiter}"`}${quote === '"' ? '' : `, values in ${quote}`}`
    case 'excel':
      return `Excel${sheet === undefined ? '' : `, sheet "${sheet}"`}`
    case 'json':
      return `JSON${records === undefined ? '' : `, records in "${records}"`}`
    case 'vcard':
      return 'vCard'
  }
}

function formText({ form, known, languages, files }: Proposal): readonly string[] {
  const records = files.reduce((sum, file) => sum + file.records, 0)
  const [language] = languages
  const preamble = form.skipLines === 0 ? '' : `, ${plural(form.skipLines, 'line')} before the header`
  return [
    `${plural(files.length, 'sample')}, ${plural(records, 'record')}: ${writtenAs(form)}${preamble}${language === undefined ? '' : `, header in ${LANGUAGES[language]}`}`,
    known === undefined
      ? 'No preset matches: each column is examined.'
      : `Recognised: ${known.preset} (${known.confidence.toFixed(2)}: ${known.why})`,
  ]
}

/** The fields that are mapped, the most certain first, and the columns that are not. */
export function proposalLines(proposal: Proposal): readonly string[] {
  const { entries, key } = proposal
  const sure = entries.filter(isSure)
  const left = entries.filter((entry) => !isSure(entry))
  const width = Math.max(0, ...sure.map(({ field }) => String(field).length))
  return [
    ...formText(proposal),
    ...(sure.some(({ field }) => field === 'key') ? [] : [`key: the e-mail address (${key.why})`]),
    ...sure.map(
      ({ field, column, confidence }) =>
        `  ${String(field).padEnd(width)}  ${confidence.toFixed(2)}  "${column}"`,
    ),
    ...(left.length === 0
      ? []
      : [
          `Left out, with the reasons in the file: ${[...new Set(left.map(({ column }) => `"${column}"`))].join(', ')}`,
        ]),
  ]
}

/** What becomes of the samples. */
export function triedLines({ mapped, skipped, rejected, dropped, reasons }: Tried): readonly string[] {
  const total = mapped + skipped + rejected
  const values = Object.entries(dropped).map(([field, times]) => `${field} ${number(times)}`)
  const why = Object.entries(reasons).sort(([, one], [, other]) => other - one)
  return [
    `Of ${plural(total, 'sample record')}: ${number(mapped)} mapped, ${number(skipped)} skipped, ${number(rejected)} rejected.`,
    ...(values.length === 0 ? [] : [`Invalid values left out: ${values.join(', ')}.`]),
    ...why.slice(0, 5).map(([reason, times]) => `  rejected (${number(times)}): ${reason}`),
  ]
}
