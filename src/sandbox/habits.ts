// What the interface leaves open, and what real services are met to do about it: one row a habit, with its values,
// its default (the first value: the interface as it is written) and its help. The types, the command line, its
// help and the tests are all made from this table; nothing about a habit is written a second time.
import { milliseconds } from '../core/words/duration.ts'

export interface Habit<Value> {
  readonly plain: Value
  /** As they are typed, the default first. Capital letters stand for a number or a span. */
  readonly values: readonly string[]
  readonly help: string
  /** The value that a text stands for; undefined where it is none. */
  parse(text: string): Value | undefined
}

function onOff(help: string): Habit<boolean> {
  const meant = new Map([
    ['false', false],
    ['true', true],
  ])
  return { plain: false, values: [...meant.keys()], help, parse: (text) => meant.get(text) }
}

function choice<const Value extends string>(
  values: readonly [Value, ...Value[]],
  help: string,
): Habit<Value> {
  return { plain: values[0], values, help, parse: (text) => values.find((value) => value === text) }
}

function count(help: string): Habit<number> {
  return {
    plain: 0,
    values: ['0', 'N'],
    help,
    parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  }
}

export interface RateLimit {
  readonly requests: number
  readonly perMs: number
}

function rateLimit(help: string): Habit<RateLimit | 'none'> {
  return {
    plain: 'none',
    values: ['none', 'N/SPAN'],
    help,
    parse(text) {
      if (text === 'none') return 'none'
      const [requests = '', span = ''] = text.split(/\/(.*)/s)
      const perMs = milliseconds(span)
      if (!/^[1-9]\d{0,6}$/.test(requests) || perMs === 0) return undefined
      return { requests: Number(requests), perMs }
    },
  }
}

export const HABITS = {
  // Refusals.
  errorBody: choice(
    ['message', 'error', 'errors', 'html', 'empty'],
    'The body of a refusal: {"error": true, "message": text}, {"error": text}, {"errors": [text]}, a page, or nothing.',
  ),
  errorsIn200: onOff('A body that is refused is answered with status 200, its refusal in the body.'),
  refusedKey: choice(
    ['401', '403', '401-html', '403-html'],
    'How a wrong key is answered: status, JSON or a page.',
  ),
  refusedContact: choice(
    ['422', '400', '409', '415'],
    'The status of a contact that does not fit the rules.',
  ),
  unknownContact: choice(
    ['id-404', 'json-404', 'empty-list', 'html-404'],
    'An unknown contact: 404 for an id and [] for an e-mail address; 404 for both; [] with 200 for both; 404 as a page, as of a proxy.',
  ),
  // Shapes.
  success: choice(['text', 'boolean', 'number'], 'How success is written: "true", true, or 1.'),
  idsAsText: onOff('Ids are written as text.'),
  lists: choice(
    ['array', 'keyed', 'keyed-with-gaps'],
    'Lists are arrays, or objects with the keys "0", "1", "2"; or with every second key left out: "0", "2", "4".',
  ),
  birthdayOffset: choice(
    ['as-sent', 'other'],
    'date_of_birth is shown as it was sent, or the same moment and day in another offset.',
  ),
  // Limits.
  rateLimit: rateLimit('So many requests in any such span (5/1s, 100/1m), 429 beyond it.'),
  rateLimitHeaders: choice(
    ['retry-after', 'retry-after-date', 'none', 'x-rate-limit', 'x-ratelimit', 'ratelimit'],
    'How a rate limit is told: Retry-After on a 429, in seconds or as a date; nothing; or -Limit, -Remaining and -Reset on every answer.',
  ),
  rateLimitReset: choice(['seconds', 'epoch'], 'Those -Reset headers: seconds from now, or since 1970.'),
  pageCap: count('No page has more than N entries, whatever limit asks for (0: as asked).'),
  offsetIgnored: onOff('Every page is the first one.'),
  bulkLimit: count('A call with more than N contacts is refused with 413 (0: any number goes).'),
  // Contacts.
  mailLookup: choice(
    ['exact', 'wildcard', 'prefix', 'secondary'],
    'Which contacts are read by an e-mail address: those that have it; those that fit it with _ for any character; those whose e-mail address begins with it; those that have it as mail2, too.',
  ),
  mailStatusPermission: onOff('The key may set mail_status; without, it is ignored and nothing said.'),
  statusAfterDelete: choice(
    ['forgotten', 'remembered'],
    'The mail_status of an address whose contact was deleted: a new contact begins without it; or has it again, whatever its create says.',
  ),
  auto: choice(
    ['probable', 'mail', 'none'],
    'What the duplicate check auto searches: contacts that are probably the same; the e-mail address alone; nothing.',
  ),
  merge: choice(
    ['as-documented', 'update-add'],
    'What a merge method does: what the interface says; or update_add, whichever is named.',
  ),
  clearedBy: choice(
    ['both', 'null', 'empty-text', 'nothing'],
    'What empties a field in an update: null and ""; only one of them; nothing. What does not is ignored.',
  ),
  termsInCreate: choice(
    ['by-method', 'add', 'replace', 'ignore'],
    'What terms in the body of a create do to a contact that it is merged into: as the merge method has it for any field; are added; replace; nothing, in a new contact neither.',
  ),
  termsInUpdate: choice(
    ['replace', 'add', 'ignore'],
    'What terms in the body of an update do to the contact.',
  ),
  // Calls with many contacts.
  bulkContainer: choice(
    ['both', 'array', 'keyed'],
    'How contacts may be given: an array, an object, or either.',
  ),
  bulkRefusal: choice(
    ['whole-call', 'after-earlier', 'itself'],
    'A contact that is refused: fails the call, nothing done; fails the call after those before it were done; fails alone, and is missing from the answer.',
  ),
  bulkOrder: choice(['as-sent', 'reversed'], 'The order of the answer.'),
  bulkMail: choice(['as-sent', 'upper', 'lower'], 'The case of the mails in the answer.'),
  bulkMissing: onOff('Every second contact is missing from the answer, though it was done.'),
  // Terms.
  termFolding: choice(
    ['case', 'accents', 'spaces'],
    'What makes two names one term besides case: nothing, accents left out, or blanks left out. For a new database.',
  ),
  termInPath: choice(
    ['id-or-name', 'id', 'name-or-id'],
    'Digits in /terms/...: an id, or a name where no term has that id; an id only; a name, or an id where no term has that name.',
  ),
  emptyTerms: choice(
    ['nothing', 'all'],
    'DELETE of the terms [] removes nothing; or all, and so does one without a body.',
  ),
  deleteBodyLost: onOff('The body of a DELETE is lost on the way; what it does then, empty-terms says.'),
  // The line.
  redirects: choice(
    ['none', 'login-page', 'other-host'],
    'Every request is answered with 302 to a login page, or 301 to another host.',
  ),
  latencyMs: count('Milliseconds before every answer.'),
} as const satisfies Record<string, Habit<unknown>>

export type HabitName = keyof typeof HABITS

export type Habits = { readonly [Name in HabitName]: (typeof HABITS)[Name]['plain'] }

/** The sandbox as the interface is written. */
export const PLAIN_HABITS = Object.fromEntries(
  Object.entries(HABITS).map(([name, { plain }]) => [name, plain]),
) as unknown as Habits
