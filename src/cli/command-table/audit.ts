// The commands about the sync log.
import { DECIDING } from './deciding.ts'
import type { CommandGroup, OptionEntry } from './entry.ts'

const OUTCOMES = ['done', 'unchanged', 'rejected', 'failed', 'in_doubt', 'held']
const ACTIONS = [
  ...[
    'create',
    'update',
    'terms',
    'delete',
    'create_term',
    'update_term',
    'link',
    'hold',
    'release',
    'approve',
    'accept',
  ],
  ...['retry', 'reload', 'rebuild', 'rebind', 'rename', 'drop', 'forget_order', 'erase', 'readmit', 'expire'],
  ...['brake', 'correct', 'end_correction', 'drop_changes', 'pause', 'resume', 'run', 'undo', 'configure'],
]

const MOMENT =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/

/** A day means its beginning, in UTC. */
function moment(text: string): number {
  const { day = '', time = '00:00', zone = 'Z' } = MOMENT.exec(text)?.groups ?? {}
  const at = Date.parse(`${day}T${time}${zone.replace(/^(.\d{2})(\d{2})$/, '$1:$2')}`)
  // A day that no month has is taken for one of the next month.
  const isDay = new Date(Date.parse(day)).getUTCDate() === Number(day.slice(-2))
  if (Number.isNaN(at) || !isDay)
    throw new RangeError('Write a day or a time in UTC: 2026-11-21, 2026-11-21T14:05:00Z.')
  return at
}

function count(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1) throw new RangeError('Write a number from 1.')
  return number
}

const FILTERS: readonly OptionEntry[] = [
  { flags: '--run <ID>', help: 'what this run did' },
  { flags: '--pipeline <NAME>', help: 'what this pipeline did' },
  {
    flags: '--contact <CONTACT>',
    help: 'about this contact: its key, an e-mail address that it has or had, or its id',
  },
  { flags: '--field <NAME>', help: 'that changed this field' },
  { flags: '--term <NAME>', help: 'that added, removed or created this term' },
  { flags: '--outcome <OUTCOME>', help: 'that ended so', choices: OUTCOMES },
  { flags: '--action <ACTION>', help: 'of this kind', choices: ACTIONS },
  {
    flags: '--since <TIME>',
    help: 'from this time on, in UTC: 2026-11-21 or 2026-11-21T14:05',
    read: moment,
  },
  { flags: '--until <TIME>', help: 'before this time', read: moment },
]

