// The commands about what waits for a person: rejects, doubts, held changes.
import { DECIDING } from './deciding.ts'
import type { CommandGroup } from './entry.ts'

const OF_PIPELINE = {
  flags: '--pipeline <NAME>',
  help: 'with --key, where several pipelines hold a record of that key: of this one',
}

export const REJECTS: CommandGroup = {
  name: 'rejects',
  summary: 'lists, exports or retries the rejected records',
  entries: [
    {
      name: 'list',
      summary: 'the rejected records, with reason, file and line',
      description: 'Lists the records that could not be sent.',
      arguments: '[PIPELINE...]',
      accounts: 'each',
      examples: ['contact-sync rejects list shop'],
      load: async () => (await import('../commands/rejects.ts')).listRejects,
    },
    {
      name: 'export',
      summary: 'writes them to a CSV file that can be corrected and dropped again',
      description:
        "Writes the rejected records with the source's own columns plus _reason, _file and _line (UTF-8).",
      arguments: '<FILE> [PIPELINE...]',
      examples: ['contact-sync rejects export mend-me.csv shop'],
      load: async () => (await import('../commands/rejects.ts')).exportRejects,
    },
    {
      name: 'retry',
      summary: 'tries them again, as received, under the current mapping',
      description:
        'Reads the rejected records again, maps and sends them: after a changed mapping, a new term, or a temporary refusal by the service. A second record of one key, and rows that are not records, stay rejected.',
      arguments: '[PIPELINE...]',
      options: [...DECIDING],
      accounts: 'each',
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
      summary: 'operations whose outcome is unknown until they are looked up',
      description:
        'Lists the operations in doubt. Every run looks up those with an e-mail address again; the others wait for an operator.',
      arguments: '[PIPELINE...]',
      accounts: 'each',
      examples: ['contact-sync doubts list', 'contact-sync doubts list shop --json'],
      load: async () => (await import('../commands/doubts.ts')).listDoubts,
    },
    {
      name: 'resolve',
      summary: 'resolves one of them',
      description:
        'Settles an operation in doubt by decision: as done, with the contact that it created, or as not done, so that the next run tries it again.',
      arguments: '<ID>',
      options: [
        { flags: '--as <VERDICT>', help: 'done or not-done' },
        {
          flags: '--contact-id <N>',
          help: "with --as done: the contact that was created, or that is the record's",
        },
        ...DECIDING,
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
  summary: 'lists, releases and drops held changes',
  entries: [
    {
      name: 'release',
      summary: 'releases the changes of a run that a guard held',
      description:
        'Releases exactly these changes: the next run sends them. Refused if anything about them has changed since; newer values of the source always take precedence.',
      arguments: '<RUN>',
      options: [
        { flags: '--remaining', help: 'if some have changed since: releases the others' },
        { flags: '--key <KEY>', help: 'the changes of this record only' },
        OF_PIPELINE,
        { flags: '--as <NAME>', help: 'the same as --by' },
        ...DECIDING,
      ],
      accounts: 'found',
      examples: [
        'contact-sync held release 20261121-140509-1a2b3c',
        'contact-sync held release 20261121-140509-1a2b3c --key 4711 --reason "known move"',
      ],
      load: async () => (await import('../commands/held.ts')).releaseHeldPlan,
    },
    {
      name: 'drop',
      summary: 'gives up the changes of a run that a guard held',
      description:
        'None of these changes is made, and none is planned again before its record, or its absence, changes. The sync log has what was dropped, by whom and why.',
      arguments: '<RUN>',
      options: [{ flags: '--key <KEY>', help: 'the changes of this record only' }, OF_PIPELINE, ...DECIDING],
      accounts: 'found',
      examples: [
        'contact-sync held drop 20261121-140509-1a2b3c',
        'contact-sync held drop 20261121-140509-1a2b3c --key 4711 --reason "still a member"',
      ],
      load: async () => (await import('../commands/held.ts')).dropHeldPlan,
    },
    {
      name: 'list',
      summary: 'what is held, with number, threshold and reason',
      description:
        'Lists the changes that guards hold, run by run, and changes that are held individually; those end when the source no longer gives the reason.',
      arguments: '[PIPELINE...]',
      accounts: 'each',
      examples: ['contact-sync held list', 'contact-sync held list shop --json'],
      load: async () => (await import('../commands/held.ts')).listHeld,
    },
  ],
}

export const EDITS: CommandGroup = {
  name: 'edits',
  summary: 'lists and releases values that were edited at the service',
  entries: [
    {
      name: 'list',
      summary: 'values edited at the service that the source would overwrite',
      description:
        'Lists fields that hand_edits: keep or ask leaves as they are at the service: what was last sent, what the service shows, what the source wants.',
      arguments: '[PIPELINE...]',
      accounts: 'each',
      examples: ['contact-sync edits list', 'contact-sync edits list shop --json'],
      load: async () => (await import('../commands/edits.ts')).listEdits,
    },
    {
      name: 'release',
      summary: 'lets the source overwrite them',
      description:
        'Releases the edits of a record: the next run sends what the source wants. A value that is edited again before that run is kept again.',
      arguments: '<PIPELINE> <KEY>',
      options: [{ flags: '--field <FIELD>', help: 'this field only' }, ...DECIDING],
      examples: [
        'contact-sync edits release shop 4711',
        'contact-sync edits release shop 4711 --field phone',
      ],
      load: async () => (await import('../commands/edits.ts')).releaseEdited,
    },
  ],
}
