// The operational log, for the commands that run something.
export { createLog } from '../log/log.ts'
