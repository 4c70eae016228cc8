// What steps ask about other records, and what lists and reports read, over the state in memory.
import { contactMailKey } from '../../../src/core/mapping/contact.ts'
import { REBUILD_GUARD } from '../../../src/core/change/lookup/rebuild.ts'
import { givenUpOf } from '../../../src/core/change/given-up.ts'
import { LEFT_IN_DOUBT } from '../../../src/core/change/steps.ts'
import type { SharerStore } from '../../../src/core/change/others/ownership.ts'
import type { OtherRecords } from '../../../src/core/other-records.ts'
import type { HeldPlan, RebuildStore, ReleaseStore, StateLists } from '../../../src/core/state.ts'
import { DAY_MS } from '../../../src/core/words/duration.ts'
import { mayBeNamed } from './whole-input.ts'
import {
  byId,
  type HoldRow,
  isIn,
  isKeyed,
  isRetried,
  type Link,
  linkOf,
  linksWhere,
  nextIn,
  operationOf,
  type Row,
  rowsWhere,
  type Run,
  runRecord,
  type Tables,
  termsOfOthers,
  waitsWithoutChanges,
} from './tables.ts'

/** Whether a create of another pipeline may have been merged into the contact of the link. */
function mayBeMerged(row: Row, link: Link): boolean {
  if (row.mailKey !== undefined && link.mailKey !== undefined) return row.mailKey === link.mailKey
  const name = row.fields['family_name']
  const known = link.known['family_name']
  // Where one of the two has no mail they are judged by the name, and no look-up finds what became of it.
  return typeof name === 'string' && typeof known === 'string' && name.toLowerCase() === known.toLowerCase()
}

function isNamedElsewhere(tables: Tables, contactId: number, pipeline: string): boolean {
  const links = linksWhere(tables, (link) => link.contactId === contactId)
  if (links.some((link) => link.pipeline !== pipeline && mayBeNamed(tables, link))) return true
  const creates = rowsWhere(tables, ({ kind, state }) => kind === 'create' && state !== 'planned')
  const own = links.filter((link) => link.pipeline === pipeline)
  return creates.some(
    (row) =>
      (row.state === 'held' && row.contactId === contactId) ||
      ((row.sent > 0 || row.state === 'in_doubt') &&
        row.pipeline !== pipeline &&
        own.some((link) => mayBeMerged(row, link))),
  )
}

interface Owner {
  readonly key: string
  readonly isMoving: boolean
}

/** Who has the mail: links first, those that keep it before those that give it up. */
function ownersOf(tables: Tables, pipeline: string, mail: string): Owner[] {
  const rows = rowsWhere(tables, (row) => row.pipeline === pipeline)
  const brings = ({ key }: Link, isMeant: (mailKey: string | undefined) => boolean): boolean =>
    rows.some(
      (row) =>
        row.key === key &&
        (row.mailKey !== undefined || row.fields['mail'] === '') &&
        isMeant(row.mailKey) &&
        isKeyed(row) &&
        (row.state !== 'held' || row.guard !== undefined),
    )
  const owned = linksWhere(tables, (link) => link.pipeline === pipeline && link.mailKey === mail)
  const owners = owned.map((link) => ({ key: link.key, isMoving: brings(link, (other) => other !== mail) }))
  const mayHave = ({ contactId }: Link): boolean =>
    (tables.sent.get(contactId)?.open ?? []).some(
      ([field, value]) => field === 'mail' && contactMailKey({ mail: value }) === mail,
    )
  const unsure = linksWhere(
    tables,
    (link) => link.pipeline === pipeline && link.unsure.includes('mail') && mayHave(link),
  ).map((link) => ({ key: link.key, isMoving: brings(link, () => true) }))
  const takers = rows.filter(
    ({ kind, state, mailKey }) =>
      kind === 'update' && (state === 'sending' || state === 'failed') && mailKey === mail,
  )
  const sorted = (found: readonly Owner[]): Owner[] =>
    found.toSorted((one, other) => Number(one.isMoving) - Number(other.isMoving))
  return [...sorted(owners), ...takers.map(({ key }) => ({ key, isMoving: true })), ...sorted(unsure)]
}

/** When the first of the runs of a day ended that refused the same, one after the other. */
function firstRefused(runs: readonly Run[], last: Run): number {
  const end = last.endedAt ?? 0
  const isSame = ({ refused = 0, refusedFile }: Run): boolean =>
    refused > 0 &&
    refusedFile?.file === last.refusedFile?.file &&
    refusedFile?.code === last.refusedFile?.code
  const upTo = runs.slice(0, runs.indexOf(last) + 1)
  const ofDay = upTo.filter((run) => run.startedAt >= end - (end % DAY_MS) && run.endedAt !== undefined)
  const after = ofDay.findLastIndex((run) => !isSame(run))
  return Math.min(end, ...ofDay.slice(after + 1).map(({ endedAt = end }) => endedAt))
}

