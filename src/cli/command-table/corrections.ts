// The commands about values that a person sets right for a record.
import { DECIDING } from './deciding.ts'
import type { CommandEntry, CommandGroup } from './entry.ts'

export const CORRECT: CommandEntry = {
  name: 'correct',
  summary: 'sets values right for a record, in place of what its source says',
  description:
    'The mapping checks each value as if the source said it, and the next run sends it, without a file. It holds over later files until the columns that the field is made of say something else; then it ends, and the sync log says so. The key of the record stays that of its own values.',
  arguments: '<PIPELINE> <RECORD> <FIELD=VALUE...>',
  options: [...DECIDING],
  examples: [
    'contact-sync correct shop 4711 phone=+49301234567',
    'contact-sync correct shop people.csv:17 mail=anna@example.com --reason "typed wrong, asked by phone"',
  ],
  load: async () => (await import('../commands/corrections.ts')).correct,
}

export const CORRECTIONS: CommandGroup = {
  name: 'corrections',
  summary: 'lists, drops, exports and takes in values that were set right',
  entries: [
    {
      name: 'list',
      summary: 'the corrections that hold, where they came from, and who made them',
      description: 'Lists the corrections that hold. With --all also those that have ended, and why.',
      arguments: '[PIPELINE...]',
      options: [{ flags: '--all', help: 'also those that have ended' }],
      accounts: 'each',
      examples: ['contact-sync corrections list', 'contact-sync corrections list shop --json'],
      load: async () => (await import('../commands/corrections.ts')).listCorrections,
    },
    {
      name: 'drop',
      summary: 'ends a correction',
      description: "Ends a correction: the source's own value is sent with its next file.",
      arguments: '<ID>',
      options: [...DECIDING],
      examples: ['contact-sync corrections drop 3 --reason "the office has mended it"'],
      load: async () => (await import('../commands/corrections.ts')).dropOne,
    },
    {
      name: 'export',
      summary: 'writes them to a CSV file, for the owner of the source',
      description:
        'Writes the corrections that hold, with file, line, column, the value in the source and the one that is right (UTF-8). The file is readable by its owner only (0600).',
      arguments: '<FILE> [PIPELINE...]',
      examples: ['contact-sync corrections export mend-these.csv shop'],
      load: async () => (await import('../commands/corrections.ts')).exportCorrections,
    },
    {
      name: 'import',
      summary: 'takes corrections from such a file',
      description:
        'Takes the columns pipeline, key, field, corrected and reason of a CSV file. Rows that hold already are passed over; a row that is refused stops no other, and is named.',
      arguments: '<FILE>',
      options: [...DECIDING],
      examples: ['contact-sync corrections import mended.csv --by anna'],
      load: async () => (await import('../commands/corrections.ts')).takeCorrections,
    },
  ],
}
