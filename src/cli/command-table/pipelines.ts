// The commands about pipelines and their configuration.
import type { CommandEntry } from './entry.ts'

export const PIPELINE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'the daemon: runs every pipeline on its schedule',
    description:
      'Runs every pipeline on its schedule, serves /healthz and /readyz, and ends in good order on SIGTERM.',
    examples: ['contact-sync start --config /config/contact-sync.yaml'],
    load: async () => (await import('../commands/start.ts')).start,
  },
  {
    name: 'run',
    summary: 'runs now, once, and prints what it did',
    description: 'Runs the pipelines named (all of them, if none is) once, now, and prints what was done.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync run', 'contact-sync run shop --json'],
    load: async () => (await import('../commands/run.ts')).run,
  },
  {
    name: 'plan',
    summary: 'shows field by field what a run would change; writes nothing',
    description:
      'Reads, maps and compares like a run, sends no write and leaves no trace in state, files or service.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync plan shop', 'contact-sync plan --json > plan.json'],
    load: async () => (await import('../commands/plan.ts')).plan,
  },
  {
    name: 'check',
    summary: 'checks configuration, secrets, columns, terms, custom fields and the connection',
    description: 'Names everything that is wrong at once, and writes nothing.',
    examples: ['contact-sync check', 'contact-sync check --config staging.yaml --json'],
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    name: 'status',
    summary: 'each pipeline at a glance',
    description:
      "Each pipeline's last and next run, and how many records are linked, rejected, held and in doubt.",
    examples: ['contact-sync status', 'contact-sync status --json'],
    load: async () => (await import('../commands/status.ts')).status,
  },
  {
    name: 'schema',
    summary: 'the JSON Schema of the configuration',
    description:
      'Prints the JSON Schema of the configuration file, for editors that complete and check YAML.',
    examples: ['contact-sync schema > contact-sync.schema.json'],
    load: async () => (await import('../commands/schema.ts')).schema,
  },
]
