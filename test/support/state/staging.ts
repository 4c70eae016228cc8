// Reading and planning an input over the state in memory.
import { isConsent } from '../../../src/core/mapping/values/consent.ts'
import { FINAL_REJECTS } from '../../../src/core/words/errors.ts'
import { firstForm } from '../../../src/core/change/steps.ts'
import { keepNotDone } from './journal.ts'
import type { Known } from '../../../src/core/change/diff.ts'
import type { KeptResolution, ResolutionStore } from '../../../src/core/change/lookup/resolution.ts'
import { type BlockStore, type UnsettledBlock } from '../../../src/core/change/settled-blocks.ts'
import { termKey } from '../../../src/core/mapping/terms.ts'
import type { RunState } from '../../../src/core/run-state.ts'
import type { StagedEntry, StagedInput, StagingRules, Unstaged } from '../../../src/core/state.ts'
import {
  hasFields,
  forgetEmptyHolds,
  type Input,
  isKeyed,
  linkOf,
  linksWhere,
  nameOf,
  nextIn,
  type Row,
  rowsWhere,
  type Tables,
  termsOfOthers,
  NEW_ROW,
} from './tables.ts'
import {
  countMissing,
  dropRejects,
  dropReread,
  dropRows,
  dropWhatAFullInputLacks,
  holdSharedMails,
  isPlannedOf,
  lowerWithinAddress,
  stageMissing,
  supersede,
  yieldRejects,
} from './whole-input.ts'

type Staging = BlockStore &
  ResolutionStore &
  Pick<
    RunState,
    | 'beginInput'
    | 'matchFingerprints'
    | 'known'
    | 'claim'
    | 'stageBatch'
    | 'rejectsAt'
    | 'unstage'
    | 'completeStaging'
    | 'inputNumbers'
    | 'holdPlan'
    | 'commitPlan'
    | 'discardInput'
  >

/** Held for what the service did, and another key has the contact. */
function mergedCreateOf(
  ofPipeline: readonly Row[],
  key: string,
  tables: Tables,
): Pick<Known, 'mergedCreate'> {
  const isMerged = (row: Row): boolean => row.state === 'held' && row.kind === 'create'
  const own = ofPipeline.findLast(
    (row) => isMerged(row) && row.key === key && row.guard === undefined && row.contactId !== undefined,
  )
  if (own?.contactId === undefined) return {}
  const { contactId, fields, consent, reason = '', pipeline } = own
  const isTaken =
    ofPipeline.some((row) => isMerged(row) && row.contactId === contactId && row.key !== key) ||
    linksWhere(tables, (link) => link.pipeline === pipeline && link.contactId === contactId && !link.gone)
      .length > 0
  return isTaken
    ? { mergedCreate: { contactId, fields, ...(consent === undefined ? {} : { consent }), reason } }
    : {}
}

function knownOf(tables: Tables, pipeline: string, key: string): Known {
  const link = linkOf(tables, pipeline, key)
  const ofPipeline = rowsWhere(tables, (row) => row.pipeline === pipeline)
  const inDoubt = ofPipeline.some((row) => row.state === 'in_doubt' && row.key === key && isKeyed(row))
  if (link === undefined) return { link: undefined, inDoubt, ...mergedCreateOf(ofPipeline, key, tables) }
  const others = termsOfOthers(tables, link.contactId, link.id)
  const edits = tables.edits.filter((one) => one.pipeline === pipeline && one.key === key)
  const merged = ofPipeline.some(
    (row) =>
      row.state === 'held' && row.kind === 'create' && row.contactId === link.contactId && row.key !== key,
  )
  return {
    inDoubt,
    link: {
      id: link.id,
      contactId: link.contactId,
      fields: link.known,
      unsure: link.unsure,
      terms: link.terms?.map((term) => ({ ...term, shared: others.has(termKey(term.name)) })),
      gone: link.gone,
      merged,
      ...(edits.length === 0
        ? {}
        : { edited: Object.fromEntries(edits.map(({ field, source }) => [field, source])) }),
      ...(link.fingerprint === undefined ? { isUnfinished: true } : {}),
    },
  }
}

