// What the inside asks of the outside. Everything is asynchronous and works on batches, so that an
// implementation may live on another machine one day. Each port has a contract suite in test/contracts.
import type { FetchOrder, KeptCursor } from './cursor.ts'
import type { SettledInput } from './change/settled-blocks.ts'
import type { Sought } from './erasing.ts'
import type { Contact, FieldValue } from './mapping/contact.ts'
import type { SyncError } from './words/errors.ts'
import type { RawBlock, RecordRow, SourceItem } from './mapping/record.ts'

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number
  /** Never goes backwards; milliseconds from an arbitrary start. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal is (or becomes) aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** One unit that a source hands over whole: a file of a drop folder. */
export interface SourceInput {
  /** For display: the file's name without its folder, control characters escaped. */
  readonly name: string
  /** Changes whenever the content may have: device, inode, size and time of change of a file. */
  readonly version: string
  readonly bytes: number
  /** When its content was written, in milliseconds; absent where that is not known. */
  readonly writtenAt?: number
  /** Made of the rejects of another input, by its number, up to this id: its results replace them. `keys`: of these records alone. */
  readonly rejectsOf?: { readonly input: number; readonly upTo: number; readonly keys?: ReadonlySet<string> }
  /** Where the next fetch begins once every record of it has its outcome. */
  readonly cursor?: KeptCursor
  /** Records that it lacks are not missing: the source was not read to its end, or was only asked for what is new. */
  readonly isPart?: true
}

/** An input that is being read. */
export interface InputReader {
  /** Column names as the input gives them, trimmed; blank for a column without a name. */
  readonly header: readonly string[]
  /** Where its text looks as if it had been encoded twice ("MÃ¼ller"): how often, and on which line first. */
  readonly twiceEncoded?: { readonly places: number; readonly line: number }
  /** Where its bytes contradict the encoding that was set: they are valid UTF-8, the first of them on this line. */
  readonly contradicted?: { readonly line: number }
  /** Where its records can be told apart in the raw bytes: all that those mean depends on, beside the header. */
  readonly rawForm?: string | undefined
  /** Where its bytes are those of the settled input that it was opened with: that one, and `batches` brings nothing. */
  readonly settled?: SettledInput
  /** Bytes consumed so far, for progress. */
  bytesRead(): number
  /**
   * The records in order, some hundreds at a time. Throws a SyncError of class `input` for what makes the
   * whole input unusable (an unclosed quote, say), and of class `later` when it changed while it was read.
   * With a `rawForm`, `blocks` says how raw bytes are used. `beside`: each record has its block, where that is known. A
   * function: records of blocks for which it answers true are passed over; an empty batch stands for a stretch of them, and
   * UnsureOfRecords is thrown where the input must be read without it.
   */
  batches(blocks?: 'beside' | ((block: RawBlock) => boolean)): AsyncIterable<readonly SourceItem[]>
  /** SHA-256 of the input's bytes, hexadecimal; known once `batches` has ended. */
  sha256(): string
  /**
   * What of it is not read as its author sees it (hidden rows, for example), once `batches` has ended: what, how often, and on
   * which line first (0: on none in particular).
   */
  oddities?(): readonly { readonly what: string; readonly times: number; readonly line: number }[]
  /** Whether its last row ended with a line break, once `batches` has ended; not there, or undefined: its form needs none. */
  endsWithLineBreak?(): boolean | undefined
  /** Whether it holds corrected rejects, once `batches` has ended: then it is never a full export. */
  isSupplement?(): boolean
  close(): Promise<void>
}

/** A rejected record as its `.rejects.csv` shows it. */
export interface RejectRow {
  readonly values: readonly string[]
  readonly text?: string
  /** Where the record was made of several: each of them is written. */
  readonly rows?: readonly RecordRow[]
  readonly reason: string
  readonly file: string
  readonly line: number
}

export interface OpenOptions {
  readonly columns: readonly string[]
  /** Those of them that the input may lack: a source without a header has them in its header only where they occur. */
  readonly optional?: readonly string[]
  readonly lastEndedWithLineBreak?: boolean | undefined
  /** An input of which every record is settled: its bytes need not be read as records again. */
  readonly settled?: SettledInput | undefined
}

