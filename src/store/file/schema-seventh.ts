// The statements of the seventh schema: each text with what it is for, joined below. States of the sixth may have the
// first of these tables already: builds between two versions made them.

// What was sent to contacts that more than one link has, and what was sent without a known outcome (core/change/others/hand-edits.ts):
// last: by field. open: pairs of field and value. hand_edit: values at the service that are kept, or wait for an operator;
// looked_at 0: with the next run.
const handEdits = `
CREATE TABLE IF NOT EXISTS sent_values (contact_id INTEGER PRIMARY KEY, last TEXT NOT NULL, open TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS hand_edit (
  id INTEGER PRIMARY KEY,
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  field TEXT NOT NULL,
  contact_id INTEGER NOT NULL,
  rule TEXT NOT NULL CHECK (rule IN ('keep', 'ask')),
  sent TEXT,
  service TEXT NOT NULL,
  source TEXT,
  since INTEGER NOT NULL,
  looked_at INTEGER NOT NULL,
  UNIQUE (pipeline, key, field)
) STRICT;
CREATE INDEX IF NOT EXISTS hand_edit_by_look ON hand_edit (pipeline, looked_at);
CREATE INDEX IF NOT EXISTS hand_edit_by_contact ON hand_edit (contact_id);
`

// Deletes of each hour, and the most contacts that were linked in it (journal/delete-counts.ts).
const deletesOverTime = `
CREATE TABLE IF NOT EXISTS delete_count (
  pipeline TEXT NOT NULL,
  hour INTEGER NOT NULL,
  links INTEGER NOT NULL,
  deletes INTEGER NOT NULL,
  PRIMARY KEY (pipeline, hour)
) STRICT, WITHOUT ROWID;
`

// decision: what a person decided and the owner has not concluded; args and decided as JSON. dropped: held changes that are not
// planned again as long as the record has this form, or is missing. pipeline_pause: pipelines that send nothing. configuration: those that were
// in force, without secrets. read_log: who looked at whose data.
const decisions = `
CREATE TABLE IF NOT EXISTS decision (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  args TEXT NOT NULL,
  decided TEXT NOT NULL,
  asked_at INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS dropped (
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('record', 'missing')),
  print TEXT NOT NULL,
  PRIMARY KEY (pipeline, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS configuration (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  pipelines TEXT NOT NULL,
  settings TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS read_log (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  by TEXT,
  role TEXT,
  page TEXT NOT NULL,
  contact_id INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS read_log_by_contact ON read_log (contact_id) WHERE contact_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS pipeline_pause (
  pipeline TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  by TEXT NOT NULL,
  reason TEXT
) STRICT, WITHOUT ROWID;
`

export const seventh = [handEdits, deletesOverTime, decisions].join('')
