// The sandbox, for the commands that start one.
export { habitsHelp, habitsOf } from '../sandbox/habit-text.ts'
export { startSandbox } from '../sandbox/server.ts'
