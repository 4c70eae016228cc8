// A contract that every source passes is none: modules with a fault each, and the checks that find them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sourceContract } from '../../../src/app/contract/contract.ts'
import type { ContractPerson, OpenContractSource } from '../../../src/app/contract/types.ts'
import { commandIn, MAIN } from '../../support/contract.ts'

const faulty =
  (body: string): OpenContractSource =>
  (folder) => {
    const file = join(folder, 'people.json')
    writeFileSync(
      join(folder, 'source.mjs'),
      `import { readFileSync } from 'node:fs'
export default async function* ({ file }, { cursor = 0 }) {
  const { people, breakAt } = JSON.parse(readFileSync(file, 'utf8'))
${body}
}`,
    )
    let world: { people: readonly ContractPerson[]; breakAt?: number | undefined } = { people: [] }
    const set = (changes: Partial<typeof world>): void => {
      world = { ...world, ...changes }
      writeFileSync(file, JSON.stringify(world))
    }
    return {
      source: { type: 'module', path: './source.mjs', options: { file } },
      put: (people) => set({ people }),
      breakAfter: (breakAt) => set({ breakAt }),
    }
  }

it.each([
  [
    'leaves the last one out',
    'yield* people.slice(0, -1)',
    'passes on every record, with its values as they are',
  ],
  [
    'takes something from a value',
    'for (const one of people) yield { ...one, first_name: one.first_name.replaceAll(\'"\', "") }',
    'passes on every record, with its values as they are',
  ],
  [
    'returns where it should throw',
    'yield* people.slice(0, breakAt)',
    'cut off, it is not complete, and nobody is deleted',
  ],
  [
    'has a cursor beyond what it yielded',
    `for (const [index, record] of people.filter(({ changed }) => changed > cursor).entries()) {
    if (index === breakAt) throw new Error('cut off')
    yield { record, cursor: 9 }
  }`,
    'cut off, what did not come is handed over the next time',
  ],
  [
    'hands nothing over a second time',
    'for (const record of people) if (record.changed > cursor) yield { record, cursor: 9 }',
    'hands over what has changed',
  ],
])('a module that %s is found', async (_, body, name) => {
  const checks = sourceContract(faulty(body), { command: commandIn, program: MAIN })
  const found = checks.find((one) => one.name === name)
  await expect(found?.check()).rejects.toThrow(/, and not /)
})