/** What is not planned yet keeps what its record wants, for when it is compared again. */
const wantedTerms = ({ desired, operation }: StagedEntry & { kind: 'operation' }) =>
  operation.state === 'planned' || desired.terms === undefined
    ? undefined
    : { add: [], remove: [], asserts: desired.terms }

function addRow(tables: Tables, staged: StagedInput, entry: StagedEntry & { kind: 'operation' }): void {
  const { terms, ...form } = firstForm(entry.operation)
  const id = tables.nextOperation()
  tables.operations.set(id, {
    ...form,
    ...NEW_ROW,
    id,
    inputId: staged.id,
    runId: staged.runId,
    pipeline: staged.pipeline,
    key: entry.key,
    record: entry.record,
    desired: entry.desired.contact,
    givesUp: entry.desired.givesUp,
    evidence: isConsent(entry.desired.contact['mail_status']) ? entry.desired.evidence : undefined,
    terms: terms ?? wantedTerms(entry),
  })
}

function stageOne(tables: Tables, staged: StagedInput, entry: StagedEntry): void {
  const { pipeline, id: inputId, header } = staged
  switch (entry.kind) {
    case 'unchanged': {
      const link = tables.links.get(entry.linkId)
      if (link !== undefined) link.fingerprint = entry.record.fingerprint
      return
    }
    case 'passed':
      return void tables.passed.set(nameOf(pipeline, entry.key), entry.record.fingerprint)
    case 'rejected': {
      const { key, code, reason, record } = entry
      const id = nextIn(tables.rejects)
      return void tables.rejects.set(id, { id, inputId, pipeline, key, code, reason, record, header })
    }
    case 'operation':
      return addRow(tables, staged, entry)
  }
}

function unstageOne(tables: Tables, inputId: number, line: number, key: string): Unstaged {
  const [row] = rowsWhere(
    tables,
    (one) => one.inputId === inputId && one.record.source.line === line && one.key === key,
  )
  if (row === undefined) return { was: 'unchanged', terms: undefined }
  tables.operations.delete(row.id)
  const { terms, state } = row
  if (state === 'waiting') return { was: 'in_doubt', terms }
  if (state === 'held') return { was: 'held', terms, reason: row.reason ?? '' }
  return { was: row.kind === 'create' ? 'created' : 'updated', terms }
}

/** What was released in just this form before goes without being judged again. */
function inherit(tables: Tables, input: Pick<Input, 'id'>): void {
  const form = ({ pipeline, key, cause, kind, contactId, fields, terms, consent }: Row) =>
    JSON.stringify([pipeline, key, cause, kind, contactId, fields, terms, consent])
  const released = rowsWhere(
    tables,
    (row) => row.state === 'held' && row.released && row.inputId !== input.id,
  ).map(form)
  for (const row of rowsWhere(tables, (one) => isPlannedOf(input, one)))
    if (released.includes(form(row))) row.released = true
}

function keptResolution(
  tables: Tables,
  pipeline: string,
  rule: string,
  { key, mailKey, contactId }: { key: string; mailKey: string; contactId: number | undefined },
): KeptResolution {
  const others = [...tables.resolved.values()].filter((one) => one.pipeline === pipeline && one.key !== key)
  const own = tables.resolved.get(nameOf(pipeline, key))
  return {
    ...(own === undefined ? {} : { contactId: own.contactId }),
    isAnothers:
      contactId !== undefined &&
      (others.some((one) => one.contactId === contactId) ||
        linksWhere(
          tables,
          (link) => link.contactId === contactId && link.pipeline === pipeline && link.key !== key,
        ).length > 0),
    isUnderOtherRule: others.some((one) => one.mailKey === mailKey && one.rule !== rule),
  }
}

