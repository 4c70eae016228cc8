// Where what a proposed configuration names lies, and its text. The state and the inbox are those of the folder in which the
// command was called, wherever the configuration itself is written.
import { extname, relative, resolve } from 'node:path'
import { proposedText, SCHEMA_FILE } from '../../config/proposed-text.ts'
import type { Proposal } from '../../core/proposal/proposal.ts'

export interface ProposedFile {
  readonly cwd: string
  /** The folder of the configuration. */
  readonly folder: string
  readonly pipeline: string
  readonly samples: readonly string[]
}

export const EDITOR_SCHEMA = SCHEMA_FILE

const USUAL = {
  csv: ['.csv'],
  json: ['.json', '.jsonl', '.ndjson'],
  excel: ['.xlsx', '.xlsm'],
  vcard: ['.vcf', '.vcard'],
}

/** Patterns for the endings of the samples, where such a source does not take them anyway. */
function patternsFor(samples: readonly string[], { type }: Proposal['form']): readonly string[] {
  const endings = [...new Set(samples.map((file) => extname(file.replace(/\.gz$/i, ''))))]
  return endings.every((ending) => USUAL[type].includes(ending.toLowerCase()))
    ? []
    : endings.map((ending) => `*${ending}`)
}

export function configurationText(
  proposal: Proposal,
  { cwd, folder, pipeline, samples }: ProposedFile,
): string {
  const to = (...path: string[]): string =>
    relative(folder, resolve(cwd, 'state', ...path)).replaceAll('\\', '/')
  return proposedText(proposal, {
    pipeline,
    state: to('contact-sync.db'),
    inbox: to('inbox', pipeline),
    files: patternsFor(samples, proposal.form),
  })
}
