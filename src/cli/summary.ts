// What one run did, for a person: what happened first, then what to look at, then what to type next.
import { isOperatorStop } from '../core/outcome/circuit.ts'
import { type InputReport, type Outcome, OUTCOMES } from '../core/outcome/summary.ts'
import type { PipelineResult } from '../sync/run.ts'
import { ERRORS } from '../core/words/errors.ts'
import { number, plural, spanText } from '../core/words/format.ts'
import { leftToOwnersLines } from './left-out-text.ts'
import { likelySameLines } from './likely-same-text.ts'

const HEADLINES: Record<PipelineResult['status'], string> = {
  ok: 'done',
  partial: 'done, with open records',
  held: 'done, with changes held back',
  failed: 'given up',
}

function headline(result: PipelineResult): string {
  if (!isOperatorStop(result)) return HEADLINES[result.status]
  return `${result.code === 'PAUSED' ? 'paused' : 'stopped'}, so nothing more was sent`
}

const outcomeName = (outcome: Outcome): string => outcome.replace('_', ' ')

function fileLines({ status, error, hint }: InputReport): string[] {
  if (error === undefined) return []
  const verdict = status === 'left' ? 'left for the next run' : status
  return [`  ${verdict}: ${error}`, ...(hint === undefined ? [] : [`    ${hint}`])]
}

function nextSteps(result: PipelineResult): string[] {
  const steps: string[] = []
  if (result.rejected > 0)
    steps.push(`  why records were rejected: contact-sync rejects list ${result.pipeline}`)
  if (result.failed > 0) steps.push('  failed records are kept and tried again by the next run')
  if (result.held + result.held_deletes > 0)
    steps.push(`  what is held, and why: contact-sync held list ${result.pipeline}`)
  // Under `hand_edits: ask` a record counts as held for a field that was edited, and is in no list of held changes.
  if (result.held > 0 && result.kept_edits > 0)
    steps.push(
      `  edits that wait: contact-sync edits list ${result.pipeline}; to let the source overwrite one: contact-sync edits release ${result.pipeline} KEY`,
    )
  if (result.in_doubt > 0)
    steps.push(
      `  in doubt: whether these were applied is unknown; the next run looks up those with an e-mail address again, the others need a decision: contact-sync doubts list ${result.pipeline}`,
    )
  return steps
}

/** `phone 12, fax 3`: what the update method keeps back. */
export function withheldLines(withheld: Readonly<Record<string, number>> | undefined): string[] {
  if (withheld === undefined) return []
  const fields = Object.entries(withheld).map(([field, times]) => `${field} ${number(times)}`)
  return [`  withheld by update_method: ${fields.join(', ')}`]
}

/** What was edited at the service and stays. */
function keptEditsLines(kept: number, pipeline: string): string[] {
  if (kept === 0) return []
  return [`  ${plural(kept, 'field')} left as edited at the service: contact-sync edits list ${pipeline}`]
}

export function resultLines(result: PipelineResult): readonly string[] {
  const counts = OUTCOMES.filter((outcome) => result[outcome] > 0)
  const parts = counts.map((outcome) => `${number(result[outcome])} ${outcomeName(outcome)}`)
  const retried = result.retries > 0 ? `, ${plural(result.retries, 'retry', 'retries')}` : ''
  if (result.deleted > 0) parts.push(`${number(result.deleted)} deleted`)
  if (result.held_deletes > 0) parts.push(`${plural(result.held_deletes, 'delete')} held`)
  const { deletes_failed: failedDeletes = 0 } = result
  if (failedDeletes > 0) parts.push(`${plural(failedDeletes, 'delete')} not carried out`)
  const head = `${result.pipeline}: ${headline(result)}: ${plural(result.read, 'record')} in ${spanText(result.duration_ms)}, ${plural(result.requests, 'request')}${retried}`
  const stopped =
    result.code === undefined || result.error === undefined
      ? []
      : [
          `  ${result.code}: ${result.error}`,
          ...(isOperatorStop(result) ? [`  ${ERRORS[result.code].hint}`] : []),
        ]
  if (result.terms_created > 0) parts.push(`${plural(result.terms_created, 'term')} made`)
  if (result.erased > 0) parts.push(`of those skipped ${number(result.erased)} erased by request`)
  const body = parts.length === 0 ? [] : [`  ${parts.join(', ')}`]
  return [
    head,
    ...body,
    ...withheldLines(result.withheld),
    ...keptEditsLines(result.kept_edits, result.pipeline),
    ...leftToOwnersLines(result).map((line) => `  ${line}`),
    ...stopped,
    ...result.files.flatMap(fileLines),
    ...likelySameLines(result.files),
    ...nextSteps(result),
  ]
}
