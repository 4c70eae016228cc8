// The commands about what waits for a person: rejects, doubts, held changes.
import type { CommandGroup } from './entry.ts'

export const REJECTS: CommandGroup = {
  name: 'rejects',
  summary: 'lists, exports or retries the rejected records',
  entries: [
    {
      name: 'list',
      summary: 'the rejected records, with reason, file and line',
      description: 'Lists the records that could not be pushed.',
      arguments: '[PIPELINE...]',
      examples: ['contact-sync rejects list shop'],
      load: async () => (await import('../commands/rejects.ts')).listRejects,
    },
    {
      name: 'export',
      summary: 'writes them to a CSV file that can be mended and dropped again',
      description:
        "Writes the rejected records with the source's own columns plus _reason, _file and _line (UTF-8).",
      arguments: '<FILE> [PIPELINE...]',
      examples: ['contact-sync rejects export mend-me.csv shop'],
      load: async () => (await import('../commands/rejects.ts')).exportRejects,
    },
    {
      name: 'retry',
      summary: 'tries them again, as they came, under the mapping of today',
      description:
        'Reads the rejected records again, maps and sends them: after a changed mapping, a new term, or a service that refused them for a while. A second record of one key, and what is no record at all, stay rejected.',
      arguments: '[PIPELINE...]',
      examples: ['contact-sync rejects retry', 'contact-sync rejects retry shop --json'],
      load: async () => (await import('../commands/run.ts')).retryRejects,
    },
  ],
}

export const DOUBTS: CommandGroup = {
  name: 'doubts',
  summary: 'lists and settles what is in doubt',
  entries: [
    {
      name: 'list',
      summary: 'operations whose outcome nobody can know without looking',
      description:
        'Lists the operations in doubt. Those with a mail are looked up again by every run; the others wait for a person.',
      arguments: '[PIPELINE...]',
      examples: ['contact-sync doubts list', 'contact-sync doubts list shop --json'],
      load: async () => (await import('../commands/doubts.ts')).listDoubts,
    },
    {
      name: 'resolve',
      summary: 'says how one of them ended',
      description:
        'Settles an operation in doubt by your word: as done, with the contact that it made, or as not done, so that the next run tries it again.',
      arguments: '<ID>',
      options: [
        { flags: '--as <VERDICT>', help: 'done or not-done' },
        { flags: '--contact-id <N>', help: 'with --as done: the contact that a create made' },
      ],
      examples: [
        'contact-sync doubts resolve 17 --as done --contact-id 4711',
        'contact-sync doubts resolve 17 --as not-done',
      ],
      load: async () => (await import('../commands/doubts.ts')).resolve,
    },
  ],
}

export const HELD: CommandGroup = {
  name: 'held',
  summary: 'lists and releases what was stopped',
  entries: [
    {
      name: 'release',
      summary: 'lets the changes go that a guard held in a run',
      description:
        'Lets exactly these changes go with the next run. Refused if anything about them has changed since; what is newer at the source always goes first.',
      arguments: '<RUN>',
      options: [{ flags: '--remaining', help: 'where some have changed since: lets those go that have not' }],
      examples: ['contact-sync held release 20261121-140509-1a2b'],
      load: async () => (await import('../commands/held.ts')).releaseHeldPlan,
    },
    {
      name: 'list',
      summary: 'what is held, with number, threshold and reason',
      description:
        'Lists what guards held back, run by run, and changes that are held for a reason of their own; those go by themselves once it is gone at the source.',
      arguments: '[PIPELINE...]',
      examples: ['contact-sync held list', 'contact-sync held list shop --json'],
      load: async () => (await import('../commands/held.ts')).listHeld,
    },
  ],
}
