// The schema of `transform`, made of the registry of transforms: names, `{ name: options }`, or a list of these.
// What a transform does, and which options it takes, is the registry's business.
import { z } from 'zod'
import { type TransformCall, TRANSFORMS } from './transforms.ts'
import { suggestion } from '../../words/nearest.ts'

const NAMES = Object.keys(TRANSFORMS)
const takesOptions = (name: string): boolean => !(TRANSFORMS[name]?.options instanceof z.ZodUndefined)
const WITH_OPTIONS = NAMES.filter(takesOptions)
const WITHOUT_OPTIONS = NAMES.filter((name) => !takesOptions(name))

function nameProblem(name: unknown): string {
  if (typeof name !== 'string') return 'is not a transform; write a name such as trim'
  if (Object.hasOwn(TRANSFORMS, name)) return `needs options; write ${TRANSFORMS[name]?.example ?? name}`
  return `names no transform; ${suggestion(name, NAMES)}`
}

const bareName = z
  .enum(WITHOUT_OPTIONS, { error: ({ input }) => nameProblem(input) })
  .transform((name): TransformCall => ({ name, options: undefined }))

const shape = Object.fromEntries(
  WITH_OPTIONS.map((name) => {
    const options = TRANSFORMS[name]?.options ?? z.undefined()
    return [name, options.optional().describe(TRANSFORMS[name]?.help ?? '')]
  }),
)

const named = z
  .strictObject(shape, {
    error: ({ code, input }) => {
      if (code !== 'unrecognized_keys') return undefined
      const bare = Object.keys(input as object).find((name) => WITHOUT_OPTIONS.includes(name))
      return bare === undefined ? undefined : `takes no options; write the name ${bare} alone`
    },
  })
  .refine((value) => Object.keys(value).length === 1, {
    error: 'is not exactly one transform; give each its own item in the list',
  })
  .transform((value): TransformCall => {
    const [name = '', options] = Object.entries(value)[0] ?? []
    return { name, options }
  })

const call = z.union([bareName, named], {
  error: 'is not a transform; write a name such as trim, or { truncate: 40 }',
})

/** Always a list afterwards. */
export const transformList = z
  .union([call, z.array(call)], {
    error: 'is not a transform; write a name such as trim, { truncate: 40 }, or a list of these',
  })
  .transform((calls): TransformCall[] => (Array.isArray(calls) ? calls : [calls]))
