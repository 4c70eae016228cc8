// One record of a source, with where it stands; what a source hands on when it cannot make a record of a row.

/** Consecutive records in the bytes of their source, found without parsing them. */
export interface RawBlock {
  /** 128 bits of a digest of the bytes, as 16 characters of Latin-1. */
  readonly digest: string
  /** The line on which each of its records begins. */
  readonly lines: readonly number[]
}

/**
 * Where the records end, or which of two comes first, depends on something that only a reading of the whole input by the
 * parser can tell: it has to be read in that way, from its beginning.
 */
export class UnsureOfRecords extends Error {}

/** One of several rows of a source that are one record. */
export interface RecordRow {
  readonly values: readonly string[]
  readonly line: number
  readonly text?: string
}

/** One row of a source, or several of one key. `values` are verbatim, in the order of the header; what is absent is `''`. */
export interface SourceRecord {
  readonly kind: 'record'
  readonly values: readonly string[]
  /** The line on which the record begins, counted from 1 in the source's own file. */
  readonly line: number
  /** Where it is not the input's own name: a record that is read again. */
  readonly file?: string
  /** The record as the source wrote it, where its values alone cannot give it back (json). */
  readonly text?: string
  /** Where it was made of several rows: all of them, in order. Then `values` and `line` are those of the last. */
  readonly rows?: readonly RecordRow[]
  /** Of which it is one; absent where what becomes of it depends on more than these bytes. */
  readonly block?: RawBlock
}

/** A row that is there but is no record: it is counted as read and rejected. */
export interface DefectiveRecord {
  readonly kind: 'defect'
  readonly code: 'RECORD_RAGGED' | 'RECORD_MAYBE_CUT' | 'RECORD_NOT_AN_OBJECT' | 'RECORD_NOT_A_CARD'
  /** One sentence with the facts: how many values were found and expected, say. */
  readonly message: string
  readonly values: readonly string[]
  readonly line: number
  readonly file?: string
  readonly text?: string
}

export type SourceItem = SourceRecord | DefectiveRecord

/** Where a record came from, as reports, rejects and audit entries show it. */
export interface Provenance {
  readonly file: string
  readonly line: number
  /** Of a record of several rows: the lines of all of them. */
  readonly lines?: readonly number[]
  /** SHA-256 of the file's bytes, hexadecimal; absent where it was not computed. */
  readonly sha256?: string
}
