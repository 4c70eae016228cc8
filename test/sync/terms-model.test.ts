// Two pipelines that manage the terms of one contact, and others who give terms to it: whatever the order, the contact
// ends with what a plain model says. Nothing of others is ever taken away.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { temporaryState } from '../support/state/temporary-state.ts'
import { testLine } from '../support/line.ts'
import { memoryService } from '../support/memory-service.ts'

type Step =
  | { readonly who: 'shop' | 'crm'; readonly tags: readonly string[] }
  | { readonly who: 'others'; readonly tag: string }

const tags = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 })
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ who: fc.constantFrom('shop' as const, 'crm' as const), tags }) },
    {
      weight: 1,
      arbitrary: fc.record({ who: fc.constant('others' as const), tag: fc.constantFrom('a', 'b', 'c') }),
    },
  ),
  { minLength: 1, maxLength: 10 },
)

/** What the contact should have: who asserts what, what is there, and what of it was ours to give. */
function createModel() {
  const asserts = { shop: new Set<string>(), crm: new Set<string>() }
  const present = new Set<string>()
  const ours = new Set<string>()
  return {
    present: () => [...present].sort(),
    take(step: Step): void {
      if (step.who === 'others') return void present.add(step.tag)
      const other = asserts[step.who === 'shop' ? 'crm' : 'shop']
      const wanted = new Set(step.tags)
      for (const tag of asserts[step.who])
        if (!wanted.has(tag) && !other.has(tag) && ours.has(tag)) {
          ours.delete(tag)
          present.delete(tag)
        }
      for (const tag of wanted)
        if (!asserts[step.who].has(tag) && !present.has(tag)) {
          present.add(tag)
          ours.add(tag)
        }
      asserts[step.who] = wanted
    },
  }
}

async function play(all: readonly Step[]): Promise<void> {
  const state = temporaryState()
  const service = memoryService()
  const terms = {
    policy: 'managed',
    create_missing: true,
    assign: [{ column: 'tags', split: ',' }],
    descriptions: {},
    verify: true,
  } as const
  const map = { mail: { column: 'mail' } }
  const lines = {
    shop: testLine({ state, service, pipeline: { name: 'shop', map, terms } }),
    crm: testLine({ state, service, pipeline: { name: 'crm', map, terms } }),
  }
  const model = createModel()
  const take = async (step: Step): Promise<void> => {
    model.take(step)
    if (step.who === 'others') return service.giveTerm(1, step.tag)
    lines[step.who].source.drop('a.csv', [
      ['no', 'mail', 'tags'],
      ['K1', 'a@example.com', step.tags.join(',')],
    ])
    expect(await lines[step.who].run()).toMatchObject({ status: 'ok' })
  }
  await take({ who: 'shop', tags: [] })
  await take({ who: 'crm', tags: [] })
  for (const step of all) {
    await take(step)
    expect(service.termsOf(1)).toEqual(model.present())
  }
  expect(service.contacts.size).toBe(1)
  await state.close()
}

it('ends as the model says', async () => {
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: 60 })
})
