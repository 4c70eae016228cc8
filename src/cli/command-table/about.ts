// The commands about the program itself: help, completion, the archive for support, tools for an assistant.
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
    isText: true,
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
    isText: true,
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
  {
    name: 'mcp',
    summary: 'serves an assistant: tools that read, over the Model Context Protocol',
    description:
      'A server of the Model Context Protocol on standard input and output. Its tools are commands that read: status, check, plan, explain, rejects, held, doubts, drift, audit, rehearse. No tool writes, to the service or to the state. Values of persons are hidden behind names that are valid for the session, and lists are cut to what an assistant can use; each answer names the command that a user would type.',
    options: [{ flags: '--personal-data', help: 'shows values of persons to the assistant' }],
    examples: ['contact-sync mcp --config /config/contact-sync.yaml', 'contact-sync mcp --personal-data'],
    load: async () => (await import('../mcp/mcp.ts')).mcp,
  },
]
