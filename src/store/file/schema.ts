// The tables of the state: those of the oldest schema that is carried over, and what each later one changes. A migration
// that has landed is never edited: a new one follows it.

import { eighth } from './schema-eighth.ts'
import { ninth } from './schema-ninth.ts'
import { seventh } from './schema-seventh.ts'
import { sixth } from './schema-sixth.ts'

/** "CSY1": tells our database from any other SQLite file. */
export const APPLICATION_ID = 0x43535931

// status, counts, error, code: how it ended. drift: how often it met what others had changed. files: that had come;
// refused: that could not be processed.
const runs = `
CREATE TABLE run (
  id TEXT PRIMARY KEY,
  pipeline TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  status TEXT,
  counts TEXT,
  error TEXT,
  config_hash TEXT NOT NULL,
  code TEXT,
  drift INTEGER NOT NULL DEFAULT 0,
  files INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX run_by_pipeline ON run (pipeline, started_at);
CREATE INDEX run_by_start ON run (started_at, id);
CREATE INDEX run_with_files ON run (pipeline, started_at) WHERE files > 0;
CREATE INDEX run_without_failure ON run (pipeline, ended_at) WHERE status IN ('ok', 'partial', 'held');

CREATE TABLE input (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  header TEXT NOT NULL,
  sha256 TEXT,
  state TEXT NOT NULL CHECK (state IN ('reading', 'planned', 'processed', 'failed'))
) STRICT;
CREATE INDEX input_open ON input (pipeline) WHERE state IN ('reading', 'planned');
CREATE INDEX input_by_run ON input (run_id);
`

// link.terms: those that its record asserts; null: nothing was settled yet. link.unsure: fields whose last push has no known
// outcome, and marks of those that its record has given up (core/change/given-up.ts), as a JSON list. link.missing: in how many
// full exports in a row the record was missing, the last of them being missing_in (its version) at missing_at. link.by_id: an
// update that went by its mail reached another contact, so they go by id. link.open_until: until then (milliseconds since the
// epoch) a request that names its contact by its mail, and was sent more than once, may still land.
const links = `
CREATE TABLE link (
  id INTEGER PRIMARY KEY,
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  contact_id INTEGER NOT NULL,
  mail_key TEXT,
  known TEXT NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0,
  terms TEXT,
  unsure TEXT,
  missing INTEGER NOT NULL DEFAULT 0,
  missing_in TEXT,
  missing_at INTEGER,
  by_id INTEGER NOT NULL DEFAULT 0,
  open_until INTEGER,
  UNIQUE (pipeline, key),
  UNIQUE (pipeline, contact_id)
) STRICT;
CREATE INDEX link_by_mail ON link (pipeline, mail_key);
CREATE INDEX link_by_contact ON link (contact_id);
CREATE INDEX link_by_any_mail ON link (mail_key);
CREATE INDEX link_missing ON link (pipeline) WHERE missing > 0;

CREATE TABLE fingerprint (
  pipeline TEXT NOT NULL,
  link_id INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (pipeline, link_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fingerprint_by_value ON fingerprint (pipeline, value);
`

