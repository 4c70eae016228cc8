// What persons decide, as far as it is not concluded, and pipelines that send nothing until one of them is resumed.
import type { Conclusion, DecisionStore, Effect, OpenDecision, PipelinePause } from '../core/decision.ts'
import type { DecidedBy } from '../core/words/decided-by.ts'
import { createKeepDateOrders } from './date-orders.ts'
import { isFile } from './file/connection.ts'
import type { Connection } from './file/database.ts'
import { truncateLog } from './file/owned.ts'
import { createCorrect } from './journal/contacts/corrections.ts'
import { createReleaseEdits } from './journal/contacts/hand-edits.ts'
import { createApprove } from './journal/approvals.ts'
import { createBrakeDecisions } from './journal/brakes.ts'
import { createDropHeld, createRelease } from './journal/holds.ts'
import { createHoldPlan } from './journal/staging.ts'
import { createBatchAppend } from './log/audit-append.ts'
import { liftTombstones } from './log/tombstones.ts'
import { createServiceBinding } from './service-binding.ts'

interface DecisionRow {
  id: number
  kind: string
  args: string
  decided: string
  asked_at: number
}

interface PauseRow extends Omit<PipelinePause, 'reason'> {
  reason: string | null
}

/** Within the transaction of what was decided. */
export const endDecision = (db: Connection, id: number): void =>
  void db.prepare('DELETE FROM decision WHERE id = ?').run(id)

const openDecision = ({ id, kind, args, decided, asked_at: askedAt }: DecisionRow): OpenDecision => ({
  id,
  kind,
  args: JSON.parse(args) as unknown,
  decided: JSON.parse(decided) as DecidedBy,
  askedAt,
})

function createEffects(db: Connection): (effect: Effect, at: number) => void {
  const release = createRelease(db)
  const approve = createApprove(db)
  const drop = createDropHeld(db)
  const brakes = createBrakeDecisions(db)
  const releaseEdits = createReleaseEdits(db)
  const corrections = createCorrect(db)
  const pause = db.prepare('INSERT OR IGNORE INTO pipeline_pause VALUES (?, ?, ?, ?)')
  const hold = createHoldPlan(db)
  const binding = createServiceBinding(db)
  const keepOrders = createKeepDateOrders(db)
  const resume = db.prepare('DELETE FROM pipeline_pause WHERE pipeline = ?')
  return (effect, at) => {
    switch (effect.do) {
      case 'release':
        release({ ...effect, at })
        return brakes.release({ ...effect, at })
      case 'approve':
        return approve({ ...effect, at })
      case 'drop':
        for (const { operation } of effect.dropped) if (operation < 0) brakes.drop(-operation)
        return drop(
          effect.dropped.filter(({ operation }) => operation > 0),
          at,
        )
      case 'release_edits':
        return void releaseEdits(effect)
      case 'correct':
        return corrections.correct(effect.corrections, at)
      case 'drop_corrections':
        return corrections.drop(effect.corrections, effect.why, at)
      case 'pause':
        for (const { pipeline, since, by, reason } of effect.pauses)
          pause.run(pipeline, since, by, reason ?? null)
        return
      case 'resume':
        for (const pipeline of effect.pipelines) resume.run(pipeline)
        return
      case 'hold':
        return hold(effect.staged)
      case 'readmit':
        return liftTombstones(db, effect.named)
      case 'bind':
        return binding.bind(effect.address)
      case 'keep_date_orders':
        return keepOrders(effect.pipeline, effect.orders)
    }
  }
}

export function createDecisionStore(db: Connection): DecisionStore {
  const begin = db
    .prepare<unknown[], number>(
      'INSERT INTO decision (kind, args, decided, asked_at) VALUES (?, ?, ?, ?) RETURNING id',
    )
    .pluck()
  const end = db.prepare('DELETE FROM decision WHERE id = ?')
  // Of several workers each takes its own, and those of workers that are gone.
  const left = isFile(db) ? '' : 'WHERE fence IS NULL OR fence NOT IN (SELECT fence FROM worker)'
  const open = db.prepare<[], DecisionRow>(
    `SELECT id, kind, args, decided, asked_at FROM decision ${left} ORDER BY id`,
  )
  const pauses = db.prepare<[], PauseRow>('SELECT * FROM pipeline_pause ORDER BY pipeline')
  const take = createEffects(db)
  const append = createBatchAppend(db)
  const conclude = db.transaction((id: number, { at, effects = [], entries = [] }: Conclusion) => {
    for (const effect of effects) take(effect, at)
    append(entries)
    end.run(id)
  })
  return {
    async beginDecision({ kind, args, decided }, at) {
      return begin.get(kind, JSON.stringify(args), JSON.stringify(decided), at) ?? 0
    },
    async concludeDecision(id, conclusion) {
      conclude(id, conclusion)
      // Its arguments may name a person who was just erased: they must not wait in the file for a later checkpoint.
      truncateLog(db)
    },
    openDecisions: async () => open.all().map(openDecision),
    pausedPipelines: async () =>
      pauses.all().map(({ reason, ...pause }) => ({ ...pause, reason: reason ?? undefined })),
  }
}
