import { describe, expect, it } from 'vitest'
import type { LoggedEntry } from '../../../src/core/log/audit-chain.ts'
import { editsText } from '../../../src/core/change/others/hand-edits.ts'
import { controlTotals, runAccount } from '../../../src/core/log/run-account.ts'
import { type Counts, noCounts } from '../../../src/core/outcome/summary.ts'

const unchangedOf = async (counts: { unchanged?: number; skipped?: number }, log: number) => {
  const account = { ...(await runAccount([])), unchanged: log }
  return controlTotals({ ...noCounts(), ...counts }, account).find(({ what }) => what === 'unchanged')
}

describe('the totals of a run', () => {
  it('take what was skipped right before it would have been sent for unchanged, as its entry does', async () => {
    expect(await unchangedOf({ skipped: 2 }, 1)).toMatchObject({ run: 0, log: 1, agrees: true })
    expect(await unchangedOf({ unchanged: 3 }, 2)).toMatchObject({ agrees: true })
    expect(await unchangedOf({ unchanged: 1, skipped: 1 }, 3)).toMatchObject({ agrees: false })
  })

  it('a create in doubt whose contact was found, and whose newer record goes on, is nothing that was done', async () => {
    const about = { person: 'p', key: 'K1', source: { file: 'a.csv', line: 2 }, next: undefined }
    const entries = [
      { ...about, operation: 1, action: 'create', outcome: 'in_doubt' },
      { ...about, operation: 1, action: 'link', outcome: 'done' },
      { ...about, operation: 2, action: 'update', outcome: 'done' },
    ] as unknown as LoggedEntry[]
    expect(await runAccount(entries)).toMatchObject({ created: 0, updated: 1, unchanged: 1, in_doubt: 0 })
  })

  it('have a record of which an edited field waits for a release among those held', async () => {
    const reason = editsText([
      { field: 'phone', rule: 'ask', sent: '1', service: '2', source: '3' },
      { field: 'fax', rule: 'keep', sent: '1', service: '2', source: '3' },
    ])
    const about = { person: 'p', source: { file: 'a.csv', line: 2 }, next: undefined, reason: null }
    const entries = [
      { ...about, operation: 1, action: 'update', outcome: 'unchanged', reason },
      { ...about, operation: 2, action: 'update', outcome: 'done', reason, next: 'terms' },
      { ...about, operation: 2, action: 'terms', outcome: 'done' },
      { ...about, operation: 3, action: 'update', outcome: 'done', reason: reason?.replace('ask', 'keep') },
      { ...about, operation: 4, action: 'create', outcome: 'done', next: 'terms' },
      { ...about, operation: 4, action: 'terms', outcome: 'done', reason },
    ] as unknown as LoggedEntry[]
    expect(await runAccount(entries)).toMatchObject({ held: 2, updated: 1, created: 1, unchanged: 0 })
  })

  it('do not tell the terms of a record that had gone from those of another once their values are gone', async () => {
    const about = { person: 'p', source: null, next: undefined, action: 'terms', values: 'erased' }
    const entries = [
      { ...about, operation: 1, outcome: 'done' },
      { ...about, operation: 2, outcome: 'done' },
      { ...about, operation: 3, outcome: 'failed' },
      { ...about, operation: 4, outcome: 'done', values: 'open', source: { file: 'a.csv', line: 2 } },
    ] as unknown as LoggedEntry[]
    const account = await runAccount(entries)
    const differing = (counts: Partial<Counts>): string[] =>
      controlTotals({ ...noCounts(), ...counts }, account).flatMap(({ what, log, agrees }) =>
        agrees ? [] : [`${what}: ${log}`],
      )
    expect(differing({ updated: 2, deleted: 1 })).toEqual([])
    expect(differing({ updated: 3, failed: 1 })).toEqual([])
    expect(differing({ updated: 1, deleted: 2 })).toEqual([])
    expect(differing({ updated: 4 })).toEqual(['updated: 3'])
    expect(differing({ updated: 1, deleted: 1 })).toEqual(['deleted: 2'])
    expect(differing({ deleted: 3 })).toEqual(['updated: 1', 'deleted: 2'])
  })

  it('count a record once to which a brake gives its term after its other changes', async () => {
    const about = { key: 'K1', pipeline: 'shop', source: { file: 'a.csv', line: 2 }, outcome: 'done' }
    const entries = [
      { ...about, person: 'p', operation: 1, action: 'create' },
      { ...about, person: 'p', operation: 2, action: 'terms' },
      { ...about, person: 'q', key: 'K2', operation: 3, action: 'update' },
      { ...about, person: 'q', key: 'K2', operation: 4, action: 'terms', outcome: 'held' },
      // Of another row, of another record, and of what an earlier run had planned.
      { ...about, person: 'q', key: 'K2', operation: 5, action: 'terms', source: { file: 'b.csv', line: 2 } },
      { ...about, person: 'q', key: 'K3', operation: 6, action: 'terms' },
      { ...about, person: 'r', key: 'K4', operation: 7, action: 'update', planned_by: 'earlier' },
      { ...about, person: 'r', key: 'K4', operation: 8, action: 'terms' },
    ] as unknown as LoggedEntry[]
    expect(await runAccount(entries)).toMatchObject({ created: 1, updated: 3, held: 1 })
    const erased = entries.slice(0, 2).map((one) => ({ ...one, key: null, source: null, values: 'erased' }))
    const account = await runAccount(erased as unknown as LoggedEntry[])
    const differing = (counts: Partial<Counts>): string[] =>
      controlTotals({ ...noCounts(), ...counts }, account).flatMap(({ what, agrees }) =>
        agrees ? [] : [what],
      )
    expect(differing({ created: 1 })).toEqual([])
    expect(differing({ created: 1, updated: 1 })).toEqual([])
    expect(differing({ created: 1, deleted: 2 })).toEqual(['deleted'])
  })
})