// A partial index serves only queries that repeat its condition word for word: hence `state <> 'planned'` in them.
// operation.guard: which guard held it. operation.undoes: the run whose work it puts back.
const journal = `
CREATE TABLE operation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  input_id INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  line INTEGER NOT NULL,
  file TEXT NOT NULL,
  cause TEXT NOT NULL DEFAULT 'record' CHECK (cause IN ('record', 'missing')),
  kind TEXT NOT NULL CHECK (kind IN ('create', 'update', 'terms', 'consent', 'delete')),
  link_id INTEGER,
  contact_id INTEGER,
  mail_key TEXT,
  fields TEXT NOT NULL,
  desired TEXT NOT NULL,
  terms TEXT,
  consent INTEGER,
  outcome TEXT CHECK (outcome IN ('created', 'updated', 'unchanged')),
  record TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planned', 'sending', 'in_doubt', 'held', 'failed', 'waiting')),
  rank INTEGER NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  swallowed INTEGER NOT NULL DEFAULT 0,
  absent_reads INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  guard TEXT,
  released INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  undoes TEXT
) STRICT;
CREATE INDEX operation_to_send ON operation (run_id, rank, id) WHERE state = 'planned';
CREATE INDEX operation_by_key ON operation (pipeline, key);
CREATE INDEX operation_by_mail ON operation (pipeline, mail_key) WHERE state = 'planned';
CREATE INDEX operation_doubt_by_mail ON operation (pipeline, mail_key) WHERE state = 'in_doubt';
CREATE INDEX operation_by_input ON operation (input_id, line);
CREATE INDEX operation_open ON operation (pipeline, id) WHERE state <> 'planned';
CREATE INDEX operation_by_state ON operation (pipeline, state) WHERE state <> 'planned';

CREATE TABLE hold (
  run_id TEXT NOT NULL,
  input_id INTEGER NOT NULL,
  guard TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  number INTEGER NOT NULL,
  threshold TEXT NOT NULL,
  reason TEXT NOT NULL,
  config_hash TEXT NOT NULL,
  held_at INTEGER NOT NULL,
  released_at INTEGER,
  PRIMARY KEY (run_id, input_id, guard)
) STRICT, WITHOUT ROWID;

CREATE TABLE reject (
  id INTEGER PRIMARY KEY,
  input_id INTEGER NOT NULL,
  pipeline TEXT NOT NULL,
  key TEXT,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  header TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX reject_by_input ON reject (input_id, line);
CREATE INDEX reject_by_key ON reject (pipeline, key);
CREATE INDEX reject_by_pipeline ON reject (pipeline);
`

// The sync log in two parts. audit: what is chained and stays, without anything personal. sealed: the personal part of
// each entry, encrypted under the key of its person. A person may have several keys (two that turned out to be one);
// person 0 is no person. A key that is gone leaves its row and token. person_alias: who is meant by a key, a contact's id or
// a mail, all of them under a keyed hash, as are names of terms in log_word. log_tag: by what an entry is found.
// log_hour: which entries an hour may have. log_total: how many a run has of each kind.
// tombstone: persons who were erased and must not be created again.
const syncLog = `
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  entry TEXT NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the sync log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the sync log is append-only'); END;

CREATE TABLE sealed (seq INTEGER PRIMARY KEY, key_id INTEGER NOT NULL, box BLOB) STRICT;
CREATE INDEX sealed_by_key ON sealed (key_id);

CREATE TABLE person_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person INTEGER NOT NULL,
  token TEXT NOT NULL,
  secret BLOB
) STRICT;
CREATE INDEX person_key_by_person ON person_key (person);
CREATE INDEX person_key_by_token ON person_key (token);
INSERT INTO person_key VALUES (0, 0, '', randomblob(32));

CREATE TABLE person_alias (alias BLOB, person INTEGER, PRIMARY KEY (alias, person)) STRICT, WITHOUT ROWID;
CREATE INDEX person_alias_by_person ON person_alias (person);

CREATE TABLE log_word (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE log_tag (word INTEGER, seq INTEGER, PRIMARY KEY (word, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE log_hour (hour INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE log_total (
  run_id TEXT,
  action TEXT,
  outcome TEXT,
  entries INTEGER NOT NULL,
  PRIMARY KEY (run_id, action, outcome)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstone (print BLOB PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

// due.done_up_to: up to which moment everything that a pipeline's schedule names has had its run. alert: who was told of
// what (told: 0 while it has not lasted long enough).
const others = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('instance', lower(hex(randomblob(8)))), ('runs', 0), ('audit_secret', lower(hex(randomblob(32))));

CREATE TABLE owner (id INTEGER PRIMARY KEY CHECK (id = 1), pid INTEGER NOT NULL, since INTEGER NOT NULL) STRICT;
CREATE TABLE daily_request (hour INTEGER PRIMARY KEY, requests INTEGER NOT NULL) STRICT;

CREATE TABLE custom_field (
  pipeline TEXT NOT NULL,
  name TEXT NOT NULL,
  definition TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (pipeline, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE alert (
  receiver TEXT NOT NULL,
  condition TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  since INTEGER NOT NULL,
  told INTEGER NOT NULL,
  PRIMARY KEY (receiver, condition, pipeline)
) STRICT, WITHOUT ROWID;
CREATE TABLE alert_message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  receiver TEXT NOT NULL,
  condition TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL
) STRICT;
CREATE TABLE due (
  pipeline TEXT PRIMARY KEY,
  schedule TEXT NOT NULL,
  done_up_to INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

const fourth = [runs, links, journal, syncLog, others].join('')

// What the next input of a pipeline is compared with: the last one that was accepted. records: how many it held, rejected
// ones included. ends_with_line_break: whether its last row did; null where it could not have one. mode: of the pipeline then.
const accepting = `
CREATE TABLE accepted (
  pipeline TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('incremental', 'full')),
  records INTEGER NOT NULL,
  ends_with_line_break INTEGER,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

