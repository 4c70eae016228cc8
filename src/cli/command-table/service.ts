// The commands that ask the service, or stand in for it.
import { DECIDING } from './deciding.ts'
import type { CommandEntry } from './entry.ts'

function sampleSize(text: string): number {
  const size = Number(text)
  if (!/^\d{1,9}$/.test(text) || size < 1) throw new RangeError('Write a number from 1.')
  return size
}

export const SERVICE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'terms',
    summary: 'the terms (tags) that the service has; renames one',
    description:
      'Lists the terms of the service, with their ids and descriptions. With rename, gives a term another name there, after a question; OLD stays an alias of NEW, so that sources may use either. Refused while the configuration names OLD under terms, guards.brake or approvals, or if NEW exists already.',
    arguments: '[rename] [OLD] [NEW]',
    options: [{ flags: '--yes', help: 'renames without a question' }, ...DECIDING],
    examples: [
      'contact-sync terms',
      'contact-sync terms --json',
      'contact-sync terms rename Kunde Customer',
      'contact-sync terms rename Kunde Customer --yes',
    ],
    load: async () => (await import('../commands/terms.ts')).terms,
  },
  {
    name: 'fields',
    summary: 'the custom fields that the service defines',
    description: 'Lists the definitions of custom fields: id, name, type, and whether they are required.',
    examples: ['contact-sync fields', 'contact-sync fields --json'],
    load: async () => (await import('../commands/fields.ts')).fields,
  },
  {
    name: 'contact',
    summary: 'one contact at the service',
    description:
      'Shows every field, custom fields among them, and every term of a contact at the service, by its id or its e-mail address. Several contacts may share an e-mail address: all of them are shown.',
    arguments: '<CONTACT>',
    examples: ['contact-sync contact 4711', 'contact-sync contact erika@example.com --json'],
    load: async () => (await import('../commands/contact.ts')).contact,
  },
  {
    name: 'drift',
    summary: 'how many contacts at the service differ from what was last sent',
    description:
      'Reads contacts at the service and compares fields and terms with what was last sent to them, by whichever pipeline. Without --all a sample is drawn at random, and the share of all contacts is given as an interval. Edits that hand_edits: keep leaves are counted separately. Uses only requests that runs leave over: at most half of the rate limit and nine tenths of the daily allowance. Without --repair it writes nothing, neither to the service nor to the state. With --repair the contacts that were read and differ become a plan that sets them back to what was last sent; it is held until held release. Before a change is sent its contact is read again, and only what still differs goes. mail_status stays as it is, no contact is created again, terms that others added stay, and so do edits under hand_edits: keep and ask. Works beside the daemon.',
    arguments: '[PIPELINE...]',
    options: [
      {
        flags: '--sample <N>',
        help: 'reads N contacts of each pipeline, drawn at random; 200 by default',
        read: sampleSize,
      },
      { flags: '--all', help: 'reads every contact' },
      { flags: '--repair', help: 'makes the plan that puts back what was last sent, held for release' },
      ...DECIDING,
    ],
    accounts: 'each',
    examples: [
      'contact-sync drift',
      'contact-sync drift shop --sample 1000',
      'contact-sync drift --all --json',
      'contact-sync drift shop --all --repair',
    ],
    load: async () => (await import('../commands/drift.ts')).drift,
  },
  {
    name: 'probe',
    summary: 'what the service does where its interface leaves it open',
    description:
      'Finds out, with three contacts that it creates and deletes again, how the service packs and limits calls with many contacts, pages, empties fields, searches duplicates and merges, and prints it as a profile in YAML. At most 60 requests, after a question. Contacts that it did not create are never changed. The term "contact-sync probe" stays, since terms cannot be deleted. Contacts of a probe that was killed are deleted by the next one with the same address.',
    options: [
      {
        flags: '--address <MAIL>',
        help: 'its contacts get addresses made of this one: you+probe@example.org gives you+probe-1@example.org; at example.org by default',
      },
      { flags: '--output <FILE>', help: 'writes the profile to this file' },
      { flags: '--yes', help: 'starts without a question' },
    ],
    examples: [
      'contact-sync probe',
      'contact-sync probe --address you+probe@example.org --output service.yaml',
      'contact-sync probe --yes --json',
    ],
    load: async () => (await import('../commands/probe.ts')).probe,
  },
  {
    name: 'explain',
    summary: 'where each value of one record comes from, and how it was sent',
    description:
      'Shows one record, by its key or its e-mail address: each value from file and line through every rule of the mapping to what was sent, by which run and request, and the answer. Rows are read again from archived files; if a file is missing or the mapping has changed since, the output says so and nothing is guessed. Without --live, no request is sent. With --json an object; if several records have the e-mail address, {"records": [...]}.',
    arguments: '<PIPELINE> <RECORD>',
    options: [{ flags: '--live', help: 'adds what the service has now' }],
    examples: [
      'contact-sync explain shop K-4711',
      'contact-sync explain shop erika@example.com --live',
      'contact-sync explain shop K-4711 --json',
    ],
    load: async () => (await import('../commands/explain.ts')).explain,
  },
]

