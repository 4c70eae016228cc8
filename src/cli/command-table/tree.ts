// Everything that can be called.
import { ABOUT_COMMANDS } from './about.ts'
import { ALERTS } from './alerts.ts'
import { AUDIT } from './audit.ts'
import type { CommandTree } from './entry.ts'
import { CORRECT, CORRECTIONS } from './corrections.ts'
import { DOUBTS, EDITS, HELD, REJECTS } from './open-ends.ts'
import { PIPELINE_COMMANDS } from './pipelines.ts'
import { SANDBOX_COMMANDS, SERVICE_COMMANDS } from './service.ts'
import { STATE } from './state.ts'

export const TREE: CommandTree = {
  commands: [...PIPELINE_COMMANDS, ...SERVICE_COMMANDS, CORRECT, ...SANDBOX_COMMANDS, ...ABOUT_COMMANDS],
  groups: [REJECTS, DOUBTS, HELD, EDITS, CORRECTIONS, ALERTS, AUDIT, STATE],
}