// Which contact ids were known when a run began: one that a create of it was given, and that is among them, was there before.
const numbering = `
ALTER TABLE run ADD COLUMN highest_contact INTEGER;
`

// tombstone.left_out: records of the person that were left out of archived files since. Tombstones of one person have one `at`.
const leavingOut = `
ALTER TABLE tombstone ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
`

// Contacts whose mail_status of 1 or 2 must be seen before they may stay (fresh). Older versions took such a status for set
// though the service may have ignored it: it is looked at once more when its record is read next. carried: see Operation.
const consenting = `
ALTER TABLE operation ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0; ALTER TABLE operation ADD COLUMN carried INTEGER;
ALTER TABLE link ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0;
DELETE FROM fingerprint WHERE link_id IN (SELECT id FROM link WHERE known ->> '$.mail_status' IN (1, 2));
UPDATE link SET unsure = json_insert(coalesce(unsure, '[]'), '$[#]', 'mail_status')
  WHERE known ->> '$.mail_status' IN (1, 2) AND coalesce(unsure, '') NOT LIKE '%"mail_status"%';
`

// Which file a run refused, and why, so that alerts can name it.
const refusing = `
ALTER TABLE run ADD COLUMN refused_file TEXT; ALTER TABLE run ADD COLUMN refused_code TEXT;`
const fifth = [accepting, numbering, leavingOut, consenting, refusing].join('')

/** The oldest schema that is carried over. */
export const OLDEST_SCHEMA = 4

/** The first makes the oldest schema; each of the others leads one further. */
export const MIGRATIONS: readonly string[] = [fourth, fifth, sixth, seventh, eighth, ninth]

/** Of a state whose migrations are all done. */
export const newestSchema = (): number => OLDEST_SCHEMA + MIGRATIONS.length - 1

/** What belongs to one input only and goes with the connection: which keys were seen in it so far, and which blocks it has. */
export const CLAIM_TABLES = `
CREATE TEMP TABLE claim_skipped (input INTEGER, key TEXT, PRIMARY KEY (input, key)) WITHOUT ROWID;
CREATE TEMP TABLE claim_correction (input INTEGER, id INTEGER, raw TEXT, why TEXT, at INTEGER, PRIMARY KEY (input, id)) WITHOUT ROWID;
CREATE TEMP TABLE claim_ask (input INTEGER, key TEXT, term TEXT, name TEXT, alone INTEGER, file TEXT, line INTEGER, PRIMARY KEY (input, key, term)) WITHOUT ROWID;
CREATE TEMP TABLE claim_dropped (input INTEGER, key TEXT, PRIMARY KEY (input, key)) WITHOUT ROWID;
CREATE TEMP TABLE claim_reread (input INTEGER, file TEXT, line INTEGER, reason TEXT, print TEXT, given TEXT, PRIMARY KEY (input, file, line, reason, print)) WITHOUT ROWID;
CREATE TEMP TABLE claim_key (input INTEGER, key TEXT, line INTEGER NOT NULL, PRIMARY KEY (input, key)) WITHOUT ROWID;
CREATE TEMP TABLE noted_block (id INTEGER PRIMARY KEY, pipeline TEXT, digests BLOB NOT NULL, counts BLOB NOT NULL, fingerprints TEXT NOT NULL);
`
