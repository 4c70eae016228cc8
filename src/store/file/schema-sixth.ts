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

// Updates to a mail whose end nobody knows: whoever is about to create a contact with that mail asks for them.
const findingByMail = `
CREATE INDEX operation_update_by_mail ON operation (pipeline, mail_key) WHERE kind = 'update' AND state IN ('sending', 'failed');
`

export const sixth = [tagging, referring, findingByMail].join('')
