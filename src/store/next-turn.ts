/** Work that takes long in all, in pieces: between two of them the process does what else there is to do. */
export const nextTurn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
