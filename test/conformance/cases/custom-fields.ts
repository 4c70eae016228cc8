// Sections 2.2, 2.3 and 4.4: definitions of custom fields, and a text in one.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { type Fields, isObject, isRefused, members, told, type World } from '../world.ts'

const rule = ruleOf('4.4')

async function definitions({ call }: World): Promise<Fields[]> {
  const answer = await call('GET', '/custom-fields')
  must(answer.status === 200, `the list was answered ${told(answer)}`)
  return members(answer.json)
}

async function mustFind(world: World, place: 'field_id' | 'field_name'): Promise<string | undefined> {
  const list = await definitions(world)
  for (const definition of list) {
    const path = `/custom-fields/${encodeURIComponent(String(definition[place]))}`
    const { json } = await world.call('GET', path)
    must(isObject(json), `GET ${path} gives no object`)
    for (const name of Object.keys(SHAPE)) mustEqual(json[name], definition[name], `the ${name} of ${path}`)
  }
  return list.length === 0 ? 'there are none to see it by' : undefined
}

const SHAPE = {
  field_id: 'number',
  field_name: 'string',
  label: 'string',
  description: 'string',
  type: 'string',
  required: 'boolean',
}

async function aTextField(world: World): Promise<string | undefined> {
  return (await definitions(world)).find(({ type }) => type === 'text_textfield')?.['field_name'] as
    string | undefined
}

export const CUSTOM_FIELDS = [
  rule('custom-fields-list', 'The definitions are listed as an array', async ({ call }) => {
    const { json } = await call('GET', '/custom-fields')
    must(Array.isArray(json), 'the answer is no array')
    return `${json.length} definitions`
  }),
  ruleOf('2.2')(
    'custom-fields-shape',
    'A definition has field_id, field_name, label, description, type and required',
    async (world) => {
      for (const definition of await definitions(world))
        for (const [name, type] of Object.entries(SHAPE))
          must(
            typeof definition[name] === type,
            `${name} of ${String(definition['field_name'])} is ${JSON.stringify(definition[name])}`,
          )
      return undefined
    },
  ),
  rule('custom-field-by-id', 'A definition is read by its id', async (world) => mustFind(world, 'field_id')),
  rule('custom-field-by-name', 'A definition is read by its name', async (world) =>
    mustFind(world, 'field_name'),
  ),
  rule('custom-fields-read-only', 'There are no write operations on definitions', async (world) => {
    const before = JSON.stringify(await definitions(world))
    const nobody = `/custom-fields/conformance-${world.token}`
    for (const [method, path] of [
      ['POST', '/custom-fields'],
      ['PUT', nobody],
      ['DELETE', nobody],
    ] as const) {
      const answer = await world.call(method, path, { body: {} })
      must(isRefused(answer), `${method} ${path} was answered ${told(answer)}`)
    }
    mustEqual(JSON.stringify(await definitions(world)), before, 'the list afterwards')
    return undefined
  }),
  openOf('2.2')(
    'custom-field-types',
    'The complete list of types: not shown',
    async (world) =>
      [...new Set((await definitions(world)).map(({ type }) => String(type)))].join(', ') || 'none',
  ),
  openOf('2.3')('custom-field-key', 'The key of a custom field in a contact: not shown', async (world) => {
    const name = await aTextField(world)
    if (name === undefined) return 'there is not text field to see it by'
    const answer = await world.post({ mail: world.newMail(), [name]: 'seen' }, { check: 'none' })
    if (isRefused(answer)) return `not field_name: ${told(answer)}`
    const id = Number((answer.json as Fields)['id'])
    return (await world.read(id, [name]))[name] === 'seen'
      ? 'field_name'
      : 'not field_name: the value was dropped'
  }),
  openOf('8')(
    'custom-field-size',
    'The size of each text field: not shown beyond 8 to 255',
    async (world) => {
      const name = await aTextField(world)
      if (name === undefined) return 'there is not text field to see it by'
      const taken = []
      for (const size of [8, 9, 255, 256]) {
        const answer = await world.post(
          { mail: world.newMail(), [name]: 'x'.repeat(size) },
          { check: 'none' },
        )
        taken.push(`${size}: ${isRefused(answer) ? 'refused' : 'accepted'}`)
      }
      return `${name}, ${taken.join(', ')}`
    },
  ),
]