export const AUDIT: CommandGroup = {
  name: 'audit',
  summary: 'the sync log: list, show, run, diff, export, verify, witness, hand-over, config, reads, forget',
  entries: [
    {
      name: 'list',
      summary: 'entries of the sync log, the newest first',
      description: 'Lists what was done, at whose request, and the outcome. All filters given must match.',
      options: [
        ...FILTERS,
        { flags: '--limit <N>', help: 'at most this many (default: 100, with --json 10000)', read: count },
        { flags: '--before <SEQ>', help: 'continues after this entry', read: count },
      ],
      accounts: 'each',
      singleWith: ['before'],
      examples: [
        'contact-sync audit list --contact erika@example.com',
        'contact-sync audit list --outcome failed --since 2026-11-01 --json',
        'contact-sync audit list --field phone --pipeline shop --limit 20',
      ],
      load: async () => (await import('../commands/audit.ts')).listEntries,
    },
    {
      name: 'show',
      summary: 'the history of one contact over all pipelines, oldest first',
      description:
        'Shows everything that was ever done to a contact, field by field, with file and line, request and configuration. CONTACT is a key, an e-mail address that it has or had, or an id; the prefix key:, mail: or id: makes it unambiguous.',
      arguments: '<CONTACT>',
      options: [
        {
          flags: '--as-of <TIME>',
          help: 'instead: its fields and terms at this time, in UTC, as far as this program set them',
          read: moment,
        },
      ],
      accounts: 'found',
      examples: [
        'contact-sync audit show erika@example.com',
        'contact-sync audit show id:4711 --json',
        'contact-sync audit show id:4711 --as-of 2026-11-01',
      ],
      load: async () => (await import('../commands/audit.ts')).showEntry,
    },
    {
      name: 'run',
      summary: 'what one run did, with control totals',
      description:
        'Shows the counts of a run, those of the sync log, whether the two agree, and each entry. Exits with 1 if they do not.',
      arguments: '<ID>',
      accounts: 'found',
      examples: ['contact-sync audit run 20261121-140509-1a2b3c'],
      load: async () => (await import('../commands/audit.ts')).runAudit,
    },
    {
      name: 'diff',
      summary: 'what changed between the ends of two runs',
      description:
        'Shows each contact that changed from the end of one run to the end of another, over all pipelines: the first value in place of the last. What was changed and put back is not listed.',
      arguments: '<RUN> <OTHER>',
      accounts: 'found',
      examples: ['contact-sync audit diff 20261121-140509-1a2b3c 20261122-140507-9zk3fm'],
      load: async () => (await import('../commands/audit-compare.ts')).diffRuns,
    },
    {
      name: 'export',
      summary: 'the sync log as a file, or all data held about one person',
      description:
        'Writes JSON lines, oldest first, with everything needed to check the chain without this program; or CSV with a row for each change. With --subject, a JSON document for a person who asks what data is held about them, without their rows in files and what the service has. The file is readable by its owner only (0600).',
      arguments: '<FILE>',
      options: [
        ...FILTERS,
        {
          flags: '--format <FORMAT>',
          help: 'how it is written',
          choices: ['jsonl', 'csv'],
          standard: 'jsonl',
        },
        { flags: '--subject <CONTACT>', help: 'all data held about this person, over all pipelines' },
      ],
      examples: [
        'contact-sync audit export log.jsonl',
        'contact-sync audit export november.csv --format csv --since 2026-11-01 --until 2026-12-01',
        'contact-sync audit export erika.json --subject erika@example.com',
      ],
      load: async () => (await import('../commands/audit-export.ts')).exportAudit,
    },
    {
      name: 'verify',
      summary: 'checks every entry, and names the first that was changed',
      description:
        'Checks that no entry was changed, removed or inserted, that the values are those that were entered, and that nothing was cut off at the end. Exits with 1 if a check fails.',
      options: [
        {
          flags: '--head <HASH>',
          help: 'a head noted earlier: if it is not in the log, the end was cut off',
        },
        {
          flags: '--witness <FILE>',
          help: 'lines of audit witness: the log must hold what each of them says',
        },
        {
          flags: '--rebuild-index',
          help: 'first rebuilds the indexes of the log from its entries; needs exclusive use of the state',
        },
      ],
      accounts: 'each',
      singleWith: ['head'],
      examples: [
        'contact-sync audit verify',
        'contact-sync audit verify --head 5f1c… --json',
        'contact-sync audit verify --witness /mnt/audit/contact-sync.jsonl',
      ],
      load: async () => (await import('../commands/audit-verify.ts')).verify,
    },
    {
      name: 'witness',
      summary: 'writes the head of the sync log to where others keep it',
      description:
        'Writes one line with the time, the number of entries and the hash of the last of them: appended to a file, or sent to an address by POST. Kept out of reach of this machine, it shows a log that was rewritten or cut off afterwards, even with every key of this machine. Without --to the place is audit.witness.to of the configuration; without that, too, or with --to -, the line is printed. Exits with 3 if the address did not accept it. Works beside the daemon.',
      options: [{ flags: '--to <FILE|URL>', help: 'a file, which is appended to, or an address' }],
      accounts: 'each',
      examples: [
        'contact-sync audit witness',
        'contact-sync audit witness --to /mnt/audit/contact-sync.jsonl',
      ],
      load: async () => (await import('../commands/audit-witness.ts')).witness,
    },
    {
      name: 'hand-over',
      accounts: 'each',
      summary: 'hands new entries over to a collector of logs (SIEM)',
      description:
        'Writes each entry of the sync log that audit.hand_over.to does not have yet, without values of contacts, with the numbers and hashes by which nothing can be missing unnoticed. The daemon does the same every minute; this is for a scheduler without a daemon, and works beside one. An entry may arrive twice, none is left out. Exits with 3 if the receiver did not accept all of them.',
      options: [
        {
          flags: '--from <SEQ>',
          help: 'again from this entry on, where the collector has lost some',
          read: count,
        },
      ],
      examples: ['contact-sync audit hand-over', 'contact-sync audit hand-over --from 4711 --json'],
      load: async () => (await import('../commands/audit-hand-over.ts')).handOverLog,
    },
    {
      name: 'reads',
      summary: 'who looked at whose data, the newest first',
      description:
        'Lists pages of the console with data of persons, and commands that the daemon answered with such data: when, by whom, which page, and whose data where it was one contact. What was searched for is not kept. Kept for keep.reads.',
      options: [
        { flags: '--contact <CONTACT>', help: 'at the data of this contact' },
        { flags: '--user <NAME>', help: 'by this user' },
        { flags: '--since <TIME>', help: 'from this time on, in UTC', read: moment },
        { flags: '--until <TIME>', help: 'before this time', read: moment },
        { flags: '--limit <N>', help: 'at most this many (default: 100, with --json 10000)', read: count },
      ],
      accounts: 'each',
      examples: [
        'contact-sync audit reads --contact erika@example.com',
        'contact-sync audit reads --user anna --since 2026-11-01 --json',
      ],
      load: async () => (await import('../commands/audit-reads.ts')).listReads,
    },
    {
      name: 'config',
      summary: 'a configuration that was in force, without secrets',
      description:
        'Shows the settings, defaults included, under which entries of the sync log were made, and what they changed compared with the ones before. HASH is the configuration of an entry (config_hash), or the beginning of one; where several configurations had that pipeline unchanged, all are named and the first is shown.',
      arguments: '<HASH>',
      accounts: 'found',
      examples: ['contact-sync audit config 1f3a9c0b7d2e', 'contact-sync audit config 1f3a9c0b7d2e --json'],
      load: async () => (await import('../commands/audit-config.ts')).showConfiguration,
    },
    {
      name: 'forget',
      summary: 'erases one person, and leaves the chain intact',
      description:
        'Destroys the values of one person: in the sync log, the links, rejects, open operations, the files in processed/ and failed/ and the logs; copies of the state from before an upgrade are removed. Their records are skipped from then on, and left out when files are archived. Prints a certificate of what was removed, of what could not be searched (then it exits with 3), and of what is outside its reach. May be called again for a person who was erased. Cannot be undone.',
      arguments: '<CONTACT>',
      options: [
        {
          flags: '--at-service <WHAT>',
          help: 'first, at the service: delete the contact, or blank: empty every field that may be emptied and remove its terms; it is read afterwards, and if that fails, nothing is erased',
          choices: ['delete', 'blank'],
        },
        { flags: '--delete-at-service', help: 'the same as --at-service delete' },
        {
          flags: '--readmit',
          help: 'the reverse: a person who was erased (e-mail address or key) is accepted again',
        },
        { flags: '--yes', help: 'does not ask' },
        ...DECIDING,
      ],
      accounts: 'found',
      examples: [
        'contact-sync audit forget erika@example.com',
        'contact-sync audit forget id:4711 --at-service delete --yes > certificate.txt',
      ],
      load: async () => (await import('../commands/audit-forget.ts')).forget,
    },
  ],
}
