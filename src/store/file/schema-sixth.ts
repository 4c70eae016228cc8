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

export const sixth = [tagging].join('')