export function memoryOthers(tables: Tables): OtherRecords {
  const isFoundByMail = ({ id }: { readonly id: number }): boolean => {
    const linkId = tables.operations.get(id)?.linkId
    const link = linkId === undefined ? undefined : tables.links.get(linkId)
    if (link?.mailKey === undefined || link.byId || link.mailKey !== contactMailKey(link.known)) return false
    const isDoubted = ({ kind, state, pipeline, mailKey }: Row): boolean =>
      kind === 'create' && state === 'in_doubt' && pipeline !== link.pipeline && mailKey === link.mailKey
    if (rowsWhere(tables, isDoubted).length > 0) return false
    return !linksWhere(tables, (one) => one.mailKey === link.mailKey).some(
      (one) => one.contactId !== link.contactId,
    )
  }
  return {
    isNamedElsewhere: async ({ contactId, pipeline }) =>
      contactId !== undefined && isNamedElsewhere(tables, contactId, pipeline),
    async contactsOfOthers({ pipeline, key }, ids) {
      const ofContact = (id: number) => linksWhere(tables, (link) => link.contactId === id)
      const isOfAnother = (link: Link): boolean => link.pipeline === pipeline && link.key !== key
      const elsewhere = ids.flatMap((id) => {
        const others = ofContact(id).filter((link) => link.pipeline !== pipeline)
        const pushed = others.reduce((all, { known }) => ({ ...all, ...known }), {})
        return others.length === 0 ? [] : [[id, pushed] as const]
      })
      return { here: ids.filter((id) => ofContact(id).some(isOfAnother)), elsewhere: new Map(elsewhere) }
    },
    isCreatedElsewhere: async ({ pipeline, mailKey }) =>
      mailKey !== undefined &&
      rowsWhere(
        tables,
        (row) =>
          row.state !== 'planned' &&
          row.kind === 'create' &&
          row.pipeline !== pipeline &&
          (row.mailKey === mailKey || (row.mailKey === undefined && row.sent > 0)),
      ).length > 0,
    mailOwners: async (operations) =>
      new Map(
        operations.flatMap(({ id, pipeline, mailKey, key }) => {
          const owners = mailKey === undefined ? [] : ownersOf(tables, pipeline, mailKey)
          const owner = owners.find((one) => one.key !== key)
          return owner === undefined ? [] : [[id, owner] as const]
        }),
      ),
    mailDoubts: async (operations) =>
      new Map(
        operations.flatMap(({ id, pipeline, mailKey, key }) => {
          const [doubt] = rowsWhere(
            tables,
            (row) =>
              row.kind === 'create' &&
              row.state === 'in_doubt' &&
              row.pipeline === pipeline &&
              row.mailKey !== undefined &&
              row.mailKey === mailKey &&
              row.key !== key,
          )
          return doubt === undefined ? [] : [[id, { key: doubt.key, carried: doubt.carried }] as const]
        }),
      ),
    termsOfOthers: async ({ id, contactId }) =>
      contactId === undefined ? [] : [...termsOfOthers(tables, contactId, tables.operations.get(id)?.linkId)],
    withMailOfTheirOwn: async (operations) => new Set(operations.filter(isFoundByMail).map(({ id }) => id)),
    openUntil: async (contactId) =>
      Math.max(
        0,
        ...linksWhere(tables, (link) => link.contactId === contactId).map((link) => link.openUntil),
      ),
  }
}

export function memorySharers(tables: Tables): SharerStore {
  return {
    sharers: async (pipeline, asked) =>
      asked.map(({ contactId, mailKey }) =>
        linksWhere(
          tables,
          (link) =>
            link.pipeline !== pipeline &&
            !link.gone &&
            (contactId === undefined
              ? mailKey !== undefined && link.mailKey === mailKey
              : link.contactId === contactId),
        )
          .sort(byId)
          .map(({ pipeline: name, known: fields, missing, unsure }) => ({
            ...{ pipeline: name, fields, missing },
            ...givenUpOf(unsure),
          })),
      ),
  }
}

