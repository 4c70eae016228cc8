// The state as the console looks at it: one object over a connection of its own that reads only.
import type { StateViews } from '../../core/views.ts'
import type { Connection } from '../file/database.ts'
import { createAlertStore } from '../alerts.ts'
import { createDriftRoundStore } from '../drift-rounds.ts'
import { createHandEditStore } from '../journal/contacts/hand-edits.ts'
import { createHoldStore } from '../journal/holds.ts'
import { createBrakeViews } from './views-brakes.ts'
import { createConfigurationViews } from './views-configurations.ts'
import { createCorrectionViews } from './views-corrections.ts'
import { createGroupViews } from './views-groups.ts'
import { createRecordViews } from './views-records.ts'
import { createRunViews } from './views-runs.ts'
import { createSearch } from './views-search.ts'
import { createTermCount } from './views-terms.ts'

/** `now`: milliseconds since the epoch. */
export function createStateViews(db: Connection, now: () => number): StateViews {
  const { heldPlans, released } = createHoldStore(db)
  const { openEdits } = createHandEditStore(db)
  const { alertsOf } = createAlertStore(db)
  const { driftRounds } = createDriftRoundStore(db)
  const search = createSearch(db)
  return {
    ...createRunViews(db, { released, openEdits }),
    ...createRecordViews(db),
    ...createConfigurationViews(db),
    ...createBrakeViews(db),
    ...createGroupViews(db),
    ...createCorrectionViews(db),
    heldPlans,
    alertsOf,
    driftRounds,
    search: async (text, limit) => search(text, limit),
    terms: createTermCount(db, now),
  }
}
