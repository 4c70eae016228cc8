// The commands about alerts.
import type { CommandGroup } from './entry.ts'

export const ALERTS: CommandGroup = {
  name: 'alerts',
  summary: 'who is told when something needs a person: list, test',
  entries: [
    {
      name: 'list',
      summary: 'what each receiver was told of that still holds, and what it has not taken yet',
      description:
        'Shows for each receiver what it was told of and is not over, since when, and the messages that it has not taken yet.',
      examples: ['contact-sync alerts list', 'contact-sync alerts list --json'],
      load: async () => (await import('../commands/alerts.ts')).listAlerts,
    },
    {
      name: 'test',
      summary: 'sends a test message to every receiver, now',
      description:
        'Sends a test message to every receiver of the configuration, once, and says whether it was taken. Exit code 3 where one was not.',
      examples: ['contact-sync alerts test'],
      load: async () => (await import('../commands/alerts.ts')).test,
    },
  ],
}
