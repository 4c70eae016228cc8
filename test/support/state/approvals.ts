// Changes that wait for approvers, over the state in memory.
import type { RequiredApproval } from '../../../src/core/change/waiting/approval.ts'
import type { RunState } from '../../../src/core/run-state.ts'
import { isKeyed, type Row, rowsWhere, type Tables } from './tables.ts'

function fits({ of, terms }: RequiredApproval, row: Row): boolean {
  if (of === 'given') return row.terms?.add.some((name) => terms.includes(name)) ?? false
  return of === 'all' || row.cause === 'missing'
}

export function memoryApprovals(tables: Tables): Pick<RunState, 'holdForApproval' | 'withdrawReleases'> {
  const wasApproved = (row: Row, by: number): boolean =>
    rowsWhere(
      tables,
      (old) =>
        old.pipeline === row.pipeline &&
        old.key === row.key &&
        old.inputId !== row.inputId &&
        old.state === 'held' &&
        isKeyed(old) &&
        old.released &&
        old.releasedUnder !== undefined &&
        old.needed >= by,
    ).length > 0
  return {
    async holdForApproval({ id, runId, pipeline }, required, { at, configHash }) {
      const held: Row[] = []
      for (const rule of required) {
        const ofRule = rowsWhere(tables, (row) => row.inputId === id && fits(rule, row))
        for (const row of ofRule) {
          if (row.state !== 'planned' || (row.released && wasApproved(row, rule.by))) continue
          Object.assign(row, { state: 'held', guard: 'approval', reason: rule.reason, released: false })
          held.push(row)
        }
        for (const row of ofRule)
          if (row.state === 'held' && row.guard !== undefined) row.needed = Math.max(row.needed, rule.by)
      }
      const deletes = held.filter(({ cause }) => cause === 'missing').length
      const said = (texts: readonly string[]): string => [...new Set(texts)].join('; ')
      if (held.length > 0)
        tables.holds.push({
          guard: 'approval',
          holds: 'all',
          number: held.length,
          threshold: said(required.map(({ threshold }) => threshold)),
          reason: said(required.map(({ reason }) => reason)),
          ...{
            runId,
            inputId: id,
            pipeline,
            changes: held.length,
            configHash,
            heldAt: at,
            releasedAt: undefined,
          },
        })
      return { records: held.length - deletes, deletes }
    },
    // Who has approved is not kept here.
    async withdrawReleases(pipeline, now) {
      const rows = rowsWhere(
        tables,
        (row) =>
          row.pipeline === pipeline &&
          row.state === 'held' &&
          row.released &&
          row.needed > 0 &&
          row.releasedUnder !== now?.settings,
      )
      for (const row of rows) row.released = false
      return rows.length
    },
  }
}
