// Answers that come together leave the event loop its turns between them.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
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

it('lets answers about few records share a turn, eight records at most, and none come before an earlier one', async () => {
  const itsTurn = createOneATurn()
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const turns = await Promise.all(
    [1, 1, 100, 3, 5, 2].map(async (records) => itsTurn(records).then(() => turn)),
  )
  isOver = true
  const [first = 0, second, bulk = 0, fourth = 0, fifth, last = 0] = turns
  expect([second, fifth]).toEqual([first, fourth])
  expect([bulk > first, fourth > bulk, last > fourth]).toEqual([true, true, true])
})

it('does not wait for what is made of an answer', async () => {
  const itsTurn = createOneATurn()
  void itsTurn().then(() => new Promise(() => undefined))
  await expect(itsTurn()).resolves.toBeUndefined()
})

/** Two ends of a connection. */
async function connected(): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [far] = (await once(server, 'connection')) as [Socket]
  server.close()
  return [near, far]
}

it('lets an answer that arrived while another was read come in before that one is worked on', async () => {
  const itsTurn = createOneATurn()
  const [[first, firstFar], [second, secondFar]] = await Promise.all([connected(), connected()])
  const seen: string[] = []
  second.on('data', () => seen.push('second arrived'))
  first.on('data', () => {
    secondFar.write('an answer')
    void itsTurn().then(() => {
      seen.push('first worked on')
      first.destroy()
    })
  })
  firstFar.write('an answer')
  await once(first, 'close')
  for (const socket of [firstFar, second, secondFar]) socket.destroy()
  expect(seen).toEqual(['second arrived', 'first worked on'])
})
