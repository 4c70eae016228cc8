// The statements of the sixth schema: each text with what it is for, joined below.

// log_tag: for each word the ranges of consecutive entries that have it, in place of a row for each entry.
const tagging = `
ALTER TABLE log_tag RENAME TO log_tag_before;
CREATE TABLE log_tag (
  word INTEGER,
  first INTEGER,
  last INTEGER NOT NULL,
  PRIMARY KEY (word, first)
) STRICT, WITHOUT ROWID;
INSERT INTO log_tag
  WITH tag AS (SELECT word, seq, lag(seq) OVER (PARTITION BY word ORDER BY seq) AS before FROM log_tag_before),
    start AS (SELECT word, seq, before FROM tag WHERE before IS NULL OR before < seq - 1)
  SELECT word, seq, coalesce(lead(before) OVER (PARTITION BY word ORDER BY seq),
    (SELECT max(seq) FROM log_tag_before WHERE word = start.word)) FROM start;
DROP TABLE log_tag_before;
`

// link.person: whose entries of the sync log are about it (a number of person_key), from the first of them on; no alias
// says then what the link says. A key bears the number of the first entry that is sealed under it, so that no index is
// needed to find that entry. person_key.person: the person who this one turned out to be.
const referring = `
ALTER TABLE link ADD COLUMN person INTEGER;

CREATE TABLE person_key_6 (
  id INTEGER PRIMARY KEY,
  person INTEGER,
  token TEXT NOT NULL,
  secret BLOB
) STRICT;
INSERT INTO person_key_6 SELECT id, nullif(person, id), token, secret FROM person_key;
DROP TABLE person_key;
ALTER TABLE person_key_6 RENAME TO person_key;
CREATE INDEX person_key_by_person ON person_key (person) WHERE person IS NOT NULL;

DROP INDEX sealed_by_key;
CREATE INDEX sealed_further ON sealed (key_id) WHERE key_id <> seq;
`

// Creates that are planned or on their way are found by their input and their order alone: a first push has millions of them,
// and would enter each under its key and its mail, in no order, only to remove it again.
const keying = `
DROP INDEX operation_by_mail;
DROP INDEX operation_by_key;
CREATE INDEX operation_by_key ON operation (pipeline, key) WHERE (kind <> 'create' OR state NOT IN ('planned', 'sending'));
`

// Updates to a mail with an unknown outcome: a create with that mail has to wait for them.
const findingByMail = `
CREATE INDEX operation_update_by_mail ON operation (pipeline, mail_key) WHERE kind = 'update' AND state IN ('sending', 'failed');
`

// Blocks of raw bytes whose records are settled, so that they need not be parsed again (journal/reading/blocks.ts). They count as long
// as the fingerprint of each of their links is unchanged: a removal or change of one makes the link unsettled, by these triggers, so
// that no code can omit it. (In a conflict a trigger does what the statement says that fired it: so none arises.)
const settledBlocks = `
CREATE TABLE settled_version (pipeline TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE settled_block (
  pipeline TEXT NOT NULL,
  page INTEGER NOT NULL,
  digests BLOB NOT NULL,
  counts BLOB NOT NULL,
  links BLOB NOT NULL,
  UNIQUE (pipeline, page)
) STRICT;
CREATE TABLE unsettled_link (
  pipeline TEXT NOT NULL,
  link_id INTEGER NOT NULL,
  PRIMARY KEY (pipeline, link_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER fingerprint_removed AFTER DELETE ON fingerprint
BEGIN
  INSERT INTO unsettled_link SELECT pipeline, old.link_id FROM settled_version WHERE pipeline = old.pipeline
    AND NOT EXISTS (SELECT 1 FROM unsettled_link AS noted WHERE noted.pipeline = old.pipeline AND noted.link_id = old.link_id);
END;
CREATE TRIGGER fingerprint_changed AFTER UPDATE OF value ON fingerprint WHEN old.value <> new.value
BEGIN
  INSERT INTO unsettled_link SELECT pipeline, old.link_id FROM settled_version WHERE pipeline = old.pipeline
    AND NOT EXISTS (SELECT 1 FROM unsettled_link AS noted WHERE noted.pipeline = old.pipeline AND noted.link_id = old.link_id);
END;
`

// Links by contact and by mail have one index each, for one pipeline and for all of them.
const linking = `
ALTER TABLE link RENAME TO link_before;
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
  fresh INTEGER NOT NULL DEFAULT 0,
  person INTEGER,
  UNIQUE (pipeline, key)
) STRICT;
INSERT INTO link SELECT id, pipeline, key, contact_id, mail_key, known, gone, terms, unsure, missing, missing_in, missing_at,
  by_id, open_until, fresh, person FROM link_before;
DROP TABLE link_before;
CREATE UNIQUE INDEX link_by_contact ON link (contact_id, pipeline);
CREATE INDEX link_by_mail ON link (mail_key, pipeline) WHERE mail_key IS NOT NULL;
CREATE INDEX link_missing ON link (pipeline) WHERE missing > 0;
-- For look-alikes: the first letters of both names, as they were pushed. The pipeline comes last, so that no other statement
-- takes this index for all links of a pipeline.
CREATE INDEX link_by_name ON link (lower(substr(json_extract(known, '$.family_name'), 1, 4)),
  lower(substr(json_extract(known, '$.first_name'), 1, 4)), pipeline);
`

// Records that `writes` leaves alone, in the form in which they were looked up: not asked about again until that changes.
const passing = `
CREATE TABLE passed (
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  PRIMARY KEY (pipeline, key)
) STRICT, WITHOUT ROWID;
`

// How keys of fields were resolved: to which contact, by which values and under which rule for them (journal/households.ts).
const households = `
CREATE TABLE household (
  pipeline TEXT NOT NULL,
  key TEXT NOT NULL,
  contact_id INTEGER NOT NULL,
  mail_key TEXT NOT NULL,
  "values" TEXT NOT NULL,
  rule TEXT NOT NULL,
  PRIMARY KEY (pipeline, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX household_by_mail ON household (pipeline, mail_key);
CREATE INDEX household_by_contact ON household (pipeline, contact_id);
`

export const sixth = [
  tagging,
  referring,
  keying,
  findingByMail,
  settledBlocks,
  linking,
  passing,
  households,
].join('')
