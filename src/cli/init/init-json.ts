// A proposal as the JSON of `init --json`.
import type { Proposal } from '../../core/proposal/proposal.ts'
import { initQuestions } from '../../core/proposal/questions.ts'

export function proposalJson(proposal: Proposal): unknown {
  const { known, form, key, entries } = proposal
  const { type, sheet, records } = form
  const isKeyTaken = entries.some(({ field, confidence }) => field === 'key' && confidence >= 0.9)
  return {
    vendor: known?.preset ?? null,
    ...(type === 'csv' ? {} : { source: { type, sheet, records } }),
    encoding: type === 'csv' ? form.encoding : null,
    delimiter: type === 'csv' ? form.delimiter : null,
    ...(form.quote === '"' ? {} : { quote: form.quote }),
    skip_lines: form.skipLines,
    key: isKeyTaken ? key.column : null,
    columns: entries.map(({ column, field, rule, confidence, why }) => ({
      column,
      field,
      rule,
      confidence: Math.round(confidence * 100) / 100,
      why,
    })),
    questions: initQuestions(proposal),
  }
}
