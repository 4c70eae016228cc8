// Runs the table of cases against a service, one after the other, and gives a verdict on each.
import { Broken, type Case } from './case.ts'
import { AUTHENTICATION } from './cases/authentication.ts'
import { BULK } from './cases/bulk.ts'
import { CONTACT_TERMS } from './cases/contact-terms.ts'
import { CREATING } from './cases/creating.ts'
import { CUSTOM_VALUES } from './cases/custom-values.ts'
import { CUSTOM_FIELDS } from './cases/custom-fields.ts'
import { DUPLICATES } from './cases/duplicates.ts'
import { FIELDS } from './cases/fields.ts'
import { GENERAL } from './cases/general.ts'
import { PAGES } from './cases/pages.ts'
import { READING } from './cases/reading.ts'
import { TERMS } from './cases/terms.ts'
import { UPDATING } from './cases/updating.ts'
import type { World } from './world.ts'

/** In the order of the interface's sections. */
export const CASES: readonly Case[] = [
  ...FIELDS,
  ...GENERAL,
  ...TERMS,
  ...READING,
  ...CREATING,
  ...DUPLICATES,
  ...BULK,
  ...UPDATING,
  ...CONTACT_TERMS,
  ...CUSTOM_FIELDS,
  ...CUSTOM_VALUES,
  ...PAGES,
  ...AUTHENTICATION,
]

export interface Verdict {
  readonly id: string
  readonly section: string
  readonly sentence: string
  readonly verdict: 'holds' | 'does not hold' | 'observed'
  readonly remark: string
}

export async function verdictOn(
  { id, section, sentence, kind, check }: Case,
  world: World,
): Promise<Verdict> {
  const about = { id, section, sentence }
  try {
    const remark = (await check(world)) ?? ''
    return { ...about, verdict: kind === 'rule' ? 'holds' : 'observed', remark }
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    if (kind === 'rule') return { ...about, verdict: 'does not hold', remark: error.message }
    return { ...about, verdict: 'observed', remark: `could not be seen: ${error.message}` }
  }
}
