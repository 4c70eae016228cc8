// Answers that came together are handed over one in each turn of the event loop. What is made of one, a transaction of a
// hundred records, takes some milliseconds; timers, signals and the other connections must not wait for several of them.

/** Gives a function that resolves in a turn of the loop in which none of its other calls does, in the order of the calls. */
export function createOneATurn(): () => Promise<void> {
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  let last = Promise.resolve()
  return () => (last = last.then(nextTurn))
}
