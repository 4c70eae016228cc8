// Several rows of one key as one record (`on_duplicate_key: union`): each field from the last row that has a value, the terms
// of all. A record of which one row cannot be mapped is rejected as a whole: what it would lack is not known.
import { type Contact, CONTACT_FIELD_NAMES } from './contact.ts'
import type { RightValues } from './fields/field-mapping.ts'
import { givenField, type MadeField } from './given-field.ts'
import type { MappedRecord, Mapper } from './mapping.ts'
import type { RecordRow, SourceRecord } from './record.ts'
import type { SeenField } from './fields/seen-field.ts'
import type { PipelineSettings } from '../settings.ts'
import { termKey } from './terms.ts'

type MappedContact = MappedRecord & { readonly kind: 'contact' }
type Rejected = MappedRecord & { readonly kind: 'rejected' }
type NumberFields = Pick<Mapper, 'numberFields'>

function unitedFields(contacts: readonly MappedContact[], { numberFields }: NumberFields): Contact {
  const rows = contacts.map(({ contact, standIns = [] }) => (field: string): MadeField | undefined => {
    const [value, numberIn] = [contact[field], numberFields.get(field)]
    return { value, numberIn, ...(standIns.includes(field) ? { isStandIn: true } : {}) }
  })
  const named = [...CONTACT_FIELD_NAMES, ...contacts.flatMap(({ contact }) => Object.keys(contact))]
  return Object.fromEntries(
    [...new Set<string>(named)].flatMap((field) => {
      const value = givenField(field, rows)?.value
      return value === undefined ? [] : [[field, value]]
    }),
  )
}

/** Each once, as the first row writes it. */
function unitedTerms(contacts: readonly MappedContact[]): readonly string[] | undefined {
  const all = contacts.flatMap(({ terms }) => terms ?? [])
  if (contacts.every(({ terms }) => terms === undefined)) return undefined
  const first = new Map(all.toReversed().map((name) => [termKey(name), name]))
  return [...new Set(all.map((name) => first.get(termKey(name)) ?? name))]
}

function unitedContact(
  contacts: readonly [MappedContact, ...MappedContact[]],
  mapper: NumberFields,
): MappedContact {
  const [first, ...others] = contacts
  const evidence = contacts.findLast((one) => one.evidence !== undefined)?.evidence
  const blank = (first.blank ?? []).filter((field) => others.every((one) => one.blank?.includes(field)))
  return {
    ...(evidence === undefined ? {} : { evidence }),
    ...(blank.length === 0 ? {} : { blank }),
    kind: 'contact',
    key: first.key,
    contact: unitedFields(contacts, mapper),
    terms: unitedTerms(contacts),
    mended: contacts.flatMap(({ mended }) => mended),
    lacking: first.lacking.filter((name) => others.every(({ lacking }) => lacking.includes(name))),
  }
}

function unitedReject(rejected: readonly [Rejected, ...Rejected[]], lines: readonly number[]): Rejected {
  const [{ code, key }] = rejected
  const said = (text: (one: Rejected) => string): string =>
    rejected.map((one, index) => `line ${lines[index] ?? 0}: ${text(one)}`).join('; ')
  const reason = said((one) => one.reason)
  return { kind: 'rejected', code, key, reason, plain: said(({ plain, reason: whole }) => plain ?? whole) }
}

function united(rows: readonly { mapped: MappedRecord; line: number }[], mapper: NumberFields): MappedRecord {
  const rejected = rows.flatMap(({ mapped, line }) => (mapped.kind === 'rejected' ? [{ mapped, line }] : []))
  const [bad, ...more] = rejected.map(({ mapped }) => mapped)
  if (bad !== undefined)
    return unitedReject(
      [bad, ...more],
      rejected.map(({ line }) => line),
    )
  const [first, ...others] = rows.flatMap(({ mapped }) => (mapped.kind === 'contact' ? [mapped] : []))
  return first === undefined ? { kind: 'skipped', key: undefined } : unitedContact([first, ...others], mapper)
}

const lacksInAll = (rows: readonly { mapped: MappedRecord }[]): boolean => {
  const [first, ...others] = rows.map(({ mapped }) =>
    mapped.kind === 'skipped' ? [] : (mapped.without ?? []),
  )
  return first?.some((field) => others.every((fields) => fields.includes(field))) === true
}

const recordOf = ({ values, line }: RecordRow): SourceRecord => ({ kind: 'record', values, line })

/** A mapper that takes records of several rows, too. */
export interface UnitedMapper extends Mapper {
  /** Of a row that may be one of several; undefined where it is none of them. */
  keyOf(record: SourceRecord): string | undefined
}

export function unitedMapper(mapper: Mapper, { mode }: Pick<PipelineSettings, 'mode'>): UnitedMapper {
  const mapRows = (rows: readonly RecordRow[], corrected?: RightValues): MappedRecord => {
    const mapped = rows.map((row) => ({ mapped: mapper.map(recordOf(row), corrected), line: row.line }))
    const [key] = mapped.flatMap((row) => row.mapped.key ?? [])
    // Skipped is a record that has nothing for the field in any of its rows.
    return lacksInAll(mapped)
      ? { kind: 'skipped', key: mode === 'full' ? key : undefined }
      : united(mapped, mapper)
  }
  /** Of several rows, what all of them say, and what the one that gives the field makes. */
  const seenOf = (rows: readonly SourceRecord[], field: string): SeenField | undefined => {
    const all = rows.flatMap((row) => mapper.seen(row, field) ?? [])
    const [first, ...others] = all
    if (first === undefined || others.length === 0) return first
    const texts = (column: string): string => JSON.stringify(all.map(({ raw }) => raw[column] ?? ''))
    return {
      ...(all.every(({ isSilent }) => isSilent) ? { isSilent: true } : {}),
      raw: Object.fromEntries(Object.keys(first.raw).map((column) => [column, texts(column)])),
      made: givenField(
        field,
        rows.map((row) => (name: string): MadeField | undefined => {
          const seen = mapper.seen(row, name)
          return seen === undefined ? undefined : { ...seen, value: seen.made }
        }),
      )?.value,
    }
  }
  return {
    numberFields: mapper.numberFields,
    map: (record, corrected) => {
      if (record.rows !== undefined) return mapRows(record.rows, corrected)
      const mapped = mapper.map(record, corrected)
      return mapped.kind === 'skipped' || mapped.without === undefined ? mapped : mapRows([record], corrected)
    },
    seen: (record, field) => seenOf(record.rows?.map(recordOf) ?? [record], field),
    keyOf(record) {
      const mapped = mapper.map(record)
      return mapped.kind === 'skipped' ? undefined : mapped.key
    },
    odd: (record) =>
      record.rows === undefined
        ? mapper.odd(record)
        : record.rows.flatMap((row) => mapper.odd(recordOf(row))),
  }
}
