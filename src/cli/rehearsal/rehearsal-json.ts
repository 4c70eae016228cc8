// What `rehearse --json` prints of a pipeline, in the words of `plan --json`.
import type { PipelineRehearsal } from '../../app/run/rehearsal.ts'

export const rehearsalJson = (rehearsal: PipelineRehearsal) => ({
  pipeline: rehearsal.pipeline,
  status: rehearsal.status,
  files: rehearsal.files,
  unread: rehearsal.unread,
  records: rehearsal.records,
  differing: rehearsal.differing,
  keys_changed: rehearsal.keysChanged,
  outcomes: rehearsal.outcomes,
  by_field: rehearsal.byField,
  by_term: rehearsal.byTerm,
  unknown: rehearsal.unknownFields.map((name) => `custom_fields.${name}`),
  settings: rehearsal.settings,
})
