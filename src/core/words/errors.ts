// Every error that a person may meet: one closed table of codes, each with what the caller must do
// (its class) and the next step for the reader (its hint). The manual's list is this list.

/**
 * fatal: ends the run. input: this file cannot be taken. later: this file is left for the next run.
 * record: this record is rejected. warning: said, nothing is stopped.
 */
export type ErrorClass = 'fatal' | 'input' | 'later' | 'record' | 'warning'

interface ErrorEntry {
  readonly class: ErrorClass
  readonly hint: string
}

const entry = (errorClass: ErrorClass, hint: string): ErrorEntry => ({ class: errorClass, hint })

export const ERRORS = {
  // A whole command or run.
  USAGE: entry('fatal', 'See contact-sync --help.'),
  CONFIG_INVALID: entry('fatal', 'Fix the problems named, then: contact-sync check'),
  STATE_LOCKED: entry(
    'fatal',
    'The process that holds the state could not be asked to take this: wait until it ends, or stop it; contact-sync status names it. Never give the same pipelines another state.path: a state without their links would create every contact again.',
  ),
  DAEMON_ENDING: entry('fatal', 'Call it again once the daemon has ended, or is started again.'),
  STATE_UNUSABLE: entry('fatal', 'See "Restore" in state/README.md; nothing was changed.'),
  STATE_FULL: entry(
    'fatal',
    'Free space, or raise the quota, where the state and the temporary files lie. Nothing is sent without a journal and nothing is lost: the next run continues, and start resumes automatically.',
  ),
  STATE_IO: entry(
    'fatal',
    'The disk failed. Check the system log, copy the state to another disk if possible, and restart: the state is then checked, and requests in flight are looked up.',
  ),
  TOO_MANY_FILES: entry(
    'fatal',
    'Permit more open files (ulimit -n, LimitNOFILE): 256, and with several accounts ten more for each. Nothing is lost: the next run continues, and start resumes automatically.',
  ),
  STATE_OLDER: entry(
    'fatal',
    'Was a backup restored, or is state.path wrong? See "Restore" in state/README.md: contact-sync state rebuild finds what is missing at the service; contact-sync state accept continues with it unchanged.',
  ),
  OTHER_SERVICE: entry(
    'fatal',
    'Nothing was sent. If it is the same service under a new address: contact-sync state rebind --yes. If it is another service: give it its own state (another state.path).',
  ),
  HELD_CHANGED: entry(
    'fatal',
    'See what is held now with contact-sync held list. If a newer file has replaced some changes, --remaining releases the others; the next run judges what a changed mapping makes.',
  ),
  PAUSED: entry(
    'fatal',
    'Nothing was sent, and files stay. To let it run again: contact-sync resume, with the name of the pipeline.',
  ),
  SUPPRESSION_LIST: entry(
    'fatal',
    'Put the list of consents.suppress back, whole and readable: the next run continues. If a much shorter list is right, save it under another name and write that name into consents.suppress.',
  ),
  PIPELINE_RENAMED: entry(
    'fatal',
    'Nothing was sent, and files stay. If the pipeline has got another name: contact-sync state rename-pipeline OLD NEW. If it is another one: contact-sync state drop-pipeline OLD, which leaves the contacts as they are.',
  ),
  RECEIVER_FAILED: entry(
    'fatal',
    'Look at the receiver, then run the command again: it sends what was not accepted. The daemon tries again automatically.',
  ),
  SERVICE_UNREACHABLE: entry(
    'fatal',
    'Check service.base_url and the network; the next run continues where this one stopped.',
  ),
  SERVICE_KEY_REFUSED: entry(
    'fatal',
    'Check service.api_key or service.api_key_file; the next run continues where this one stopped.',
  ),
  SERVICE_CONTRACT: entry(
    'fatal',
    'The answers are not those of the interface: check that service.base_url names the service itself, not a proxy or a login page.',
  ),
  DAILY_LIMIT: entry(
    'fatal',
    'service.rate_limit.per_day is used up; the next run continues where this one stopped.',
  ),
  REFUSED_ALIKE: entry(
    'fatal',
    'See the reason with contact-sync rejects list, and fix the mapping or the service; the file stays and is read again by the next run. guards.max_equal_refusals says after how many refusals a run stops.',
  ),
  MAX_DURATION: entry(
    'fatal',
    'Nothing is lost: the next run continues where this one stopped. If runs never finish, raise max_duration, or service.rate_limit if the service allows more.',
  ),
  RUN_UNBALANCED: entry(
    'fatal',
    'This is a bug in contact-sync: the counts do not add up. Please report it with the run id.',
  ),
  // A file (or another unit of a source).
  INPUT_FOLDER_MISSING: entry(
    'input',
    'Create the folder or correct source.folder; a missing folder never counts as an empty source.',
  ),
  INPUT_UNREADABLE: entry(
    'input',
    'Give the user that runs contact-sync permission to read and move the file.',
  ),
  INPUT_NOT_A_FILE: entry(
    'input',
    'Only regular files are accepted: drop the file itself, not a link, pipe or device.',
  ),
  INPUT_EMPTY: entry(
    'input',
    'The file has no record; drop it again when the exporter has written it completely.',
  ),
  INPUT_OUTDATED: entry(
    'input',
    'Nothing of it was sent, and the next run fetches again. If the source gives its records only once: move the file from failed/ into the spool folder, and the next run sends them.',
  ),
  INPUT_BINARY: entry(
    'input',
    'This is not a text file; export it as CSV, or use the source type for its format.',
  ),
  INPUT_ENCODING: entry(
    'input',
    'Set source.encoding to the encoding that the exporter uses; its settings name it.',
  ),
  INPUT_QUOTE: entry(
    'input',
    'Close the quote, double the quotes inside quoted values, or set source.quote.',
  ),
  INPUT_RECORD_TOO_LARGE: entry(
    'input',
    'A record this large points to an unclosed quote or a wrong delimiter; see source.quote and source.delimiter.',
  ),
  INPUT_COLUMN_MISSING: entry('input', 'Correct the column in the mapping, or drop a file that has it.'),
  INPUT_COLUMN_AMBIGUOUS: entry(
    'input',
    'Give the columns of the file different names; a mapped column must occur once.',
  ),
  INPUT_DATE_ORDER: entry(
    'input',
    'Nothing from the file was sent. Find the order that the exporter uses, write the pattern in place of date: auto (dd/MM/yyyy, for example), and drop the file again. If the source has changed its order permanently: contact-sync state forget-date-order PIPELINE COLUMN, then drop the file again.',
  ),
  INPUT_KEY_CHANGED: entry(
    'input',
    'Nothing from the file was sent. Restore the keys, or export the rejects again and open the file so that all columns are text (in Excel: Data, From Text/CSV, without detecting types). If a key is right as it stands now, clear _line in its row.',
  ),
  INPUT_JSON: entry('input', 'Drop a JSON array of objects, or one JSON object per line.'),
  SOURCE_UNREACHABLE: entry(
    'input',
    'Check the address in the source and the network. The cursor has not moved: the next run fetches again.',
  ),
  SOURCE_DENIED: entry(
    'input',
    'Check the credentials of the source and what they may read; after changing a secret: contact-sync reload, where start is running. The cursor has not moved: the next run fetches again.',
  ),
  SOURCE_ANSWER: entry(
    'input',
    'Check what the source answers, and the options that say how its answers are read. The cursor has not moved: the next run fetches again.',
  ),
  SOURCE_FAILED: entry(
    'input',
    'Look for the cause at the source, or in its program. The cursor has not moved: the next run fetches again.',
  ),
  SOURCE_TOKENS: entry(
    'input',
    'Give the user that runs contact-sync permission to write beside the state, and free space. Nothing was asked of the source: a token that cannot be kept would be lost.',
  ),
  SPOOL_FAILED: entry(
    'later',
    'Give the user that runs contact-sync permission to write to the folder `spool` beside the state, and free space; the next run fetches again.',
  ),
  INPUT_EXCEL: entry(
    'input',
    'Open the file in Excel, save it as an Excel workbook (.xlsx) and drop it again; or export the sheet as CSV.',
  ),
  INPUT_GZIP: entry(
    'input',
    'Drop the file again when the exporter has written it whole, or unpack it first.',
  ),
  INPUT_VCARD: entry(
    'input',
    'Export the contacts as vCard again and drop the whole file: each card goes from BEGIN:VCARD to END:VCARD.',
  ),
  INPUT_FATAL: entry(
    'input',
    'Find out why the process ended (its memory limit, or the last lines of its log); then drop the file again.',
  ),
  INPUT_CHANGED: entry(
    'later',
    'The file was changed while it was read; it is read again when it has settled.',
  ),
  INPUT_IO: entry(
    'later',
    'Check the system log, the disk, and where the folder is a share its connection. The next run reads the file from the beginning, and newer ones after it: one that stays unreadable is to be taken out of the folder.',
  ),
  INPUT_CLAIMED: entry(
    'later',
    'The file is left to the installation that claimed it, which removes the claim after archiving the file. If that installation does not exist any more, delete the claim that is named; the next run then processes the file.',
  ),
  ARCHIVE_FAILED: entry(
    'later',
    'Give the user that runs contact-sync permission to write to the folder, and free space; the file is still there and the next run moves it.',
  ),
  REMOTE_LOST: entry(
    'later',
    'Check the connection to the remote folder. The file stays there; the next run reads it from the beginning, and newer ones after it.',
  ),
  // A record.
  RECORD_RAGGED: entry(
    'record',
    'Give the row as many values as the header has. source.ragged: auto fills missing values at the end if most rows lack them.',
  ),
  RECORD_MAYBE_CUT: entry(
    'record',
    'Drop the complete file again. If the files of this source never end with a line break, set source.last_line: accept.',
  ),
  RECORD_NOT_AN_OBJECT: entry('record', 'Every record must be a JSON object.'),
  RECORD_NOT_A_CARD: entry(
    'record',
    'Correct the card in the address book, or in the file, and drop the file again; the other cards were processed.',
  ),
  KEY_MISSING: entry(
    'record',
    "Fill in the key, or set the pipeline's key to columns that are always filled.",
  ),
  KEY_TOO_LONG: entry(
    'record',
    "Set the pipeline's key to columns that identify a record in few characters.",
  ),
  KEY_DUPLICATE: entry('record', 'Keep one of the records, or set on_duplicate_key: last, or union.'),
  FIELD_INVALID: entry(
    'record',
    "Correct the value, or add a transform, a lookup or on_invalid: drop to the field's mapping.",
  ),
  FIELD_TOO_LONG: entry('record', 'Shorten the value, or set on_invalid: truncate.'),
  MAIL_INVALID: entry('record', 'One valid address per record; split several with a transform.'),
  TEXT_DAMAGED: entry(
    'record',
    'The characters were lost before the file arrived; export it again in the right encoding.',
  ),
  LOOKUP_MISSING: entry('record', 'Add the value to the lookup, or set otherwise.'),
  CONTACT_INCOMPLETE: entry(
    'record',
    'A contact needs mail, or first_name, family_name, ba_street, ba_city and ba_postal_code.',
  ),
  WHERE_FAILED: entry(
    'record',
    'The condition could not be evaluated for this record; make it handle missing or unusual values.',
  ),
  TERM_UNKNOWN: entry(
    'record',
    'Correct the name, create the term in the service, or set terms.create_missing: true.',
  ),
  REFUSED: entry('record', 'The service does not accept this contact; correct the record and drop it again.'),
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/**
 * Rejects that reading the same record again cannot fix: the first record of a key counts, a row that is no record stays
 * none, and what was cut off a row is not in it.
 */
export const FINAL_REJECTS: readonly ErrorCode[] = [
  'KEY_DUPLICATE',
  'RECORD_RAGGED',
  'RECORD_MAYBE_CUT',
  'RECORD_NOT_AN_OBJECT',
  'RECORD_NOT_A_CARD',
]

export const isRetriable = ({ code }: { readonly code: ErrorCode }): boolean => !FINAL_REJECTS.includes(code)

/** What a known error tells a person. The message holds no secret and no personal data. */
export class SyncError extends Error {
  readonly code: ErrorCode
  readonly hint: string

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'SyncError'
    this.code = code
    this.hint = options.hint ?? ERRORS[code].hint
  }

  get class(): ErrorClass {
    return ERRORS[this.code].class
  }
}

/** An error about one input, of class `input` or `later`; undefined for everything else, which ends the run. */
export const inputError = (error: unknown): SyncError | undefined =>
  error instanceof SyncError && (error.class === 'input' || error.class === 'later') ? error : undefined

/** The error; TOO_MANY_FILES where it is the limit of open files, which any part of the program may meet first. */
export function unlessOfLimit(error: unknown): unknown {
  const isLimit =
    error instanceof Error && 'code' in error && ['EMFILE', 'ENFILE'].includes(String(error.code))
  return isLimit ? new SyncError('TOO_MANY_FILES', 'too many open files', { cause: error }) : error
}
