// People who ask to be erased between two runs: nothing of them stays in the state, nothing about them is sent any more, and all
// others are served as before. The program under test is the command itself, src/app/people/forgetting.ts.
import { existsSync, readFileSync } from 'node:fs'
import { SyncError } from '../../src/core/words/errors.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { type Claims, pipelineOf } from './claims.ts'
import { cell, keyOf } from './expected.ts'
import { isWrite, type Ledger, type RequestEntry } from './ledger.ts'
import { personIn } from './people.ts'
import type { SimulatedSource } from './simulated-source.ts'
import { beginLife, type World } from './world.ts'

export interface Erasure {
  readonly person: number
  /** How many requests had been sent, and when. */
  readonly request: number
  readonly at: number
  /** `<pipeline> <key>`: under these names they are known as erased. */
  readonly keys: ReadonlySet<string>
  /** Lower case. */
  readonly mails: ReadonlySet<string>
  /** Whatever record named one of these is of the same person. */
  readonly contacts: ReadonlySet<number>
  /** `<pipeline> <key>`: records that were linked then are of others, whatever address they get. */
  readonly linked: ReadonlySet<string>
}

interface Named {
  readonly keys: readonly { readonly pipeline: string; readonly key: string }[]
  readonly mails: readonly string[]
}

type Read = Pick<World, 'sources'> & { readonly pipelines: readonly PipelineSettings[] }

/** Every row that has been read, or waits, and the pipeline that it is for. */
const rowsOf = ({ sources, pipelines }: Read) =>
  pipelines.flatMap((pipeline) => {
    const source = sources.get(pipeline.name)
    const files = [...(source?.opened ?? []), ...(source?.waiting.values() ?? [])]
    return files.flatMap(({ rows }) => rows.map((row) => ({ row, pipeline })))
  })

const mailOf = (row: readonly string[]): string => cell(row, 'mail')
const personOf = (row: readonly string[]): number | undefined => personIn(cell(row, 'stamp'))

/** All names that a source has given a person. */
function namesOf(person: number, read: Read): Named {
  const theirs = rowsOf(read).filter(({ row }) => personOf(row) === person)
  const keys = new Map(
    theirs.flatMap(({ row, pipeline: { key: columns, name: pipeline } }) => {
      const key = columns === undefined ? '' : cell(row, 'no')
      return key === '' ? [] : [[`${pipeline} ${key}`, { pipeline, key }] as const]
    }),
  )
  const mails = theirs.map(({ row }) => mailOf(row)).filter((mail) => mail.includes('@'))
  return { keys: [...keys.values()], mails: [...new Set(mails)] }
}

/** A mail that others have as well says nothing of whose it is. */
const isShared = (mail: string, person: number, read: Read): boolean =>
  rowsOf(read).some(({ row }) => mailOf(row).toLowerCase() === mail && personOf(row) !== person)

const SEVERAL = /may be several persons: contacts ([\d, ]+)/

/** The contacts that went with it, or why the command erases nobody: it knows none of that name, or several. */
async function askOnce(name: string, { program, say }: World): Promise<readonly number[] | string> {
  try {
    const contacts = await program.forget(name)
    say(`${name} is erased, with contacts ${contacts.join(', ')}`)
    return contacts
  } catch (error) {
    if (!(error instanceof SyncError) || error.code !== 'USAGE') throw error
    say(`${name} is not erased: ${error.message}`)
    return error.message
  }
}

/** As a person calls the command: where a name may mean several, by the contacts that are theirs, and then again. Undefined: in vain. */
async function ask(name: string, person: number, world: World): Promise<readonly number[] | undefined> {
  const asked = await askOnce(name, world)
  if (typeof asked !== 'string') return asked
  const several = SEVERAL.exec(asked)?.[1]?.split(', ').map(Number) ?? []
  const theirs = several.filter((id) => world.service.contacts.all.get(id)?.person === person)
  if (theirs.length === 0) return undefined
  const contacts: number[] = []
  for (const id of theirs) {
    const found = await askOnce(`id:${id}`, world)
    if (typeof found !== 'string') contacts.push(...found)
  }
  const again = await askOnce(name, world)
  return typeof again === 'string' ? undefined : [...contacts, ...again]
}

function isInState(text: string, file: string): boolean {
  return ['', '-wal'].some(
    (end) => existsSync(file + end) && readFileSync(file + end).includes(Buffer.from(text)),
  )
}

async function eraseOne(person: number, world: World): Promise<void> {
  const { chance, ledger, timeline, erasures, violated, say, setup, sources } = world
  const read = { sources, pipelines: setup.pipelines }
  const { keys, mails } = namesOf(person, read)
  say(`person ${person} is erased`)
  const erased = { keys: new Set<string>(), mails: new Set<string>(), contacts: new Set<number>() }
  const names = [
    ...keys.map(({ pipeline, key }) => ({
      name: `key:${key}`,
      add: () => erased.keys.add(`${pipeline} ${key}`),
    })),
    ...mails.map((mail) => ({ name: `mail:${mail}`, add: () => erased.mails.add(mail.toLowerCase()) })),
  ]
  for (const { name, add } of chance.stream(`names of ${person}`).shuffled(names)) {
    const contacts = await ask(name, person, world)
    if (contacts === undefined) continue
    add()
    for (const contact of contacts) erased.contacts.add(contact)
  }
  // The command is a process of its own, or a daemon does it.
  if (chance.stream(`process ${person}`).happens(0.4)) beginLife(world)
  const linked = await linkedRecords(world)
  erasures.push({ person, request: ledger.requests.length, at: timeline.now(), linked, ...erased })
  const name = `canx${person}x`
  // A mail that two persons have had stays with the other one.
  if (rowsOf(read).some(({ row }) => personOf(row) !== person && mailOf(row).includes(name))) return
  if (erased.keys.size + erased.mails.size > 0 && isInState(name, world.program.file))
    violated('erased', `the state still holds person ${person}`)
}

