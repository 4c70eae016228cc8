// The interface as a table: each rule with the section it stands in, and how it is seen whether a service keeps it.
import { ACCESS } from './access.ts'
import { CONTACTS } from './contacts.ts'
import { CREATES } from './creates.ts'
import { FIELDS } from './fields.ts'
import type { Rule } from './rule.ts'
import { TERMS } from './terms.ts'

export const RULES: readonly Rule[] = [...ACCESS, ...CONTACTS, ...FIELDS, ...CREATES, ...TERMS]
