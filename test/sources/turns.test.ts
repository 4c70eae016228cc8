// Whatever was read of a file at once: what is made of it must not keep timers, signals and connections waiting.
import { expect, it } from 'vitest'
import { checkedWhole, type InputFile } from '../../src/sources/input-file.ts'

async function* parts() {
  yield* await Promise.resolve([1, 2, 3])
}

it('of a file one part is handed on in each turn of the event loop', async () => {
  const file = { assertUnchanged: () => Promise.resolve() } as InputFile
  const seen: (number | string)[] = []
  let isOver = false
  const turn = (): void => {
    seen.push('turn')
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  for await (const part of checkedWhole(file, parts())) seen.push(part)
  isOver = true
  expect(seen).toEqual([1, 'turn', 2, 'turn', 3, 'turn'])
})
