// The tools of `mcp`: each is a command that reads, with the arguments that make sense for an assistant. What is not in
// this table cannot be called; no command that writes, to the service or to the state, may stand here.
import { isAbsolute, relative, resolve } from 'node:path'
import { z } from 'zod'
import { SyncError } from '../../core/words/errors.ts'

/** A command as it would be typed: words, then options by their names in the table of commands. */
export interface ToolCall {
  readonly words: readonly string[]
  readonly names: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** `meant` gives the value that a hidden one stands for; `folder` holds the configuration in force. */
  call(input: never, asked: { meant(text: string): string; folder: string }): ToolCall
}

const pipelines = z.array(z.string()).optional().describe('names of pipelines; all if left out')
const person = z
  .string()
  .describe('a key, an e-mail address or id:NUMBER; or hidden-N, as an earlier answer named it')

function tool<Input extends z.ZodRawShape>(
  name: string,
  description: string,
  {
    input,
    call,
  }: {
    input: Input
    call: (
      input: z.infer<z.ZodObject<Input>>,
      asked: { meant(text: string): string; folder: string },
    ) => ToolCall
  },
): Tool {
  return { name, description, input: z.strictObject(input), call: call }
}

const listing = (name: string, words: readonly string[], description: string): Tool =>
  tool(name, description, {
    input: { pipelines },
    call: ({ pipelines: names = [] }) => ({ words, names: names, options: {} }),
  })

/** Only beside the configuration in force: an assistant is not to read any file of the machine. */
function besideConfig(file: string, folder: string): string {
  const path = resolve(folder, file)
  const way = relative(folder, path)
  if (way.startsWith('..') || isAbsolute(way))
    throw new SyncError(
      'USAGE',
      'the new configuration has to lie in the folder of the configuration in force',
    )
  return path
}

const LOG_INPUT = {
  contact: person.optional(),
  run: z.string().optional().describe('what this run did'),
  pipeline: z.string().optional(),
  field: z.string().optional().describe('entries that changed this field'),
  term: z.string().optional().describe('entries that added, removed or created this term'),
  outcome: z.enum(['done', 'unchanged', 'rejected', 'failed', 'in_doubt', 'held']).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  limit: z.int().min(1).max(100).optional().describe('at most this many entries; 20 by default'),
}

export const TOOLS: readonly Tool[] = [
  listing(
    'status',
    ['status'],
    'Each pipeline: last run with its counts, next run, what waits, what needs attention.',
  ),
  tool(
    'check',
    'Whether configuration, secrets, columns, terms and the connection to the service are in order.',
    {
      input: {},
      call: () => ({ words: ['check'], names: [], options: {} }),
    },
  ),
  tool(
    'plan',
    'What a run would change now: totals by action, field and term, and the first changes. Sends no write and leaves no trace.',
    {
      input: {
        pipelines,
        key: person.optional().describe('lists the changes of this record only'),
        limit: z.int().min(1).max(100).optional().describe('at most this many changes; 20 by default'),
        offline: z.boolean().optional().describe('sends no request to the service'),
      },
      call: ({ pipelines: names = [], key, limit = 20, offline = false }, { meant }) => ({
        words: ['plan'],
        names,
        options: { limit, offline, ...(key === undefined ? {} : { key: meant(key) }) },
      }),
    },
  ),
  tool('explain', 'One record: each value from file and line over each rule to the request that sent it.', {
    input: {
      pipeline: z.string(),
      record: person,
      live: z.boolean().optional().describe('adds what the service has now'),
    },
    call: ({ pipeline, record, live = false }, { meant }) => ({
      words: ['explain'],
      names: [pipeline, meant(record)],
      options: { live },
    }),
  }),
  listing('rejects', ['rejects', 'list'], 'Records that could not be sent, with file, line and reason.'),
  listing('held', ['held', 'list'], 'Changes that a guard holds, and why.'),
  listing('doubts', ['doubts', 'list'], 'Operations whose outcome is unknown.'),
  tool(
    'drift',
    'How many contacts at the service show something else than was last sent, by field. Reads them within what is left of the rate limit.',
    {
      input: {
        pipelines,
        sample: z.int().min(1).max(1000).optional().describe('so many contacts, at random; 200 by default'),
      },
      call: ({ pipelines: names = [], sample }) => ({
        words: ['drift'],
        names,
        options: sample === undefined ? {} : { sample },
      }),
    },
  ),
  tool(
    'audit',
    'The sync log: with `contact` the history of one contact, else entries that match all filters, the newest first.',
    {
      input: LOG_INPUT,
      call: ({ contact, limit = 20, since, until, ...filters }, { meant }) => {
        const given = Object.values(filters).filter((value) => value !== undefined)
        if (contact !== undefined && given.length === 0 && since === undefined && until === undefined)
          return { words: ['audit', 'show'], names: [meant(contact)], options: {} }
        const moments = {
          ...(since === undefined ? {} : { since: Date.parse(since) }),
          ...(until === undefined ? {} : { until: Date.parse(until) }),
          ...(contact === undefined ? {} : { contact: meant(contact) }),
        }
        return { words: ['audit', 'list'], names: [], options: { ...filters, ...moments, limit } }
      },
    },
  ),
  tool(
    'rehearse',
    'What another configuration would change about files that were processed: numbers by field and term.',
    {
      input: {
        with: z.string().describe('the new configuration: a file in the folder of the one in force'),
        files: z.int().min(1).max(10).optional().describe('the last N files of each pipeline; 3 by default'),
      },
      call: ({ with: file, files }, { folder }) => ({
        words: ['rehearse'],
        names: [],
        options: { with: besideConfig(file, folder), ...(files === undefined ? {} : { files }) },
      }),
    },
  ),
]
