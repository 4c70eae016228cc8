// What `check` and `plan` say of fields that two pipelines write to contacts that they share, without `owns`.
import { sharedFields } from '../core/change/others/ownership.ts'
import type { Settings } from '../core/settings.ts'

/** `names`: pipelines of which at least one is concerned; undefined: any. */
export const sharedFieldWarnings = (
  { pipelines: all }: Pick<Settings, 'pipelines'>,
  names?: readonly string[],
): readonly string[] =>
  sharedFields(all).flatMap(({ pipelines, fields }) =>
    names === undefined || pipelines.some((name) => names.includes(name))
      ? [
          `warning: ${pipelines.join(' and ')} write the same fields of contacts that they share: ${fields.join(', ')}. Say with owns which pipeline writes them`,
        ]
      : [],
  )
