// Answers that come together leave the event loop its turns between them.
import { expect, it } from 'vitest'
import { createOneATurn } from '../../src/service/one-a-turn.ts'

const BUSY_MS = 3

/** As a transaction does: nothing else runs meanwhile. */
function block(): void {
  const end = performance.now() + BUSY_MS
  while (performance.now() < end);
}

it('lets a timer fire between two answers that came together, in their order', async () => {
  const itsTurn = createOneATurn()
  const seen: string[] = []
  const answers = ['first', 'second', 'third'].map(async (name) => {
    await itsTurn()
    seen.push(name)
    setTimeout(() => seen.push(`timer of the ${name}`), 1)
    block()
  })
  await Promise.all(answers)
  expect(seen).toEqual(['first', 'timer of the first', 'second', 'timer of the second', 'third'])
})

it('does not wait for what is made of an answer', async () => {
  const itsTurn = createOneATurn()
  void itsTurn().then(() => new Promise(() => undefined))
  await expect(itsTurn()).resolves.toBeUndefined()
})
