// Answers that came together are handed over one in each turn of the event loop. What is made of one, a transaction of a
// hundred records, takes some milliseconds; timers, signals and the other connections must not wait for several of them.
// Answers about single records are small work, and share a turn.

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Answers about so many records in all share a turn: what is made of them is one small transaction. */
const TOGETHER = 8

/**
 * Gives a function that resolves in a turn of the loop in which none of its other calls does, or only calls about few records
 * each, in the order of the calls. A turn is left between two of them: in it comes what arrived meanwhile, and the requests
 * that take the places of those answers leave.
 */
export function createOneATurn(): (records?: number) => Promise<void> {
  let last = Promise.resolve()
  let newest: { readonly turn: Promise<void>; places: number } | undefined
  return (records = TOGETHER) => {
    if (newest !== undefined && records <= newest.places) {
      newest.places -= records
      return newest.turn
    }
    const turn = last.then(nextTurn).then(nextTurn)
    const own = { turn, places: TOGETHER - records }
    ;[last, newest] = [turn, own]
    void turn.then(() => {
      if (newest === own) newest = undefined
    })
    return turn
  }
}
