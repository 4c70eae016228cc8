// `approvals`: which changes wait until enough different approvers have released them.
import { z } from 'zod'
import type { DeepReadonly } from '../../words/deep-readonly.ts'
import { shareOrCount, text } from '../../words/scalars.ts'

const NONE = 'would always apply; write at least 1, or a share above 0%'

const fromOn = shareOrCount.refine((limit) => ('count' in limit ? limit.count > 0 : limit.share > 0), {
  error: NONE,
})

const when = z
  .strictObject({
    deletes: fromOn
      .optional()
      .describe(
        "So many deletes of one plan, or more: a count, or a share of the pipeline's links. It is the deletes that wait.",
      ),
    changes: fromOn
      .optional()
      .describe(
        "So many creates and updates of one plan, or more: a count, or a share of the pipeline's links. The whole plan waits.",
      ),
    new_terms: z
      .int()
      .min(1)
      .optional()
      .describe('So many terms that one plan would create at the service, or more. The whole plan waits.'),
    terms: z
      .array(text)
      .min(1)
      .optional()
      .describe('Terms: changes that give one of them to a contact wait. Their removal does not.'),
  })
  .refine((value) => Object.values(value).some((one) => one !== undefined), {
    error: 'names no condition; write deletes, changes, new_terms or terms',
  })

export const approvalsSchema = z.array(
  z.strictObject({
    pipelines: z
      .array(text)
      .min(1)
      .optional()
      .describe('The pipelines that it applies to; unset: all of them.'),
    when: when.describe('What has to be approved; any of the conditions is enough.'),
    by: z.int().min(1).prefault(1).describe('How many different approvers must release it.'),
  }),
)

export type ApprovalRule = DeepReadonly<z.output<typeof approvalsSchema>[number]>