async function linkedRecords({ program, setup, sources }: World): Promise<ReadonlySet<string>> {
  const linked = new Set<string>()
  for (const pipeline of setup.pipelines) {
    const rows = rowsOf({ sources, pipelines: [pipeline] })
    const keys = [...new Set(rows.flatMap(({ row }) => keyOf(row, pipeline) ?? []))]
    const known = await program.state.known(pipeline.name, keys)
    keys.forEach((key, index) => {
      if (known[index]?.link !== undefined) linked.add(`${pipeline.name} ${key}`)
    })
  }
  return linked
}

/** No run is active. */
export async function eraseSomeone(world: World): Promise<void> {
  const { schedule, chance, begun, setup, sources, erasures } = world
  const draws = chance.stream(`erase ${begun.length}`)
  if (schedule.isErased !== true || !draws.happens(0.6)) return
  const rows = rowsOf({ sources, pipelines: setup.pipelines }).map(({ row }) => personOf(row))
  const people = [...new Set(rows)].filter((one) => one !== undefined)
  const left = people.filter((person) => !erasures.some((one) => one.person === person))
  if (left.length > 0) await eraseOne(draws.pick(left), world)
}

interface Erased {
  readonly claims: Claims
  readonly erasures: readonly Erasure[]
}

/** Whether a record may count as erased: by its key, an address that it has, or the contact that it had. */
export const mayBeErased = (
  { stamp, key, mail }: { stamp: string; key: string; mail: string },
  pipeline: string,
  { claims, erasures }: Erased,
): boolean =>
  erasures.some(
    ({ person, keys, mails, contacts, linked }) =>
      personIn(stamp) === person ||
      keys.has(`${pipeline} ${key}`) ||
      (mails.has(mail.toLowerCase()) && !linked.has(`${pipeline} ${key}`)) ||
      claims.of(stamp).some(({ contact }) => contacts.has(contact)),
  )

const mailIn = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')

/** Whether what was done at the contact is told without its values: who had one of their addresses was meant as well. */
export const isErasedContact = (
  contact: number,
  { claims, erasures, ledger }: Erased & { readonly ledger: Ledger },
): boolean =>
  erasures.some(
    ({ person, mails, contacts }) =>
      contacts.has(contact) ||
      claims.stampsOf(contact).some((stamp) => personIn(stamp) === person) ||
      ledger.effects.some(
        ({ contact: id, fields }) => id === contact && mails.has(mailIn(fields['mail']?.after)),
      ),
  )

interface Judged extends Erased {
  readonly ledger: Ledger
  readonly pipelines: readonly PipelineSettings[]
  readonly sources: ReadonlyMap<string, SimulatedSource>
  readonly violated: (oracle: string, text: string) => void
}

/** It brings a record that was erased, or asks for an address that nobody else has. */
function isAbout({ path, body }: RequestEntry, { person, keys, mails }: Erasure, judged: Judged): boolean {
  const text = `${decodeURIComponent(path)} ${JSON.stringify(body ?? '')}`.toLowerCase()
  const read = { sources: judged.sources, pipelines: judged.pipelines }
  if ([...mails].some((mail) => text.includes(mail) && !isShared(mail, person, read))) return true
  return [...keys].some((one) => text.includes(`${one.split(' ')[0]}.canx${person}x"`.toLowerCase()))
}

/** To a contact that no record names but those that were erased; one that came later, without an address, is not known as theirs. */
function isAtTheirs({ path }: RequestEntry, erasure: Erasure, { claims, pipelines }: Judged): boolean {
  const { person, keys, mails, contacts } = erasure
  const id = Number(path.split('/')[2])
  const isKnown = (stamp: string): boolean => {
    const { name, key } = pipelines.find((one) => one.name === pipelineOf(stamp)) ?? {}
    return key === undefined ? mails.size > 0 : keys.has(`${name} ${name}${person}`)
  }
  return contacts.has(id) && claims.stampsOf(id).every((one) => personIn(one) === person && isKnown(one))
}

/** Rows of theirs that were archived since. */
function archivedOf({ keys, at: since }: Erasure, { pipelines, sources }: Judged): string[] {
  return pipelines.flatMap((pipeline) =>
    (sources.get(pipeline.name)?.putAway ?? [])
      .filter(({ at }) => at > since)
      .flatMap(({ file, leftOut }) =>
        file.rows.flatMap((row, index) => {
          const isTheirs = keys.has(`${pipeline.name} ${keyOf(row, pipeline) ?? ''}`)
          return isTheirs && !leftOut.has(index) ? [`${file.input.name}, line ${index + 2}`] : []
        }),
      ),
  )
}

/** What was sent since, and which of their rows were archived. */
export function checkErased(judged: Judged): void {
  const { erasures, ledger, violated } = judged
  for (const erasure of erasures) {
    const { person, request } = erasure
    const told = ledger.requests
      .slice(request)
      .filter((one) => isAbout(one, erasure, judged) || (isWrite(one) && isAtTheirs(one, erasure, judged)))
    for (const { method, path } of told.slice(0, 3))
      violated('erased', `person ${person} was erased, and ${method} ${path} was sent about them`)
    for (const where of archivedOf(erasure, judged).slice(0, 3))
      violated('erased', `person ${person} was erased, and archived: ${where}`)
  }
}
