// The commands about alerts.
import type { CommandGroup } from './entry.ts'

export const ALERTS: CommandGroup = {
  name: 'alerts',
  summary: 'alerts and their receivers: list, test',
  entries: [
    {
      name: 'list',
      summary: 'open alerts of each receiver, and undelivered messages',
      description:
        'Shows for each receiver the conditions that were reported and still hold, since when, and the messages that it has not accepted yet.',
      accounts: 'each',
      examples: ['contact-sync alerts list', 'contact-sync alerts list --json'],
      load: async () => (await import('../commands/alerts.ts')).listAlerts,
    },
    {
      name: 'test',
      summary: 'sends a test message to every receiver, now',
      description:
        'Sends a test message to every receiver of the configuration, once, and reports whether it was accepted. Exit code 3 if one was not.',
      examples: ['contact-sync alerts test'],
      load: async () => (await import('../commands/alerts.ts')).test,
    },
  ],
}
