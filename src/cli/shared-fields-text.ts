// What `check` and `plan` say of fields that two pipelines write to contacts that they share: without `owns`, or where an owner
// never gives way.
import { keptFromNextOwner, sharedFields } from '../core/change/others/ownership.ts'
import type { Settings } from '../core/settings.ts'

/** `names`: pipelines of which at least one is concerned; undefined: any. */
export const sharedFieldWarnings = (
  { pipelines: all }: Pick<Settings, 'pipelines'>,
  names?: readonly string[],
): readonly string[] => [
  ...sharedFields(all).flatMap(({ pipelines, fields }) =>
    names === undefined || pipelines.some((name) => names.includes(name))
      ? [
          `warning: ${pipelines.join(' and ')} write the same fields of contacts that they share: ${fields.join(', ')}. Say with owns which pipeline writes them`,
        ]
      : [],
  ),
  ...keptFromNextOwner(all).flatMap(({ pipeline, fields }) =>
    names === undefined || names.includes(pipeline)
      ? [
          `warning: ${pipeline} keeps what it wrote where its own value is blank, so that no other owner fills it in: ${fields.join(', ')}. With blank: clear the next owner does`,
        ]
      : [],
  ),
]
