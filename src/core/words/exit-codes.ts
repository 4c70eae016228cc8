// What a command ends with. The one place where the numbers stand; the manual's list is tested against it.

export const EXIT = {
  done: 0,
  fault: 1,
  refused: 2,
  partial: 3,
  held: 4,
  noService: 5,
  locked: 6,
  interrupted: 130,
  terminated: 143,
} as const

export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.done]: 'done',
  [EXIT.fault]: 'internal error; a check failed',
  [EXIT.refused]: 'wrong usage, or an invalid configuration; nothing was done',
  [EXIT.partial]: 'done, but some records were rejected, failed or in doubt',
  [EXIT.held]: 'a safety guard held changes back',
  [EXIT.noService]: 'the service is unreachable, or refuses the API key',
  [EXIT.locked]: 'another process holds the state',
  [EXIT.interrupted]: 'ended by SIGINT',
  [EXIT.terminated]: 'ended by SIGTERM',
}