export function memoryStaging(tables: Tables): Staging {
  const inputOf = ({ id }: { readonly id: number }): Input => {
    const input = tables.inputs.get(id)
    if (input === undefined) throw new Error(`there is no input ${id}`)
    return input
  }
  const complete = (input: Input, rules: StagingRules) => {
    const yielded = rules.yieldRejects === undefined ? 0 : yieldRejects(tables, input, rules.yieldRejects)
    const sharedMails = rules.holdSharedMails === true ? holdSharedMails(tables, input) : 0
    if (rules.lowerWithinAddress === true)
      lowerWithinAddress(tables, input.pipeline, (row) => row.inputId === input.id)
    if (rules.missing !== undefined) stageMissing(tables, input, rules.missing)
    return { yielded, sharedMails }
  }
  return {
    async beginInput({ runId, pipeline, input, header }) {
      const id = nextIn(tables.inputs)
      const seen = { links: new Map(), keys: new Map(), skipped: new Set<string>(), reread: [] }
      tables.inputs.set(id, { id, runId, pipeline, input, header, sha256: undefined, state: 'reading', seen })
      return { id, runId, pipeline, input, header }
    },
    async matchFingerprints({ pipeline }, fingerprints) {
      const links = new Map(
        linksWhere(tables, (link) => link.pipeline === pipeline && link.fingerprint !== undefined).map(
          ({ fingerprint, id }) => [fingerprint, id],
        ),
      )
      return fingerprints.map((value) => (value === '' ? undefined : links.get(value)))
    },
    known: async (pipeline, keys) => keys.map((key) => knownOf(tables, pipeline, key)),
    passed: async (pipeline, keys) => keys.map((key) => tables.passed.get(nameOf(pipeline, key))),
    lowerWithinAddress: async (pipeline, runId) =>
      lowerWithinAddress(tables, pipeline, (row) => row.runId === runId),
    keptResolutions: async (pipeline, rule, asked) =>
      asked.map((one) => keptResolution(tables, pipeline, rule, one)),
    async claim(staged, identities, keep) {
      const { links, keys } = inputOf(staged).seen
      return identities.map((identity) => {
        if (identity === undefined) return undefined
        const earlier = 'key' in identity ? keys.get(identity.key) : links.get(identity.linkId)
        if (earlier !== undefined && keep === 'first') return earlier
        if ('key' in identity) keys.set(identity.key, identity.line)
        else links.set(identity.linkId, identity.line)
        return earlier
      })
    },
    async stageBatch(staged, { entries, present = [], reread = [] }) {
      for (const entry of entries)
        if (entry.kind === 'operation') tables.passed.delete(nameOf(staged.pipeline, entry.key))
      for (const entry of entries) stageOne(tables, staged, entry)
      for (const key of present) inputOf(staged).seen.skipped.add(key)
      inputOf(staged).seen.reread.push(...reread)
    },
    rejectsAt: async ({ id, pipeline }, rows) =>
      rows.map(({ place: { file, line, reason }, key: wanted }) => {
        const there = [...tables.rejects.values()].flatMap((one) => {
          const { source } = one.record
          const isThere = one.pipeline === pipeline && one.inputId < id
          const isPlace = source.file === file && source.line === line
          if (!isThere || !isPlace || one.key === undefined) return []
          return reason === '' || reason === one.reason ? { code: one.code, key: one.key } : []
        })
        const same = there.filter(({ key }) => key === wanted)
        return same.length > 0 ? same : there
      }),
    unstage: async ({ id }, records) => records.map(({ line, key }) => unstageOne(tables, id, line, key)),
    completeStaging: async (staged, rules) => complete(inputOf(staged), rules),
    async inputNumbers({ id, pipeline }, most = 0) {
      inherit(tables, { id })
      const rejects = [...tables.rejects.values()].filter(({ inputId }) => inputId === id)
      const all = rowsWhere(tables, (row) => isPlannedOf({ id }, row))
      const planned = all.filter((row) => !row.released)
      const numbersOf = (rows: typeof all) => ({
        changes: rows.filter((row) => row.cause === 'record' && (row.kind !== 'update' || hasFields(row)))
          .length,
        deletes: rows.filter(({ cause }) => cause === 'missing').length,
      })
      const termsOf = (rows: typeof all) =>
        [...new Set(rows.flatMap((row) => row.terms?.add ?? []))].slice(0, most)
      const released = all.filter((row) => row.released)
      return {
        rejected: rejects.length,
        unidentified: rejects.filter(({ key }) => key === undefined).length,
        links: linksWhere(tables, (link) => link.pipeline === pipeline).length,
        ...numbersOf(planned),
        released: { ...numbersOf(released), terms: termsOf(released) },
        hasDeleted: tables.deleted.has(pipeline),
        terms: termsOf(planned),
      }
    },
    async holdPlan({ id, runId, pipeline }, hold, { at, configHash }) {
      const rows = rowsWhere(
        tables,
        (row) =>
          isPlannedOf({ id }, row) &&
          !row.released &&
          (hold.holds === 'all' ||
            (hold.holds === 'deletes'
              ? row.cause === 'missing'
              : row.cause === 'record' && hold.keys?.includes(row.key) === true)),
      )
      if (hold.holds === 'records' && rows.length === 0) return { records: 0, deletes: 0 }
      for (const row of rows) Object.assign(row, { state: 'held', guard: hold.guard, reason: hold.reason })
      const deletes = rows.filter(({ cause }) => cause === 'missing').length
      const noted = { configHash, heldAt: at, releasedAt: undefined, changes: rows.length }
      tables.holds.push({ ...hold, ...noted, runId, inputId: id, pipeline })
      return { records: rows.length - deletes, deletes }
    },
    async commitPlan(staged, sha256, full) {
      const input = inputOf(staged)
      keepNotDone(tables, input.pipeline)
      supersede(tables, input)
      if (full !== undefined) {
        dropWhatAFullInputLacks(tables, input, full.isLast)
        countMissing(tables, input, full)
      }
      dropReread(tables, input)
      const { rejectsOf } = staged.input
      if (rejectsOf !== undefined)
        dropRejects(
          tables,
          ({ id, inputId, pipeline, code, key }) =>
            pipeline === staged.pipeline &&
            inputId === rejectsOf.input &&
            id <= rejectsOf.upTo &&
            (rejectsOf.keys === undefined || rejectsOf.keys.has(key ?? '')) &&
            !FINAL_REJECTS.includes(code),
        )
      Object.assign(input, { state: 'planned', sha256 })
      forgetEmptyHolds(tables, staged.pipeline)
      for (const hold of tables.holds)
        if (hold.runId === staged.runId && hold.pipeline === staged.pipeline && hold.releasedAt === undefined)
          hold.changes = rowsWhere(
            tables,
            (row) =>
              row.inputId === hold.inputId &&
              row.guard === hold.guard &&
              row.state === 'held' &&
              !row.released,
          ).length
    },
    async discardInput({ id }) {
      dropRows(tables, (row) => row.inputId === id)
      dropRejects(tables, ({ inputId }) => inputId === id)
      tables.holds = tables.holds.filter(({ inputId }) => inputId !== id)
      tables.inputs.delete(id)
    },
    // Nothing is kept of raw bytes: every record is parsed.
    settledBlocks: async () => undefined,
    settledInput: async () => undefined,
    noteBlocks: async (_staged, _blocks: readonly UnsettledBlock[]) => undefined,
    keepBlocks: async () => undefined,
    async claimLinks(staged, links, lines) {
      const { seen } = inputOf(staged)
      for (const [index, link] of links.entries()) {
        if (seen.links.has(link)) return false
        seen.links.set(link, lines[index] ?? 0)
      }
      return true
    },
  }
}
