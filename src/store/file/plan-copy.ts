// What a plan takes along of the state: every table that planning reads. A table that is missing here is empty for a plan,
// which then shows other changes than the run makes.
import type { Connection } from './connection.ts'

export const COPIED_FOR_PLAN = [
  'link',
  'fingerprint',
  'settled_version',
  'settled_block',
  'unsettled_link',
  'operation',
  'input',
  'reject',
  'hold',
  'meta',
  'tombstone',
  'accepted',
  'custom_field',
  'delete_count',
  'dropped',
  'approval',
  'approval_need',
  'correction',
  'brake',
  'brake_ask',
  'brake_grant',
  'household',
  'passed',
  'sent_values',
  'hand_edit',
  'address_status',
  'withdrawal',
] as const

function copyTable(from: Connection, to: Connection, table: (typeof COPIED_FOR_PLAN)[number]): void {
  const { columns = [] } = to.tables().find(({ name }) => name === table) ?? {}
  const names = columns.map((column) => `"${column}"`).join(', ')
  const insert = to.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`)
  to.transaction(() => {
    for (const row of from.prepare(`SELECT ${names} FROM ${table}`).raw().iterate())
      insert.run(...(row as unknown[]))
  })()
}

export const copyForPlan = (from: Connection, to: Connection): void =>
  from.transaction(() => COPIED_FOR_PLAN.forEach((table) => copyTable(from, to, table)))()
