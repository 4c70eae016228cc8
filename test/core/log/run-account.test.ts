import { describe, expect, it } from 'vitest'
import { controlTotals, runAccount } from '../../../src/core/log/run-account.ts'
import { noCounts } from '../../../src/core/outcome/summary.ts'

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
})