/** One pipeline's source. Listing changes nothing, and opening at most claims the input; `archive`, `giveBack`, `clearLeftovers` and `writeRejects` write. */
export interface Source {
  /**
   * The inputs that are ready, in the order in which they are to be taken, and how many are still growing.
   * `wait`: waits until those that were found have settled. Throws INPUT_FOLDER_MISSING or INPUT_UNREADABLE.
   * `fetch`: a source that is asked for its records fetches them now, unless an input waits; without it, none does.
   */
  list(options: { wait: boolean; signal?: AbortSignal; fetch?: FetchOrder }): Promise<{
    readonly ready: readonly SourceInput[]
    readonly unsettled: number
    /** What bears a fitting name and is no regular file: never opened, left alone. */
    readonly refused: readonly { readonly name: string; readonly error: SyncError }[]
    /** A fetch came to its end without a record, and this far. */
    readonly cursor?: KeptCursor | undefined
  }>
  /**
   * Opens one input and reads its header. `columns` are the columns that the mapping names (a source
   * without a header, json, takes its header from them). `lastEndedWithLineBreak`: the last row of the input before did.
   * Throws a SyncError of class `input` or `later`.
   */
  open(input: SourceInput, options: OpenOptions): Promise<InputReader>
  /** Whether another installation could take what was opened last, because its store keeps no claims. */
  isUnclaimed?: (() => boolean) | undefined
  /** Whether this very version still waits. */
  isWaiting(input: SourceInput): Promise<boolean>
  /**
   * Moves the input to `processed` or `failed`, under its name with the run's id, unless another version
   * has taken its place (then nothing is moved and false is returned). With a reason, a text beside it says why.
   * `sha256` of what was read: another content is another version, whatever its times are.
   * `leaveOut`: records of these persons are not in the archived file; it never has its name with them in it.
   */
  archive(
    input: SourceInput,
    to: {
      folder: 'processed' | 'failed'
      runId: string
      reason?: string
      sha256?: string | undefined
      leaveOut?: Sought | undefined
    },
  ): Promise<boolean>
  /** Puts back what a run that was killed had taken to put it away: it waits again. */
  giveBack?: (() => Promise<void>) | undefined
  /** Removes what a run that was cut off while it put this input away left of it; the input itself still waits. */
  clearLeftovers(input: SourceInput, runId: string): Promise<void>
  /** Writes the `.rejects.csv` that belongs to the archived input, whole or not at all. */
  writeRejects(
    input: SourceInput,
    to: { folder: 'processed' | 'failed'; runId: string },
    header: readonly string[],
    rows: AsyncIterable<RejectRow>,
  ): Promise<void>
}

/** What was asked, for the audit entry: the route template, never a whole URL. */
export interface RequestTrace {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As in the interface: `/contact/<contact_id>`. */
  readonly path: string
  /** The last status seen; undefined where no answer came. */
  readonly status: number | undefined
  readonly attempts: number
}

/**
 * How a call ended, retries included. A call never rejects for what a network or a service does.
 * - ok: answered as the interface says.
 * - absent: a 404 with a JSON body: the addressed object does not exist.
 * - refused: not applied, and the same request would be refused again (400, 409, 413, 415, 422, an error in a 200).
 * - denied: not applied: 401 or 403.
 * - not_applied: provably never processed (no connection, still throttled, the run was aborted before it was sent).
 * - unknown: it may or may not have been applied (time-out, reset, 5xx, an answer that is not the interface's).
 */
export type CallResult<T> =
  | {
      readonly kind: 'ok'
      readonly value: T
      readonly request: RequestTrace
      /** An earlier attempt of it was lost, and may still be carried out. */
      readonly echo?: true
    }
  | {
      readonly kind: 'absent' | 'refused' | 'denied' | 'not_applied' | 'unknown'
      /** One sentence with the facts; may hold the service's own words, so it goes to state only. */
      readonly reason: string
      /** The reason without anything the service or a person wrote: for operational logs. */
      readonly summary: string
      readonly request: RequestTrace
    }

