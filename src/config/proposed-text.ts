// A proposal as a configuration: YAML with a reason at every line, and what was left out as comments.
// What is written here loads without an edit once the variables that it names are set.
import { stringify } from 'yaml'
import { FULL_ADDRESS_FIELDS } from '../core/mapping/contact.ts'
import { isSure, type ProposedEntry, type ProposedRule } from '../core/proposal/entry.ts'
import { mailColumns, type Proposal, sureFields } from '../core/proposal/proposal.ts'
import { plural } from '../core/words/format.ts'
import { oneLine } from '../core/words/harmless.ts'

export interface ProposedPlaces {
  readonly pipeline: string
  /** Of the state and the inbox, relative to the configuration. */
  readonly state: string
  readonly inbox: string
  /** Patterns of the samples' names, where they are not the usual ones. */
  readonly files: readonly string[]
}

/** What editors complete and check the file by; it lies beside the configuration. */
export const SCHEMA_FILE = 'contact-sync.schema.json'

/** So long is a line of a comment. */
const COLUMNS = 116
/** The words before a proposal's confidence and reason fit beside a short rule; beyond this they stand above it. */
const INDENT = '      '

/** A value in one line. A variable's form in a sample is only text. */
function inFlow(value: unknown): string {
  const plain = JSON.parse(JSON.stringify(value).replaceAll('${', '$$${')) as unknown
  return stringify(plain, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd()
}

function comment(text: string, indent: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of oneLine(text).split(' ')) {
    if (line !== '' && indent.length + 2 + line.length + 1 + word.length > COLUMNS) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((one) => `${indent}# ${one}`)
}

const quoted = (name: string): string => `"${oneLine(name)}"`
const certainty = ({ confidence, why }: ProposedEntry): string => `${confidence.toFixed(2)}: ${why}`

/** All columns but the key's are optional. A preset says for itself what becomes of invalid values. */
function written({ field, rule }: ProposedEntry, { isMailNeeded = false, isPreset = false }): ProposedRule {
  const drops = isPreset ? { on_invalid: 'drop' } : {}
  if (field === 'mail') return { ...rule, on_invalid: 'reject', ...(isMailNeeded ? {} : { optional: true }) }
  if (rule?.['phone_type_of'] !== undefined) return rule
  return { ...rule, ...drops, optional: true }
}

const isKeyed = ({ entries, key }: Pick<Proposal, 'entries' | 'key'>): boolean =>
  key.column !== null && entries.some((entry) => entry.field === 'key' && isSure(entry))

function mapLines({ entries, key, known }: Proposal, isSkipping: boolean): readonly string[] {
  const mapped = entries.filter((entry) => isSure(entry) && entry.rule !== null && entry.field !== 'terms')
  return mapped.flatMap((entry) => {
    const rule = written(entry, {
      isMailNeeded: isSkipping || !isKeyed({ entries, key }),
      isPreset: known !== undefined,
    })
    return [...comment(certainty(entry), INDENT), `${INDENT}${String(entry.field)}: ${inFlow(rule)}`]
  })
}

/** Columns that are left out, each with the reason, and with the line to put in where there is one. */
function leftOutLines({ entries, known }: Proposal): readonly string[] {
  const left = entries.filter((entry) => !isSure(entry))
  if (left.length === 0) return []
  const lines = left.flatMap((entry) => {
    const { field, rule, column, choices = [] } = entry
    if (field === null || rule === null || field === 'terms')
      return comment(`${quoted(column)}: ${entry.why}`, INDENT)
    const line = (chosen: ProposedRule | null): string =>
      `${field}: ${inFlow(written({ ...entry, rule: chosen }, { isPreset: known !== undefined }))}`
    const ways = choices.map((choice) => `${line(choice.rule)}   # ${choice.means}`)
    return [
      ...comment(`${quoted(column)}, ${certainty(entry)}. To take it:`, INDENT),
      ...(ways.length === 0 ? [line(rule)] : ways).flatMap((way) => `${INDENT}# ${way}`),
    ]
  })
  return ['', `${INDENT}# Left out. A guess below 0.90 is never accepted without an answer.`, ...lines]
}

function presetLines({ known, entries }: Proposal): readonly string[] {
  if (known === undefined) return []
  const mapped = entries.filter(({ field, rule }) => field !== null && field !== 'key' && rule === null)
  const named = mapped.map(({ column, field }) => `${String(field)} (${quoted(column)})`).join(', ')
  return comment(`By the preset: ${named}.`, '    ')
}

/** A last line without a break may be cut off; where all samples end so, the source writes it so. */
function lastLine(unended: number, files: number): readonly string[] {
  if (unended > 0 && unended === files) {
    const what = files === 1 ? 'The sample does not end' : 'No sample ends'
    return [`# ${what} with a line break. Remove this where files may be cut off.`, 'last_line: accept']
  }
  if (unended === 0) return []
  return [
    '# A sample ends without a line break, and may be cut off: its last record is rejected. If all files end like this:',
    '# last_line: accept',
  ]
}

/** What only some kinds of source have to say. */
function kindLines({ type, sheet, records }: Proposal['form']): readonly string[] {
  return [
    `type: ${type}`,
    ...(sheet === undefined ? [] : [`sheet: ${inFlow(sheet)}`]),
    ...(records === undefined ? [] : [`records: ${inFlow(records)}`]),
  ]
}

/** How text with separated values is written. */
function textLines({ known, form }: Pick<Proposal, 'known' | 'form'>): readonly string[] {
  if (form.type !== 'csv') return []
  const { encoding, delimiter, quote } = form
  const preset = known?.form
  const isUtf8 = encoding === 'utf-8'
  const encodingLine = isUtf8
    ? preset === undefined || preset.encoding === 'auto'
      ? []
      : ['encoding: auto']
    : preset?.encoding === encoding
      ? []
      : [`encoding: ${encoding}`]
  return [
    ...encodingLine,
    ...(delimiter === preset?.delimiter
      ? []
      : [`delimiter: ${delimiter === '\t' ? 'tab' : inFlow(delimiter)}`]),
    ...(quote === '"' ? [] : [`quote: ${inFlow(quote)}`]),
  ]
}

function sourceLines(
  { known, form, samples, files: sampled }: Proposal,
  { inbox, files }: ProposedPlaces,
): readonly string[] {
  const { skipLines, isRagged, unended } = form
  const lines = [
    ...(known === undefined ? kindLines(form) : [`preset: ${known.preset}`]),
    `folder: ${inFlow(inbox)}`,
    ...(files.length === 0 ? [] : [`files: ${inFlow(files)}`]),
    ...textLines({ known, form }),
    ...(skipLines === 0
      ? []
      : [`# The header was found on line ${skipLines + 1} of the samples.`, 'skip_lines: auto']),
    ...(isRagged
      ? ['# Most rows show how to read those with more or fewer values than the header.', 'ragged: auto']
      : []),
    ...lastLine(unended, sampled.length),
    ...(samples.blankMarks.length === 0 ? [] : [`null_values: ${inFlow(samples.blankMarks)}`]),
  ]
  return [
    '    source:',
    ...(known === undefined ? [] : comment(certain(known), INDENT)),
    ...lines.map((line) => INDENT + line),
  ]
}

const certain = ({ confidence, why }: { confidence: number; why: string }): string =>
  `${confidence.toFixed(2)}: ${why}`

function keyLines({ key, known, entries }: Proposal): readonly string[] {
  const { column, confidence, why, others } = key
  const isTaken = isKeyed({ entries, key })
  const other = others.length === 0 ? [] : comment(`Equally good: ${others.map(quoted).join(', ')}.`, '    ')
  if (column === null || !isTaken)
    return [
      ...comment(
        column === null
          ? why
          : `${quoted(column)} would be a key, ${certain(key)}. Without it the e-mail address is the key.`,
        '    ',
      ),
      ...(known?.key === undefined ? [] : ['    key: null']),
    ]
  const isPresets = known?.key?.length === 1 && known.key[0] === column
  return [
    ...comment(`${confidence.toFixed(2)}: ${why}.`, '    '),
    ...other,
    ...(isPresets ? [] : [`    key: ${inFlow(column)}`]),
  ]
}

/** Records of the samples without a mail, and mails that several of them have. */
function mailFacts({ samples, ...proposal }: Proposal): { readonly without: number; readonly again: number } {
  const columns = mailColumns(proposal)
  let [without, again] = [0, 0]
  for (const { header, rows } of samples.files) {
    const seen = new Set<string>()
    const places = columns.map((column) => header.indexOf(column)).filter((place) => place >= 0)
    for (const row of rows) {
      const mail = places
        .map((place) => row[place] ?? '')
        .find((value) => value !== '')
        ?.toLowerCase()
      if (mail === undefined) without += 1
      else if (seen.has(mail)) again += 1
      if (mail !== undefined) seen.add(mail)
    }
  }
  return { without, again }
}

function recordLines(proposal: Proposal): {
  readonly lines: readonly string[]
  readonly isSkipping: boolean
} {
  const { samples } = proposal
  const { without, again } = mailFacts(proposal)
  const hasMail = mailColumns(proposal).length > 0
  const fields = sureFields(proposal)
  const isWithoutMail = isKeyed(proposal) && FULL_ADDRESS_FIELDS.every((field) => fields.has(field))
  const isSkipping = hasMail && without > 0 && !isWithoutMail
  const lines = [
    ...(isSkipping
      ? [
          ...comment(
            `${plural(without, 'sample record')} without an e-mail address: such records are skipped and counted.`,
            '    ',
          ),
          '    skip_without: [mail]',
        ]
      : []),
    ...(hasMail && !isKeyed(proposal) && again > 0 && proposal.known?.rejectsDuplicates !== false
      ? comment(
          `${plural(again, 'sample record')} with the address of an earlier one: such records are rejected. If they are one person, write on_duplicate_key: union; if they are two, key: { fields: [mail, first_name] }.`,
          '    ',
        )
      : []),
    ...(samples.repairs.length === 0
      ? []
      : [
          ...comment('Some values were damaged by a spreadsheet or a web page; repairs are counted.', '    '),
          `    repair: ${inFlow(samples.repairs)}`,
        ]),
  ]
  return { lines, isSkipping }
}

function termLines({ entries }: Proposal): readonly string[] {
  const terms = entries.filter(({ field }) => field === 'terms')
  const sure = terms.filter(isSure)
  const open = terms.filter((entry) => !isSure(entry))
  return [
    ...open.flatMap((entry) => [
      ...comment(`${quoted(entry.column)}, ${certainty(entry)}. To take them:`, '    '),
      `    # terms: { assign: [${inFlow(entry.rule)}] }`,
    ]),
    ...(sure.length === 0
      ? []
      : [`    terms: { assign: [${sure.map(({ rule }) => inFlow(rule)).join(', ')}] }`]),
  ]
}

function expectLines({ expect, files }: Proposal): readonly string[] {
  if (expect === undefined) return []
  const base = plural(files.length, 'sample')
  return [
    ...comment(
      `From ${base}; a file that breaks it is held as a whole, before anything of it is sent.`,
      '    ',
    ),
    '    expect:',
    ...Object.entries(expect).map(([name, value]) => `${INDENT}${name}: ${inFlow(value)}`),
  ]
}

function headLines({ files }: Proposal): readonly string[] {
  const from = files.map(({ name, records }) => `${oneLine(name)} (${plural(records, 'record')})`).join(', ')
  return [
    `# yaml-language-server: $schema=${SCHEMA_FILE}`,
    ...comment(
      `Proposed by contact-sync init from ${from}. Each line says how sure it is, from 0 to 1, and why.`,
      '',
    ),
    '# Set CONTACT_SYNC_BASE_URL and CONTACT_SYNC_API_KEY, then: contact-sync check, contact-sync plan, contact-sync run.',
    '',
    'service:',
    '  # The address where users sign in, without a path.',
    '  base_url: ${CONTACT_SYNC_BASE_URL}',
    '  # Never write the key itself here.',
    '  api_key: ${CONTACT_SYNC_API_KEY}',
  ]
}

/** The whole file. */
export function proposedText(proposal: Proposal, places: ProposedPlaces): string {
  const records = recordLines(proposal)
  const map = mapLines(proposal, records.isSkipping)
  const lines = [
    ...headLines(proposal),
    'state:',
    `  path: ${inFlow(places.state)}`,
    '',
    'pipelines:',
    `  ${places.pipeline}:`,
    ...sourceLines(proposal, places),
    '    # incremental: a file has some records. full: it has all of them, and on_missing decides about the others.',
    '    mode: incremental',
    '    # keep: values that were edited at the service stay, see contact-sync edits list. overwrite: the source wins.',
    '    hand_edits: keep',
    ...keyLines(proposal),
    ...records.lines,
    ...(proposal.known === undefined
      ? [
          '    # An invalid value is left out with a warning, the contact is still sent; the e-mail address is the exception.',
          '    on_invalid: drop',
        ]
      : []),
    ...presetLines(proposal),
    ...(map.length === 0 && proposal.known !== undefined ? [] : ['    map:']),
    ...map,
    ...leftOutLines(proposal),
    ...termLines(proposal),
    ...expectLines(proposal),
  ]
  return `${lines.join('\n')}\n`
}
