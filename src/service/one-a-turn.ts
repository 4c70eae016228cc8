// Answers that came together are handed over one in each turn of the event loop. What is made of one, a transaction of a
// hundred records, takes some milliseconds; timers, signals and the other connections must not wait for several of them.

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Gives a function that resolves in a turn of the loop in which none of its other calls does, in the order of the calls.
 * A turn is left between two of them: in it comes what arrived meanwhile, and the requests that take the places of
 * those answers leave.
 */
export function createOneATurn(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(nextTurn).then(nextTurn))
}
