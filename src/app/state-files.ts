// The file of the state, as commands ask for it without a run: what is in it, who has it, a copy of it.
export { backupState } from '../store/file/backup.ts'
export { stateDoubt, stateInfo, stateOwner } from '../store/info.ts'
export { openStateForReading } from '../store/state-store.ts'