export const SANDBOX_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'sandbox',
    summary: 'serves a complete stand-in for the service',
    description:
      'Serves the interface of the service, on loopback unless --host names another address, with its data in a file or in memory, until it is stopped. With --control, tests change it while it runs, below /_sandbox/: POST reset, GET requests (with their bodies), PUT habits {"page-cap": 3}, POST faults {"match": "POST /contacts", "next": 3, "do": "503|reset|lost|truncated|delay"}; a browser shows contacts, terms and the last requests there.',
    options: [
      { flags: '--host <H>', help: 'the address to listen on; 127.0.0.1 by default' },
      { flags: '--port <N>', help: 'port to listen on; 0 takes a free one', standard: '8089' },
      { flags: '--db <FILE>', help: 'keep the data in this file (in memory otherwise)' },
      {
        flags: '--seed <FILE.json>',
        help: 'what it holds at the beginning: {"terms": [], "contacts": [], "custom_fields": []}, as the interface shows them',
      },
      {
        flags: '--tls',
        help: 'answers over HTTPS only, with a certificate made for this start (for localhost, the name of this machine and --host)',
      },
      {
        flags: '--ca-file <FILE>',
        help: 'with --tls: write the certificate to this file, for clients to trust; a temporary file otherwise',
      },
      { flags: '--control', help: 'opens /_sandbox/, without a key: for tests only' },
      { flags: '--api-key <K>', help: 'the key that callers must send', standard: 'sandbox-key' },
      {
        flags: '--habit <NAME=VALUE>',
        help: 'a habit of real services, from those below; repeatable',
        read: (habit: string, before: readonly string[] | undefined) => [...(before ?? []), habit],
      },
    ],
    examples: [
      'contact-sync sandbox --port 8089 --db /tmp/sandbox.db',
      'contact-sync sandbox --port 0 --seed people.json --control --json',
      'contact-sync sandbox --tls --ca-file sandbox-ca.pem',
      'contact-sync sandbox --habit ids-as-text --habit rate-limit=5/1s --habit bulk-refusal=itself',
    ],
    moreHelp: async () => (await import('../commands/sandbox.ts')).sandboxHelp(),
    load: async () => (await import('../commands/sandbox.ts')).sandbox,
  },
  {
    name: 'demo',
    summary: 'sandbox, sample files, first run, second run; then exits',
    description:
      'Shows the complete process on sample exports against a sandbox, in a temporary folder that it removes again. With --json what it shows goes to standard error, and the numbers of writes are printed.',
    examples: ['contact-sync demo', 'contact-sync demo --json'],
    load: async () => (await import('../commands/demo.ts')).demo,
  },
]
