// The commands about the program itself: help, completion, the archive for support.
import type { CommandEntry } from './entry.ts'

export const ABOUT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'help',
    summary: 'what a command does, with all arguments and options',
    description:
      'Shows the page of a command, of a group of commands, or of the program. The same as --help after a command.',
    arguments: '[COMMAND...]',
    options: [{ flags: '--man', help: 'as a man page, for man -l' }],
    examples: [
      'contact-sync help run',
      'contact-sync help rejects list',
      'contact-sync help --man run > contact-sync-run.1',
    ],
    load: async () => (await import('../commands/help.ts')).help,
  },
  {
    name: 'completion',
    summary: 'lets bash, zsh or fish complete commands, options and pipelines',
    description:
      'Prints a script for the shell, which then completes commands, options, their choices, files, and the names of pipelines from the configuration.',
    arguments: '<SHELL>',
    examples: [
      'source <(contact-sync completion bash)',
      'contact-sync completion zsh > ~/.zfunc/_contact-sync',
      'contact-sync completion fish > ~/.config/fish/completions/contact-sync.fish',
    ],
    load: async () => (await import('../commands/completion.ts')).completion,
  },
  {
    name: 'support-bundle',
    summary: 'one archive for support requests: no secrets, no personal data',
    description:
      'Packs versions, the configuration without secrets, numbers and tables of the state, the last runs, and the operational log of the last seven days, and says what is in it. It contains no record, no e-mail address and no name; names of files and ids of contacts are left out of the log. Works even if the configuration or the state is broken.',
    arguments: '[FILE]',
    options: [{ flags: '--list', help: 'lists what would be in it, and writes nothing' }],
    examples: ['contact-sync support-bundle --list', 'contact-sync support-bundle /tmp/for-support.tar.gz'],
    load: async () => (await import('../commands/support-bundle.ts')).bundle,
  },
]
