// The commands about the state as a file.
import type { CommandGroup } from './entry.ts'

export const STATE: CommandGroup = {
  name: 'state',
  summary: 'looks after the state: info, backup, rebuild, rename',
  entries: [
    {
      name: 'info',
      summary: 'size, integrity, counts, and whether the state is the latest',
      description:
        'Says how large the state is, who holds it, whether it is whole, how far it has come, and whether it is the latest.',
      examples: ['contact-sync state info', 'contact-sync state info --json'],
      load: async () => (await import('../commands/state-info.ts')).info,
    },
    {
      name: 'backup',
      summary: 'copies the state while contact-sync runs, and reads the copy again',
      description:
        'Writes a whole copy of the state to a new file, beside a running daemon too, and checks it. It never replaces a file.',
      arguments: '<FILE>',
      examples: ['contact-sync state backup /backup/contact-sync-$(date +%F).db'],
      load: async () => (await import('../commands/state-info.ts')).backup,
    },
    {
      name: 'rebuild',
      summary: 'finds the contacts of a lost or older state again, by mail',
      description:
        'Reads the files that wait in the inbox, looks up every record without a link by its mail, within the rate limit, and links what is surely its contact. Sends no write and moves no file; can be ended and called again.',
      arguments: '[PIPELINE...]',
      examples: ['contact-sync state rebuild', 'contact-sync state rebuild shop --json'],
      load: async () => (await import('../commands/state-rebuild.ts')).rebuild,
    },
    {
      name: 'accept',
      summary: 'goes on with a state that is not known to be the latest',
      description:
        'Takes the state as it is for the latest; with names, that of these pipelines, for which there is no export to rebuild from. What was sent since it was copied is not known to it: without the check email, contacts made since are made again.',
      arguments: '[PIPELINE...]',
      examples: ['contact-sync state accept', 'contact-sync state accept crm'],
      load: async () => (await import('../commands/state-rebuild.ts')).accept,
    },
    {
      name: 'rebind',
      summary: 'lets the state be used under a new address of the same service',
      description:
        'Binds the state to the configured service.base_url, for a service that has a new address. Reads up to five known contacts by id first, and refuses where most do not show what was sent to them, or while anything is in doubt.',
      options: [{ flags: '--yes', help: 'does not ask' }],
      examples: ['contact-sync state rebind', 'contact-sync state rebind --yes'],
      load: async () => (await import('../commands/state-rebuild.ts')).rebind,
    },
    {
      name: 'rename-pipeline',
      summary: 'carries the state of a pipeline over to its new name',
      description:
        'After a pipeline was renamed in the configuration: its links, open changes, rejects and runs are kept under the new name. Refused where the configuration still has the old name or lacks the new one, and where the state has records of the new one already.',
      arguments: '<OLD> <NEW>',
      examples: ['contact-sync state rename-pipeline shop webshop'],
      load: async () => (await import('../commands/state-pipelines.ts')).rename,
    },
    {
      name: 'drop-pipeline',
      summary: 'removes what the state has of a pipeline that is no longer configured',
      description:
        'Its links, open changes, rejects and runs go; its contacts stay at the service as they are, and the sync log stays whole. Says what there is before it asks. Refused while the pipeline is configured, or anything of it is in doubt.',
      arguments: '<NAME>',
      options: [{ flags: '--yes', help: 'does not ask' }],
      examples: ['contact-sync state drop-pipeline crm', 'contact-sync state drop-pipeline crm --yes'],
      load: async () => (await import('../commands/state-pipelines.ts')).drop,
    },
    {
      name: 'forget-date-order',
      summary: 'forgets whether the day or the month comes first in a column',
      description:
        'What date: auto has concluded from earlier files is kept for each pipeline and column, and a file that contradicts it is held. After a source has changed its order for good, this forgets it: the next file proves its own. Contacts that were sent keep their dates until their records come again.',
      arguments: '<PIPELINE> [COLUMN]',
      options: [{ flags: '--yes', help: 'does not ask' }],
      examples: [
        'contact-sync state forget-date-order shop Birthday',
        'contact-sync state forget-date-order shop --yes',
      ],
      load: async () => (await import('../commands/state-pipelines.ts')).forgetDateOrder,
    },
  ],
}
