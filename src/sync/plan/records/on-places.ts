// Questions about some records of a batch, asked together.

/** Asks for those that are there, and gives the answers on their places. */
export async function onPlaces<Given, Answer>(
  given: readonly (Given | undefined)[],
  ask: (those: readonly Given[]) => Promise<readonly Answer[]>,
): Promise<readonly (Answer | undefined)[]> {
  const there = given.flatMap((one, place) => (one === undefined ? [] : [{ one, place }]))
  const answers = await ask(there.map(({ one }) => one))
  const all = new Array<Answer | undefined>(given.length).fill(undefined)
  there.forEach(({ place }, index) => {
    all[place] = answers[index]
  })
  return all
}
