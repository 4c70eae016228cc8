// The statements of the eighth schema: each text with what it is for, joined below. States of the seventh may have the first of
// these tables already: builds between two versions made them.

// approval_need: how many approvers must release a held change, and under which settings they have (core/change/waiting/approval.ts).
// approval: who has released which form of a change; run: in which they saw it.
const approvals = `
CREATE TABLE IF NOT EXISTS approval_need (
  operation INTEGER PRIMARY KEY,
  needed INTEGER NOT NULL,
  released_under TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS approval (
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  print TEXT NOT NULL,
  by TEXT NOT NULL,
  run_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (pipeline, key, print, by)
) STRICT, WITHOUT ROWID;
`

// Values that persons set right (core/change/others/correction.ts): raw and was as JSON, pending 1: to be planned by the next run.
const corrections = `
CREATE TABLE IF NOT EXISTS correction (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  raw TEXT,
  was TEXT,
  file TEXT,
  line INTEGER,
  by TEXT NOT NULL,
  role TEXT,
  note TEXT,
  at INTEGER NOT NULL,
  pending INTEGER NOT NULL DEFAULT 1,
  ended_at INTEGER,
  why TEXT
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS correction_open ON correction (pipeline, key, field) WHERE ended_at IS NULL;
`

// Of runs that have ended, for plots; a row goes with its run.
const runFigures = `
CREATE TABLE IF NOT EXISTS run_figure (
  run_id TEXT PRIMARY KEY,
  requests INTEGER NOT NULL,
  file_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS run_figure_removed AFTER DELETE ON run
BEGIN
  DELETE FROM run_figure WHERE run_id = old.id;
END;
`

// status_seen: contacts that were seen with a mail_status of 1 or 2, and what they showed last (core/change/consents/opt-outs.ts).
// opt_out: what the outbox has not told yet; file: the number of the file that it is in, once there is one.
const optOuts = `
CREATE TABLE IF NOT EXISTS status_seen (
  contact_id INTEGER PRIMARY KEY,
  status INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS opt_out (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  contact_id INTEGER NOT NULL,
  mail TEXT NOT NULL,
  status INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  file INTEGER
) STRICT;
`

// brake: terms that wait (core/change/waiting/brake.ts); counted_from: grants before it do not count. brake_ask: who asks for one,
// state granted: it goes, or has gone to one of the first. brake_grant: how many were granted when.
const brakes = `
CREATE TABLE IF NOT EXISTS brake (
  term TEXT PRIMARY KEY,
  phase TEXT NOT NULL CHECK (phase IN ('none', 'watching', 'held')),
  run_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  figures TEXT,
  counted_from INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS brake_ask (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  term TEXT NOT NULL,
  name TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'granted', 'dropped')),
  first INTEGER NOT NULL DEFAULT 0,
  before INTEGER,
  given_at INTEGER,
  alone_in TEXT,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  UNIQUE (pipeline, key, term)
) STRICT;
CREATE INDEX IF NOT EXISTS brake_ask_by_term ON brake_ask (term, state);
CREATE TABLE IF NOT EXISTS brake_grant (
  id INTEGER PRIMARY KEY,
  term TEXT NOT NULL,
  at INTEGER NOT NULL,
  number INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS brake_grant_by_term ON brake_grant (term, at);
`

// erased_seen: contacts at the service that show the address of a person who was erased (core/erasing.ts), until they do not any more.
const erasedSeen = `
CREATE TABLE IF NOT EXISTS erased_seen (
  contact_id INTEGER PRIMARY KEY,
  print BLOB NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;
`

// address_status: by the keyed hash of an address, the mail_status that its contact had when it was deleted
// (core/change/consents/former-status.ts); first_at: when a 1 or 2 was first noted.
const addressStatuses = `
CREATE TABLE IF NOT EXISTS address_status (
  print BLOB PRIMARY KEY,
  status INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

// operation.evidence: what the record says about the consent that it brings. withdrawal: by the keyed hash of a contact or of an
// address, when a 1 or 2 was first seen since it had another status (core/change/consents/evidence.ts).
const evidence = `
ALTER TABLE operation ADD COLUMN evidence TEXT;
CREATE TABLE IF NOT EXISTS withdrawal (
  print BLOB PRIMARY KEY,
  at INTEGER NOT NULL,
  is_open INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

// drift_past: those that have ended, without a key. drift_round: the latest round of looks for drift (core/change/others/drift-rounds.ts); key: the last one looked at, or empty.
const driftRounds = `
CREATE TABLE IF NOT EXISTS drift_round (
  pipeline TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  counts TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS drift_past (
  pipeline TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (pipeline, ended_at)
) STRICT, WITHOUT ROWID;
`

// Contacts to which a mail was sent without an answer.
const sentMails = `
CREATE INDEX IF NOT EXISTS sent_values_with_mail ON sent_values (contact_id) WHERE open LIKE '%["mail",%';
`

export const eighth = [
  approvals,
  corrections,
  runFigures,
  optOuts,
  brakes,
  erasedSeen,
  addressStatuses,
  evidence,
  driftRounds,
  sentMails,
].join('')
