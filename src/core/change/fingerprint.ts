// Recognises a record that was settled before without mapping it again: a hash over its raw values.
// It belongs to one header and one mapping; when either changes, no old fingerprint fits any more.
import { hash } from 'node:crypto'
import type { SourceRecord } from '../mapping/record.ts'

/** 132 bits of SHA-256: among a thousand million records two alike by chance are a matter of 10^-22. */
export const FINGERPRINT_LENGTH = 22

/** What all fingerprints of one input share. */
export const fingerprintContext = (header: readonly string[], pipelineHash: string): string =>
  hash('sha256', JSON.stringify([pipelineHash, header]), 'base64').slice(0, FINGERPRINT_LENGTH)

export const fingerprint = (context: string, values: readonly string[]): string =>
  hash('sha256', context + JSON.stringify(values), 'base64').slice(0, FINGERPRINT_LENGTH)

/** Of several rows, the list of their fingerprints. */
export const recordFingerprint = (context: string, { values, rows }: SourceRecord): string =>
  fingerprint(context, rows?.map((row) => fingerprint(context, row.values)) ?? values)

/** A number from 0 to 1 for each key: two alike by chance are a matter of 10^-4 among a million keys. */
export const placeOfKey = (key: string): number =>
  Number.parseInt(hash('sha256', key, 'hex').slice(0, 13), 16) / 2 ** 52

/** Version of the digests of raw bytes: a change in how bytes become values must change the number. */
export const blockVersion = (context: string, rawForm: string): string =>
  hash('sha256', JSON.stringify([1, context, rawForm]), 'base64').slice(0, FINGERPRINT_LENGTH)
