// The contract of a source: what every kind keeps to, ours and those of others, whatever happens while it is read.
import { expectCounts, expectEqual, onStage, type Stage } from './stage.ts'
import type { ContractCheck, ContractOptions, ContractPerson, OpenContractSource } from './types.ts'

export type {
  ContractCheck,
  ContractColumn,
  ContractOptions,
  ContractPerson,
  ContractSource,
  OpenContractSource,
} from './types.ts'

const KILLS = 6
const MANY = 30

const person = (number: number, values: Partial<ContractPerson> = {}): ContractPerson => ({
  ...{ id: `N${number}`, mail: `person${number}@example.com`, first_name: `First${number}` },
  ...{ family_name: `Last${number}`, phone: `+49301234${number}`, changed: 1 },
  ...values,
})
const ANN = person(1, { first_name: 'Änn "A."', family_name: "O'Neill; Müller" })
const BO = person(2, { first_name: '太郎', phone: '' })
const CLEO = person(3)
const THREE = [ANN, BO, CLEO]
const NO_WRITES = { created: 0, updated: 0, deleted: 0, failed: 0, rejected: 0 }

const many = (round: number): readonly ContractPerson[] =>
  Array.from({ length: MANY }, (_, index) =>
    person(index + 1, { family_name: `Round ${round}`, changed: round + 1 }),
  )

async function passes({ source, run, expectContacts }: Stage): Promise<void> {
  await source.put(THREE)
  expectCounts('the first run', await run(), { status: 'ok', created: 3, rejected: 0, failed: 0 })
  await expectContacts(THREE)
}

async function toldTwice(stage: Stage): Promise<void> {
  await passes(stage)
  expectCounts('a run without anything new', await stage.run(), { status: 'ok', ...NO_WRITES })
  await stage.source.put(THREE)
  expectCounts('the same once more', await stage.run(), { status: 'ok', ...NO_WRITES })
  expectCounts('and in full', await stage.run('full'), { status: 'ok', ...NO_WRITES })
  await stage.expectContacts(THREE)
}

async function changed(stage: Stage): Promise<void> {
  await passes(stage)
  const now = [ANN, { ...BO, first_name: 'Bob', changed: 2 }, CLEO, person(4, { changed: 3 })]
  await stage.source.put(now)
  const counts = { status: 'ok', ...NO_WRITES, created: 1, updated: 1 }
  expectCounts('the run after a change', await stage.run(), counts)
  await stage.expectContacts(now)
}

async function planned({ source, command, run, expectContacts }: Stage): Promise<void> {
  await source.put(THREE)
  const { code } = await command('plan', '--json')
  expectEqual('the exit code of the plan', [0, 2].includes(code), true)
  await expectContacts([], THREE)
  expectCounts('the run after it', await run(), { status: 'ok', created: 3 })
}

async function gone({ source, run, expectContacts }: Stage): Promise<void> {
  await source.put(THREE)
  await run('full')
  await source.put([ANN, CLEO])
  expectCounts('a full export without one', await run('full'), { status: 'ok', deleted: 1 })
  await expectContacts([ANN, CLEO], [BO])
  await source.put([])
  expectCounts('a full export without any', await run('full'), { deleted: 0 })
  await expectContacts([ANN, CLEO])
}

async function cutOff({ source, run, expectContacts }: Stage): Promise<void> {
  await source.put(THREE)
  await run('full')
  for (const records of [0, 1]) {
    await source.put(THREE)
    await source.breakAfter?.(records)
    const broken = await run('full')
    expectCounts(`cut off after ${records}`, broken, { deleted: 0 })
    expectEqual('a source that was cut off is complete', broken.status === 'ok', false)
    await expectContacts(THREE)
    await source.breakAfter?.(undefined)
  }
  await source.put([...THREE, person(4)])
  expectCounts('whole again', await run('full'), { status: 'ok', created: 1, deleted: 0 })
}

async function cursorStays({ source, run, expectContacts }: Stage): Promise<void> {
  await source.put([ANN])
  await run()
  const all = [ANN, { ...BO, changed: 2 }, { ...CLEO, changed: 3 }]
  await source.put(all)
  await source.breakAfter?.(1)
  await run()
  await source.breakAfter?.(undefined)
  await source.put(all)
  expectCounts('the fetch after it', await run(), { status: 'ok' })
  await expectContacts(all)
}

async function killed({ source, run, killedRun, expectContacts }: Stage): Promise<void> {
  await source.put(many(0))
  const wholeMs = await killedRun(60_000)
  await expectContacts(many(0))
  for (let round = 1; round <= KILLS; round += 1) {
    await source.put(many(round))
    await killedRun((wholeMs * round) / (KILLS + 1))
    // The first takes up what was left; the second what has come since.
    await run()
    expectCounts(`after the kill number ${round}`, await run(), { status: 'ok', ...NO_WRITES })
    await expectContacts(many(round))
  }
}

async function erased({ source, run, command, texts, expectContacts }: Stage): Promise<void> {
  await source.put(THREE)
  await run()
  const { code } = await command('audit', 'forget', ANN.mail, '--delete-at-service', '--yes')
  expectEqual('the exit code of audit forget', code, 0)
  await source.put([{ ...ANN, changed: 2 }, BO, CLEO])
  expectCounts('told once more', await run(), { created: 0, failed: 0 })
  await expectContacts([BO, CLEO], [ANN])
  const processed = (await texts()).filter(([name]) => name.includes('processed'))
  expectEqual('whether a file was put away', processed.length > 0, true)
  const found = processed.filter(([, text]) => text.includes(ANN.mail)).map(([name]) => name)
  expectEqual('files with a person who was erased', found, [])
}

type Work = readonly [name: string, work: (stage: Stage) => Promise<void>]

const CHECKS: readonly Work[] = [
  ['passes on every record, with its values as they are', passes],
  ['told twice, nothing is written', toldTwice],
  ['hands over what has changed', changed],
  ['a plan writes nothing, and takes nothing from the run after it', planned],
  ['a full export says who has gone; one without records deletes nobody', gone],
  ['killed at several points, nothing is lost, and nothing doubled', killed],
  ['a person who was erased is in no archived file, and is not created again', erased],
]
const BREAKING: readonly Work[] = [
  ['cut off, it is not complete, and nobody is deleted', cutOff],
  ['cut off, what did not come is handed over the next time', cursorStays],
]

/** `breaks: false` for a source that cannot be cut off: its checks are left out. */
export function sourceContract(
  open: OpenContractSource,
  { breaks = true, ...options }: ContractOptions & { readonly breaks?: boolean } = {},
): readonly ContractCheck[] {
  return [...CHECKS, ...(breaks ? BREAKING : [])].map(([name, work]) => ({
    name,
    check: () => onStage(open, options, work),
  }))
}