export function memoryRebuild(tables: Tables): RebuildStore {
  const doubt = (rows: readonly Row[], reason: string): void => {
    for (const row of rows) Object.assign(row, { state: 'in_doubt', guard: REBUILD_GUARD, reason })
  }
  return {
    openCreates: async (pipeline) =>
      rowsWhere(
        tables,
        (row) =>
          row.pipeline === pipeline &&
          row.kind === 'create' &&
          row.contactId === undefined &&
          row.state !== 'waiting',
      )
        .sort(byId)
        .map((row) => operationOf(tables, row)),
    async linkFound({ pipeline, key, contactId, known, operationIds, entry }) {
      const isAnothers = (link: Link) =>
        link.pipeline === pipeline && link.contactId === contactId && link.key !== key
      if (linksWhere(tables, isAnothers).length > 0) return false
      const before = linkOf(tables, pipeline, key)
      const id = before?.id ?? nextIn(tables.links)
      const found = { contactId, known, mailKey: contactMailKey(known) }
      tables.links.set(id, { ...NEW_LINK, ...before, ...found, id, pipeline, key })
      const reason = 'its contact was found at the service'
      for (const row of operationIds.flatMap((one) => tables.operations.get(one) ?? []))
        if (row.state !== 'held') Object.assign(row, { state: 'failed', guard: undefined, reason })
      tables.log.push(entry)
      return true
    },
    async leaveToPerson(which, reason, entry) {
      const isIt = (row: Row): boolean =>
        'operation' in which
          ? row.id === which.operation
          : row.inputId === which.input && row.record.source.line === which.line
      doubt(rowsWhere(tables, isIt), reason)
      tables.log.push(entry)
    },
  }
}

const NEW_LINK = {
  gone: false,
  terms: undefined,
  unsure: [],
  missing: 0,
  missingIn: undefined,
  missingAt: undefined,
  byId: false,
  openUntil: 0,
  fresh: false,
  fingerprint: undefined,
}

function heldPlan(tables: Tables, holds: readonly HoldRow[], first: HoldRow): HeldPlan {
  const held = rowsWhere(
    tables,
    (row) => row.runId === first.runId && row.guard === first.guard && row.state === 'held',
  )
  const open = holds.filter((hold) => hold.releasedAt === undefined)
  const counted = open.length === 0 ? holds : open
  const left = held.filter(({ released }) => !released || open.length === 0)
  return {
    runId: first.runId,
    pipeline: first.pipeline,
    guard: first.guard,
    number: counted.reduce((sum, { changes }) => sum + changes, 0),
    left: left.length,
    ready: held.length - left.length,
    threshold:
      holds
        .map(({ threshold }) => threshold)
        .sort()
        .at(-1) ?? '',
    reason: [...new Set(counted.map(({ reason }) => reason))].join(','),
    configHash: first.configHash,
    approvedBy: [],
    needed: Math.max(0, ...held.map(({ needed }) => needed)),
    toApprove: held.filter(({ needed, released }) => needed > 0 && !released).length,
    heldAt: Math.min(...holds.map(({ heldAt }) => heldAt)),
    releasedAt: open.length === 0 ? first.releasedAt : undefined,
  }
}

function heldPlans(tables: Tables, pipelines: readonly string[]): readonly HeldPlan[] {
  const groups = new Map<string, HoldRow[]>()
  for (const hold of tables.holds) {
    const name = JSON.stringify([hold.runId, hold.pipeline, hold.guard])
    groups.set(name, [...(groups.get(name) ?? []), hold])
  }
  return [...groups.values()]
    .flatMap((holds) => {
      const [first] = holds
      if (first === undefined || !pipelines.includes(first.pipeline)) return []
      const plan = heldPlan(tables, holds, first)
      return plan.left + plan.ready > 0 || holds.some((hold) => waitsWithoutChanges(tables, hold))
        ? [plan]
        : []
    })
    .sort((one, other) => one.heldAt - other.heldAt || (one.runId < other.runId ? -1 : 1))
}

function backlogOf(tables: Tables, pipeline: string) {
  const rows = rowsWhere(tables, (row) => row.pipeline === pipeline)
  const count = (isOne: (row: Row) => boolean): number => rows.filter(isOne).length
  const isRead = (inputId: number) => tables.inputs.get(inputId)?.state !== 'reading'
  return {
    linked: linksWhere(tables, (link) => link.pipeline === pipeline).length,
    rejects: [...tables.rejects.values()].filter((one) => one.pipeline === pipeline && isRead(one.inputId))
      .length,
    held: count(({ state }) => state === 'held'),
    inDoubt: count(({ state }) => state === 'in_doubt'),
    onItsWay: count(({ state }) => state === 'sending'),
    retriable: count((row) => row.state === 'planned' || isRetried(row)),
  }
}

