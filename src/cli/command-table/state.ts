// The commands about the state as a file.
import { DECIDING } from './deciding.ts'
import type { CommandGroup } from './entry.ts'

export const STATE: CommandGroup = {
  name: 'state',
  summary: 'manages the state: info, backup, move, rebuild, rename',
  entries: [
    {
      name: 'info',
      summary: 'size, integrity, counts, and whether the state is the latest',
      description:
        'Shows the size of the state, the process that holds it, its integrity, its last run, and whether it is the latest.',
      accounts: 'each',
      examples: ['contact-sync state info', 'contact-sync state info --json'],
      load: async () => (await import('../commands/state-info.ts')).info,
    },
    {
      name: 'backup',
      summary: 'copies the state while contact-sync runs, and reads the copy again',
      description:
        'Writes a complete copy of the state to a new file, also beside a running daemon, and checks it. It never replaces a file.',
      arguments: '<FILE>',
      examples: ['contact-sync state backup /backup/contact-sync-$(date +%F).db'],
      load: async () => (await import('../commands/state-info.ts')).backup,
    },
    {
      name: 'move',
      summary: 'carries the state from its file to a PostgreSQL server, or back',
      description:
        'Carries every table over in one transaction, reads each back and compares it, and puts the former state aside, so that no command uses it any more. The target must be empty. No other process may have the state: stop the daemon first. What was interrupted is completed, or starts over, when it is called again. Afterwards the configuration has to name the new place; the command says how.',
      options: [
        {
          flags: '--to <URL|FILE>',
          help: 'postgres://..., or a file that is not there yet',
        },
        { flags: '--yes', help: 'does not ask' },
      ],
      accounts: 'each',
      examples: [
        'contact-sync state move --to "$DATABASE_URL"',
        'contact-sync state move --to state/back.db --yes',
      ],
      load: async () => (await import('../commands/state-move.ts')).move,
    },
    {
      name: 'rebuild',
      summary: 'finds the contacts of a lost or older state again, by e-mail address',
      description:
        'Reads the files that wait in the inbox, looks up every record without a link by its e-mail address, within the rate limit, and links unambiguous matches. Sends no write and moves no file; can be interrupted and called again.',
      arguments: '[PIPELINE...]',
      options: [...DECIDING],
      examples: ['contact-sync state rebuild', 'contact-sync state rebuild shop --json'],
      load: async () => (await import('../commands/state-rebuild.ts')).rebuild,
    },
    {
      name: 'accept',
      summary: 'continues with a state that may not be the latest',
      description:
        'Accepts the state unchanged as the latest; with names, for these pipelines only, which have no export to rebuild from. The state does not know what was sent since it was copied: without the check email, contacts created since are created again.',
      arguments: '[PIPELINE...]',
      options: [...DECIDING],
      examples: ['contact-sync state accept', 'contact-sync state accept crm'],
      load: async () => (await import('../commands/state-rebuild.ts')).accept,
    },
    {
      name: 'rebind',
      summary: 'lets the state be used under a new address of the same service',
      description:
        'Binds the state to the configured service.base_url, for a service that has a new address. Reads up to five known contacts by id first, and refuses if most do not show what was sent to them, or while any operation is in doubt.',
      options: [{ flags: '--yes', help: 'does not ask' }, ...DECIDING],
      examples: ['contact-sync state rebind', 'contact-sync state rebind --yes'],
      load: async () => (await import('../commands/state-rebuild.ts')).rebind,
    },
    {
      name: 'rename-pipeline',
      summary: 'moves the state of a pipeline to its new name',
      description:
        'After a pipeline was renamed in the configuration: its links, open changes, rejects and runs are kept under the new name. Refused if the configuration still has the old name or lacks the new one, or if the state has links or changes under the new name already.',
      arguments: '<OLD> <NEW>',
      options: [...DECIDING],
      examples: ['contact-sync state rename-pipeline shop webshop'],
      load: async () => (await import('../commands/state-pipelines.ts')).rename,
    },
    {
      name: 'drop-pipeline',
      summary: 'removes the data of a pipeline that is no longer configured from the state',
      description:
        'Its links, open changes, rejects and runs are removed; its contacts stay at the service unchanged, and the sync log stays intact. Lists what would be removed before it asks. Refused while the pipeline is configured, or has operations in doubt.',
      arguments: '<NAME>',
      options: [{ flags: '--yes', help: 'does not ask' }, ...DECIDING],
      examples: ['contact-sync state drop-pipeline crm', 'contact-sync state drop-pipeline crm --yes'],
      load: async () => (await import('../commands/state-pipelines.ts')).drop,
    },
    {
      name: 'forget-date-order',
      summary: 'forgets whether the day or the month comes first in a column',
      description:
        'What date: auto has concluded from earlier files is kept for each pipeline and column, and a file that contradicts it is held. After a source has changed its order permanently, this forgets it: the next file proves its own. Contacts that were sent keep their dates until their records arrive again.',
      arguments: '<PIPELINE> [COLUMN]',
      options: [{ flags: '--yes', help: 'does not ask' }, ...DECIDING],
      examples: [
        'contact-sync state forget-date-order shop Birthday',
        'contact-sync state forget-date-order shop --yes',
      ],
      load: async () => (await import('../commands/state-pipelines.ts')).forgetDateOrder,
    },
  ],
}
