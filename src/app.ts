// What commands may ask for: the door between `cli` and everything else. The composition lies in `app/`.
// Nothing is done at import, and what only one command needs is loaded when that command runs: a start must be quick.
import type * as AlertCommands from './app/alert-commands.ts'
import { askService } from './app/checking.ts'
import type { startDaemon as StartDaemon } from './app/daemon.ts'
import type { openWatching as OpenWatching } from './app/daemon-watch.ts'
import type { releaseHeld as ReleaseHeld, Resolved, Verdict } from './app/decisions.ts'
import type { forgetContact as ForgetContact, readmitContact as ReadmitContact } from './app/forgetting.ts'
import type { acceptState as AcceptState, rebuildState as RebuildState } from './app/rebuilding.ts'
import type { dropPipeline as DropPipeline, renamePipeline as RenamePipeline } from './app/pipelines.ts'
import type { rebindState as RebindState } from './app/service-binding.ts'
import type { subjectReport as SubjectReport } from './app/subject-report.ts'
import type { renameTerm as RenameTerm } from './app/term-names.ts'
import type { supportBundle as SupportBundle } from './app/support-bundle.ts'
import type { Settings } from './core/settings.ts'
import type { startSandbox as StartSandbox } from './sandbox/server.ts'
import { SOURCE_KINDS } from './sources/registry.ts'
import type { backupState as BackupState } from './store/backup.ts'
import type { stateInfo as StateInfo, stateOwner as StateOwner } from './store/info.ts'

export { askService, checkColumns, termProblems } from './app/checking.ts'
export { contactsAt, type ContactView } from './app/contact-view.ts'
export type { Certificate } from './app/forgetting.ts'
export { exportLog, knownHead, type LogFormat, rebuildLogIndexes, writeText } from './app/audit-files.ts'
export { writeExport } from './app/export-file.ts'
export { loadConfiguration } from './app/configuration.ts'
export { assertReadOfService, bindingWarning, refusingOtherService } from './app/service-binding.ts'
export { preview, previewUndo } from './app/preview.ts'
export { openRunner, type Runner } from './app/runner.ts'
export { commonStanding, type CommonStanding, pipelineStanding, type Standing } from './app/standing.ts'
export { tarGz } from './app/tar.ts'
export { openTracing } from './app/tracing.ts'
export { createLog } from './log/log.ts'
export { writeRejectsCsv } from './sources/rejects.ts'
export { openStateForReading } from './store/state-store.ts'
export { definitionsWith } from './sync/definitions.ts'
export { markerProblem } from './sync/marker.ts'
export { systemClock as clock, systemRandom as random } from './system.ts'
export type { Verdict }

/** Where nobody is to be told, nothing of it is loaded. */
export const tellOfRuns: typeof AlertCommands.tellOfRuns = async (settings, ...rest) => {
  if (settings.alerts.length > 0)
    await (await import('./app/alert-commands.ts')).tellOfRuns(settings, ...rest)
}
export const testAlerts: typeof AlertCommands.testAlerts = async (...args) =>
  (await import('./app/alert-commands.ts')).testAlerts(...args)
export const alertStandings: typeof AlertCommands.alertStandings = async (...args) =>
  (await import('./app/alert-commands.ts')).alertStandings(...args)
export const startDaemon: typeof StartDaemon = async (...args) =>
  (await import('./app/daemon.ts')).startDaemon(...args)
export const openWatching = async (
  ...args: Parameters<typeof OpenWatching>
): Promise<ReturnType<typeof OpenWatching>> => (await import('./app/daemon-watch.ts')).openWatching(...args)
export const releaseHeld: typeof ReleaseHeld = async (...args) =>
  (await import('./app/decisions.ts')).releaseHeld(...args)
export const resolveDoubt = async (
  settings: Settings,
  which: { id: number; verdict: Verdict },
  pid: number,
): Promise<Resolved> =>
  (await import('./app/decisions.ts')).resolveDoubt(settings, which, { pid, ask: askService })
export const startSandbox: typeof StartSandbox = async (...args) =>
  (await import('./sandbox/server.ts')).startSandbox(...args)
export const backupState: typeof BackupState = async (...args) =>
  (await import('./store/backup.ts')).backupState(...args)
export const stateDoubt = async (path: string): Promise<string | undefined> =>
  (await import('./store/info.ts')).stateDoubt(path)
export const rebuildState: typeof RebuildState = async (...args) =>
  (await import('./app/rebuilding.ts')).rebuildState(...args)
export const acceptState: typeof AcceptState = async (...args) =>
  (await import('./app/rebuilding.ts')).acceptState(...args)
export const renamePipeline: typeof RenamePipeline = async (...args) =>
  (await import('./app/pipelines.ts')).renamePipeline(...args)
export const renameTerm: typeof RenameTerm = async (...args) =>
  (await import('./app/term-names.ts')).renameTerm(...args)
export const dropPipeline: typeof DropPipeline = async (...args) =>
  (await import('./app/pipelines.ts')).dropPipeline(...args)
export const orphans = async (settings: Settings): Promise<readonly string[]> =>
  (await import('./app/pipelines.ts')).orphans(settings)
export const rebindState: typeof RebindState = async (...args) =>
  (await import('./app/service-binding.ts')).rebindState(...args)
export const stateInfo: typeof StateInfo = async (...args) =>
  (await import('./store/info.ts')).stateInfo(...args)
export const subjectReport: typeof SubjectReport = async (...args) =>
  (await import('./app/subject-report.ts')).subjectReport(...args)
export const stateOwner = async (path: string): Promise<ReturnType<typeof StateOwner>> =>
  (await import('./store/info.ts')).stateOwner(path)
export const pipelineNames = async (file: string): Promise<readonly string[]> =>
  (await import('./config/pipeline-names.ts')).pipelineNames(file)
export const forgetContact: typeof ForgetContact = async (...args) =>
  (await import('./app/forgetting.ts')).forgetContact(...args)
export const readmitContact: typeof ReadmitContact = async (...args) =>
  (await import('./app/forgetting.ts')).readmitContact(...args)
export const supportBundle: typeof SupportBundle = async (...args) =>
  (await import('./app/support-bundle.ts')).supportBundle(...args)
export const sandboxHabits = async () => import('./sandbox/habit-text.ts')
export const configSchema = async (): Promise<unknown> =>
  (await import('./config/describe.ts')).configJsonSchema(SOURCE_KINDS)
