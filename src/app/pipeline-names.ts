// The names of the pipelines, for the completion of a shell: no more than that is loaded while an operator types.
export { pipelineNames } from '../config/pipeline-names.ts'
