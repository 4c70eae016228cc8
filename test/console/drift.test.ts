// The page of what contacts at the service have: the latest round, its fields, and the plot over time.
import { expect, it } from 'vitest'
import type { DriftRound } from '../../src/core/change/others/drift-rounds.ts'
import { DAY_MS } from '../../src/core/words/duration.ts'
import { openState } from '../../src/store/state-store.ts'
import { type Desk, MARKUP, openDesk } from './desk.ts'

const round = (endedAt: number, differing: number): DriftRound => ({
  ...{ pipeline: 'shop', startedAt: endedAt - 1000, endedAt, after: '' },
  counts: {
    ...{ checked: 200, differing, gone: 3, kept: 7, unanswered: 1 },
    by_field: { phone: differing, [`term ${MARKUP}`]: 1 },
  },
})

/** With rounds on three days, of which the newest found so many. */
async function desk(newest: number | undefined, see: (desk: Desk) => Promise<void>): Promise<void> {
  // The clock of the desk.
  const now = Date.UTC(2026, 0, 1, 0, 1)
  const one = await openDesk(
    (data) => ({ ...data, drift: () => [{ pipeline: 'shop', share: 0.05 }] }),
    async (path) => {
      const state = openState(path, { pid: 1, since: 0, thorough: false })
      const found = newest === undefined ? [] : [2, 4, newest]
      for (const [day, differing] of found.entries())
        await state.noteDriftRound(round(now - (2 - day) * DAY_MS, differing))
      await state.close()
    },
  )
  try {
    await see(one)
  } finally {
    await one.close()
  }
}

const text = (body: string): string => body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

it('shows the latest round, its fields, and the way to set values back', () =>
  desk(12, async ({ page }) => {
    const { body } = await page('/drift')
    expect(text(body)).toMatch(/Looked at 200 contacts, until/)
    expect(text(body)).toMatch(/As sent 178 Differ 12 \( ?6% ?\) .*above 5%/)
    expect(text(body)).toContain('contact-sync drift shop --all --repair')
    expect(text(body)).toMatch(/phone 12/)
    expect(body).not.toContain(MARKUP)
    expect(body.match(/<title>[^<]*: \d+ of 200 contacts<\/title>/g)).toHaveLength(6)
    expect(body).toContain('class="limit"')
  }))

it('says where all is within what is allowed, and where no round has ended', async () => {
  await desk(0, async ({ page }) => {
    const body = text((await page('/drift?pipeline=shop')).body)
    expect(body).toMatch(/Differ 0 \( ?0% ?\) .*within 5%/)
    expect(body).not.toContain('--repair')
  })
  await desk(undefined, async ({ page }) => {
    expect(text((await page('/drift')).body)).toContain('No round has ended yet')
    expect(text((await page('/')).body)).toContain('contacts of 1 pipeline compared')
  })
})
