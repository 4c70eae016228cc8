// Events of processes that share a state at a server. Part of the table of events.
import type { EventEntry } from './event-kinds.ts'

export const FLEET_EVENTS = {
  'pipelines of this worker': {
    level: 'info',
    fields: { pipelines: 'count', workers: 'count' },
    means:
      'This process runs so many pipelines now, and so many processes share the state. Logged when that changes: a worker joined, left or was lost, or the configuration is another one.',
  },
  'state unavailable: waiting': {
    level: 'warn',
    fields: { code: 'code' },
    means:
      'The server with the state cannot be reached, or this process was taken for lost and its pipelines were taken over. Nothing is sent until it has joined again; it tries every few seconds, and `/readyz` says so.',
  },
  'state available again': { level: 'info', fields: {}, means: 'This process has joined the others again.' },
} as const satisfies Readonly<Record<string, EventEntry>>