export function memoryLists(tables: Tables): StateLists & ReleaseStore {
  const runsOf = (pipeline: string) => [...tables.runs.values()].filter((run) => run.pipeline === pipeline)
  return {
    async lastRun(pipeline) {
      const last = runsOf(pipeline).at(-1)
      return last && runRecord(last)
    },
    async run(id) {
      const run = tables.runs.get(id)
      return run && { ...runRecord(run), requests: run.figures?.requests }
    },
    linkedKeys: async (pipeline, { after = '', limit }) =>
      linksWhere(tables, (link) => link.pipeline === pipeline && link.key > after)
        .map(({ key }) => key)
        .sort()
        .slice(0, limit),
    highestContactBefore: async (runId) => tables.runs.get(runId)?.highestContact ?? 0,
    async milestones(pipeline) {
      const runs = runsOf(pipeline)
      const ended = runs.filter(
        ({ status, code }) =>
          status === 'ok' || status === 'partial' || (status === 'held' && code === undefined),
      )
      const last = runs.filter(({ files = 0 }) => files > 0).at(-1)
      const ends = ended.map(({ endedAt = 0 }) => endedAt)
      const refusing = runs.filter(({ refused = 0, endedAt }) => refused > 0 && endedAt !== undefined).at(-1)
      const drifting = runs.filter(({ drift = 0, endedAt }) => drift > 0 && endedAt !== undefined).at(-1)
      return {
        firstRunAt: runs.length === 0 ? undefined : Math.min(...runs.map(({ startedAt }) => startedAt)),
        lastSuccessAt: ends.length === 0 ? undefined : Math.max(...ends),
        lastFile: last && {
          at: last.startedAt,
          read: last.counts?.read ?? 0,
          rejected: last.counts?.rejected ?? 0,
        },
        lastRefused: refusing && {
          at: refusing.endedAt ?? 0,
          firstAt: firstRefused(runs, refusing),
          runId: refusing.id,
          files: refusing.refused ?? 0,
          file: refusing.refusedFile?.file ?? null,
          code: refusing.refusedFile?.code ?? null,
        },
        lastDrift: drifting && { at: drifting.endedAt ?? 0, runId: drifting.id, times: drifting.drift ?? 0 },
      }
    },
    backlog: async (pipeline) => backlogOf(tables, pipeline),
    heldPlans: async (pipelines) => heldPlans(tables, pipelines),
    released: async (pipeline) =>
      rowsWhere(tables, (row) => row.pipeline === pipeline && row.state === 'held' && row.released).length,
    async *held(pipelines) {
      const rows = rowsWhere(tables, (row) => row.state === 'held' && pipelines.includes(row.pipeline))
      for (const row of rows.sort(byId)) yield operationOf(tables, row)
    },
    // Approvals are decisions: taken by the owner of a real state.
    approvals: async () => [],
    approvalsIn: async () => [],
    openDoubts: async (pipeline) =>
      rowsWhere(
        tables,
        (row) =>
          row.pipeline === pipeline &&
          (row.state === 'in_doubt' || (row.state === 'sending' && LEFT_IN_DOUBT.includes(row.kind))),
      )
        .sort(byId)
        .map((row) => operationOf(tables, row)),
    async *rejects(pipelines, only) {
      for (const { id, inputId, pipeline, code, key, header, reason, record } of [
        ...tables.rejects.values(),
      ].sort(byId)) {
        const of = tables.inputs.get(inputId)
        if (of?.state === 'reading' || (only !== undefined && inputId !== only)) continue
        if (pipelines !== undefined && !pipelines.includes(pipeline)) continue
        const { values, text, rows, source } = record
        const more = { ...(text === undefined ? {} : { text }), ...(rows === undefined ? {} : { rows }) }
        const { file, line } = source
        const input = { id: inputId, name: of?.input.name ?? '', sha256: of?.sha256 ?? '' }
        yield { id, pipeline, code, key, header, input, values, ...more, reason, file, line }
      }
    },
    async release(runId, at) {
      const isOf = (hold: HoldRow, row: Row): boolean =>
        row.inputId === hold.inputId && row.guard === hold.guard && row.state === 'held' && !row.released
      // Beside changes that wait for approvers.
      const counted = tables.holds.filter(
        (hold) =>
          hold.runId === runId &&
          hold.releasedAt === undefined &&
          rowsWhere(tables, (row) => row.needed > 0 && isOf(hold, row)).length > 0,
      )
      for (const row of rowsWhere(
        tables,
        (one) => one.runId === runId && isIn(['held'], one) && one.guard !== undefined && one.needed === 0,
      )) {
        const hold = counted.find((one) => isOf(one, row))
        if (hold !== undefined) hold.changes -= 1
        row.released = true
      }
      for (const hold of tables.holds) {
        if (hold.runId !== runId) continue
        if (rowsWhere(tables, (row) => isOf(hold, row)).length > 0) continue
        hold.releasedAt = at
        if (hold.guard === 'shrunken_export' || hold.guard === 'expect') tables.accepted.delete(hold.pipeline)
      }
    },
  }
}