/** A contact as the service gave it: `id` and whatever fields were asked for, values as in the body. */
export interface ServiceContact {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

export interface CreateOptions {
  readonly duplicateCheckMethod: 'auto' | 'email' | 'none'
  readonly duplicateMergeMethod: 'update_add' | 'update' | 'add'
  /** Whether a lost answer may be met by sending the same request again. */
  readonly repeatable: boolean
}

/** One member of a bulk answer, as answered: order, case and completeness are the service's. */
export interface CreatedMember {
  readonly id: number
  readonly email: string
}

/** What a look-up by mail brought; every contact with its mail, whether or not that was asked for. */
export interface MailLookup {
  /** Every contact that shows the mail in its comparison form, each once. */
  readonly contacts: readonly ServiceContact[]
  /** Contacts of other mails: the look-up of the service is not exact. They match no record. */
  readonly others: readonly ServiceContact[]
}

/** The reads of the service (interface, 4.2). */
export interface ContactReader {
  contactById(id: number, fields: readonly string[]): Promise<CallResult<ServiceContact>>
  /** Reads every page. `unknown` where a contact in the answer does not show its mail. */
  contactsByMail(mail: string, fields: readonly string[]): Promise<CallResult<MailLookup>>
}

/** The writes of the service (interface, 4.2). */
export interface ContactWriter {
  createContact(contact: Contact, options: CreateOptions): Promise<CallResult<number>>
  /** Every contact has a mail, and no mail is there twice. */
  createContacts(
    contacts: readonly Contact[],
    options: CreateOptions,
  ): Promise<CallResult<readonly CreatedMember[]>>
  /** `null` values are sent as JSON null. */
  updateContact(id: number, fields: Readonly<Record<string, FieldValue | null>>): Promise<CallResult<true>>
  deleteContact(id: number): Promise<CallResult<true>>
}

/** A term as the service has it (interface, 2.1). */
export interface Term {
  readonly id: number
  readonly name: string
  /** Blank where it has none. */
  readonly description: string
}

/** The reads of terms (interface, 4.1), and of which terms a contact has (interface, 4.3). */
export interface TermReader {
  /** Every term, page by page, in the service's order, each id once. `unknown` where the list does not end. */
  terms(): Promise<CallResult<readonly Term[]>>
  termById(id: number): Promise<CallResult<Term>>
  /**
   * The term of that name. `unknown` without a request where the name could address something else in a path:
   * it looks like a number, consists of dots, or holds one of / \ % ? #.
   */
  termByName(name: string): Promise<CallResult<Term>>
  /** Every page of them. */
  contactTerms(contactId: number): Promise<CallResult<readonly Term[]>>
}

/** The writes of terms (interface, 4.1 and 4.3). Lists of ids must not be empty: some services take that for "all". */
export interface TermWriter {
  /** The id of the term of that name, made where there is none; an existing one keeps its description. */
  createTerm(name: string, description?: string): Promise<CallResult<number>>
  updateTerm(id: number, changes: { name?: string; description?: string }): Promise<CallResult<true>>
  /** Replaces the contact's whole list. */
  setContactTerms(contactId: number, termIds: readonly number[]): Promise<CallResult<true>>
  addContactTerms(contactId: number, termIds: readonly number[]): Promise<CallResult<true>>
  removeContactTerms(contactId: number, termIds: readonly number[]): Promise<CallResult<true>>
}

/** The definition of a custom field (interface, 2.2). */
export interface CustomFieldDefinition {
  readonly id: number
  readonly name: string
  readonly label: string
  readonly description: string
  /** An open list: `text_textfield`, `checkbox_confirmation`, `number`, `options_select` ... */
  readonly type: string
  readonly required: boolean
  /** Whether several values may be selected; undefined where the service does not say. */
  readonly multiple: boolean | undefined
}

/** The reads of custom field definitions (interface, 4.4); nothing can be written there. */
export interface CustomFieldReader {
  /** Every page of them, or as many as it takes until they are enough. */
  customFields(
    isEnough?: (found: readonly CustomFieldDefinition[]) => boolean,
  ): Promise<CallResult<readonly CustomFieldDefinition[]>>
  customFieldById(id: number): Promise<CallResult<CustomFieldDefinition>>
  /** `unknown` without a request for names that cannot stand in a path (see termByName). */
  customFieldByName(name: string): Promise<CallResult<CustomFieldDefinition>>
}

/** What planning may ask of the service: reads, and nothing else. */
export interface ServiceReads extends ContactReader, TermReader, CustomFieldReader {}

/** The service, bound to one run: its calls are counted there and end with its signal. */
export interface ServiceSession extends ServiceReads, ContactWriter, TermWriter {
  readonly counts: { readonly requests: number; readonly retries: number }
}

/** A mail_status of 1 or 2 that a contact is to get goes before everything else, of all pipelines and processes. */
export type Lane = 'restrictions' | 'others'

/** The rate limit over all processes that ask one service; `now` is the wall clock, in milliseconds since the epoch. */
export interface SharedWindow {
  /**
   * Takes one of so many places and gives 0, or how long it may be until one is free. While a call of the lane `restrictions`
   * waits in one process, those of another one wait behind it, where the window can tell.
   */
  take(now: number, places: number, lane?: Lane): number
  /** The answer, or the failure, came: the place is free one window from now. */
  giveBack(now: number): void
  /** Nothing was sent: the place is free at once. */
  undo(now: number): void
  /** Takes one request off the allowance of a day; false when it is used up. */
  takeOfDay(now: number, perDay: number): boolean
  /** The service throttled: no place is free before `resumeAt`, so many from then on, and more and more again. */
  slowDown(now: number, places: number, resumeAt: number): void
  /** The service asked for a pause of so many milliseconds: all processes wait for its end. */
  hold(now: number, ms: number): void
  /** How long all processes wait yet because the service has asked for it, in milliseconds; 0: they do not. */
  pausedMs(now: number): number
  /** Hands on what is still counted. */
  close(now: number): void
}

/** The only source of chance: a number in [0, 1). */
export type Random = () => number
