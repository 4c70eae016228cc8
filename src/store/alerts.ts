// Alerts across restarts: what each receiver was sent, so that nothing is sent twice, and what it has not accepted yet.
import { LONGEST_GAP_MS } from '../core/alerts/alert-changes.ts'
import type { AlertMessage } from '../core/alerts/alert-message.ts'
import type { AlertStore, QueuedMessage } from '../core/alerts/alert-store.ts'
import type { ConditionName } from '../core/alerts/alert-rules.ts'
import type { Connection } from './file/database.ts'
import { createKnownPipelines } from './pipelines.ts'

interface AlertRow {
  condition: ConditionName
  pipeline: string
  since: number
  told: number
}

interface MessageRow {
  id: number
  receiver: string
  condition: ConditionName
  pipeline: string
  message: string
  created_at: number
  attempts: number
}

const parsed = ({ message }: MessageRow): AlertMessage => JSON.parse(message) as AlertMessage

const queued = (row: MessageRow): QueuedMessage => ({
  id: row.id,
  receiver: row.receiver,
  message: parsed(row),
  createdAt: row.created_at,
  attempts: row.attempts,
})

function createChanges(db: Connection): AlertStore['changeAlerts'] {
  const set = db.prepare(
    'INSERT OR REPLACE INTO alert (receiver, condition, pipeline, since, told) VALUES (?, ?, ?, ?, ?)',
  )
  const remove = db.prepare('DELETE FROM alert WHERE receiver = ? AND condition = ? AND pipeline = ?')
  const drop = db.prepare('DELETE FROM alert_message WHERE id = ?')
  const add = db.prepare(
    'INSERT INTO alert_message (receiver, condition, pipeline, message, created_at, not_before) VALUES (?, ?, ?, ?, ?, ?)',
  )
  return async (receiver, changes, at) =>
    db.transaction(() => {
      for (const { name, pipeline, since, told } of changes.set)
        set.run(receiver, name, pipeline, since, Number(told))
      for (const { name, pipeline } of changes.remove) remove.run(receiver, name, pipeline)
      for (const id of changes.drop) drop.run(id)
      for (const { name, pipeline, message } of changes.messages)
        add.run(receiver, name, pipeline, JSON.stringify(message), at, at)
    })()
}

function createFigures(db: Connection): AlertStore['alertFigures'] {
  const undelivered = db.prepare<[], number>('SELECT count(*) FROM alert_message').pluck()
  const raised = db.prepare<[], [string, number]>(
    'SELECT condition, count(DISTINCT pipeline) FROM alert WHERE told = 1 GROUP BY condition',
  )
  return async () => ({
    undelivered: undelivered.get() ?? 0,
    raised: new Map(raised.raw().all()),
  })
}

export function createAlertStore(db: Connection): AlertStore {
  const raised = db.prepare<[string], AlertRow>('SELECT * FROM alert WHERE receiver = ?')
  const pending = db.prepare<[string], MessageRow>(
    'SELECT * FROM alert_message WHERE receiver = ? ORDER BY id',
  )
  const due = db.prepare<[{ at: number; latest: number }], MessageRow>(
    // Nothing waits for longer than the longest gap: a message that would was put off under a clock that ran ahead.
    'SELECT * FROM alert_message WHERE not_before <= @at OR not_before > @latest ORDER BY id',
  )
  const next = db.prepare<[], number | null>('SELECT min(not_before) FROM alert_message').pluck()
  const drop = db.prepare('DELETE FROM alert_message WHERE id = ?')
  const postpone = db.prepare('UPDATE alert_message SET attempts = attempts + 1, not_before = ? WHERE id = ?')
  const forget = ['alert', 'alert_message'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE receiver NOT IN (SELECT value FROM json_each(?))`),
  )
  const known = createKnownPipelines(db)
  return {
    knownPipelines: async () => known(),
    alertsOf: async (receiver) => ({
      raised: raised.all(receiver).map(({ condition: name, pipeline, since, told }) => ({
        name,
        pipeline,
        since,
        told: told === 1,
      })),
      pending: pending.all(receiver).map((row) => ({
        id: row.id,
        name: row.condition,
        pipeline: row.pipeline,
        event: parsed(row).event === 'recovered' ? 'recovered' : 'raised',
        attempts: row.attempts,
      })),
    }),
    changeAlerts: createChanges(db),
    async keepReceivers(receivers) {
      for (const one of forget) one.run(JSON.stringify(receivers))
    },
    dueMessages: async (at) => due.all({ at, latest: at + LONGEST_GAP_MS }).map(queued),
    nextMessageAt: async () => next.get() ?? undefined,
    async dropMessage(id) {
      drop.run(id)
    },
    async postponeMessage(id, notBefore) {
      postpone.run(notBefore, id)
    },
    alertFigures: createFigures(db),
  }
}
