// Section 2.3: what a custom field of each type holds. Under which key it stands in a contact is not shown: where one
// field is kept under its field_name, all of them must be, and where none is, nothing can be seen.
import { must, mustEqual, ruleOf } from '../case.ts'
import { type Fields, idIn, isRefused, members, told, type World } from '../world.ts'

const rule = ruleOf('2.3')

type Kind = 'text' | 'integer' | 'float' | 'single' | 'multiple' | 'confirmation'

/** By the names of types that are known; another type says nothing about its values. */
function kindOf({ type, multiple_selection: isMultiple }: Fields): Kind | undefined {
  const name = String(type)
  if (name === 'checkbox_confirmation') return 'confirmation'
  if (name.startsWith('text')) return 'text'
  if (/integer/.test(name)) return 'integer'
  if (/float|decimal/.test(name)) return 'float'
  if (isMultiple === true || name === 'options_buttons') return 'multiple'
  return name === 'options_select' || name === 'selection' ? 'single' : undefined
}

interface Defined {
  readonly name: string
  readonly kind: Kind
}

async function defined(world: World): Promise<Defined[]> {
  const answer = await world.call('GET', '/custom-fields')
  must(answer.status === 200, `the list of definitions was answered ${told(answer)}`)
  return members(answer.json).flatMap((one) => {
    const kind = kindOf(one)
    return kind === undefined ? [] : [{ name: String(one['field_name']), kind }]
  })
}

const LONGEST = 255

function valuesOf({ choices }: World, { name, kind }: Defined): readonly unknown[] {
  const allowed = choices.get(name) ?? []
  switch (kind) {
    case 'text':
      return ['Grüße 01', '0']
    case 'integer':
      return [42, 0, -7]
    case 'float':
      return [1.5, 0, -0.25, 42]
    case 'single':
      return allowed
    case 'multiple':
      return allowed.length === 0 ? [] : [allowed, allowed.slice(0, 1)]
    case 'confirmation':
      return [true]
  }
}

/** What a new contact shows in the field; undefined where it was refused. */
async function kept(world: World, name: string, value: unknown): Promise<unknown> {
  const answer = await world.post({ mail: world.newMail(), [name]: value }, { check: 'none' })
  return isRefused(answer) ? undefined : (await world.read(idIn(answer.json), [name]))[name]
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Whether any custom field is kept under its field_name. */
async function isKeyKnown(world: World, all: readonly Defined[]): Promise<boolean> {
  for (const one of all) {
    const [value] = valuesOf(world, one)
    if (value !== undefined && !isBlank(await kept(world, one.name, value))) return true
  }
  return false
}

/** A confirmation may be shown in another way than it was given: as 1, or as text. */
const shown = (kind: Kind, value: unknown): unknown =>
  kind === 'confirmation' ? [true, 1, '1', 'true'].includes(value as string) : value

const updated = async (world: World, id: number, name: string, value: unknown): Promise<unknown> => {
  const answer = await world.call('PUT', `/contact/${id}`, { body: { [name]: value } })
  must(!isRefused(answer), `${name}: ${JSON.stringify(value)} was answered ${told(answer)}`)
  return (await world.read(id, [name]))[name]
}

const holds = (kind: Kind, sentence: string) =>
  rule(`custom-${kind}`, sentence, async (world) => {
    const all = await defined(world)
    const ours = all.filter((one) => one.kind === kind && valuesOf(world, one).length > 0)
    if (ours.length === 0) return 'there is no such field, or no value of it known, to see it by'
    if (!(await isKeyKnown(world, all))) return 'no field is kept under its field_name: nothing to see it by'
    for (const one of ours) {
      const id = await world.make()
      for (const value of valuesOf(world, one)) {
        const said = `${one.name} given as ${JSON.stringify(value)}`
        mustEqual(
          shown(kind, await kept(world, one.name, value)),
          shown(kind, value),
          `${said} to a new contact`,
        )
        mustEqual(
          shown(kind, await updated(world, id, one.name, value)),
          shown(kind, value),
          `${said} in an update`,
        )
      }
    }
    return undefined
  })

const refuses = (kind: Kind, sentence: string, wrong: readonly unknown[]) =>
  rule(`custom-${kind}-only`, sentence, async (world) => {
    const ours = (await defined(world)).filter((one) => one.kind === kind)
    for (const { name } of ours)
      for (const value of wrong)
        must(
          JSON.stringify(await kept(world, name, value)) !== JSON.stringify(value),
          `${name} holds ${JSON.stringify(value)}`,
        )
    return ours.length === 0 ? 'there is none to see it by' : undefined
  })

export const CUSTOM_VALUES = [
  holds('text', 'A custom text holds text, of 8 characters at least'),
  refuses('text', 'A custom text holds no more than 255 characters', ['x'.repeat(LONGEST + 1)]),
  holds('integer', 'A custom integer holds an integer, zero and negative ones among them'),
  refuses('integer', 'A custom integer holds nothing else', ['many', 1.5]),
  holds('float', 'A custom float holds a number with a decimal dot'),
  refuses('float', 'A custom float holds nothing else', ['much', '1,5']),
  holds('single', 'A custom selection of one holds one value'),
  refuses('single', 'A custom selection of one holds no value that is none', ['conformance-no-such-value']),
  holds('multiple', 'A custom selection of several holds an array of values'),
  refuses('multiple', 'A custom selection of several holds no value that is none', [
    ['conformance-no-such-value'],
  ]),
  holds('confirmation', 'A confirmation holds that it was given'),
]
