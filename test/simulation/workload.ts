// What a source says from day to day: people who come, go and change; and the mistakes that exports are made of.
import type { PipelineSettings } from '../../src/core/settings.ts'
import type { Chance } from './chance.ts'
import { hasStatus } from './consent.ts'
import { HEADER, type Person, rowOf } from './people.ts'

export interface Drop {
  readonly rows: readonly (readonly string[])[]
  readonly cutAfter: number | undefined
}

export interface Workload {
  /** The next export; undefined: none today. */
  nextDay(): Drop | undefined
  /** The last export again, as it should have been: without mistakes, with one more change. */
  mended(): readonly (readonly string[])[]
  /** The same with one more, whose mail_status shows whether the key may set it by now. */
  witnessed(): readonly (readonly string[])[]
}

const TAGS = ['T1', 'T2', 'T3', 'T4', 'Ä5']
const STATUSES = [2, 2, 2, 1, 3, 4, 4, 7]
/** No one else is that far from the first. */
const WITNESS = 40

function newcomer(number: number, chance: Chance, mayLackMail: boolean): Person {
  return {
    number,
    mailOf: mayLackMail && chance.happens(0.15) ? undefined : number,
    mailRevision: 0,
    revision: 0,
    phoneRevision: 0,
    hasPhone: chance.happens(0.8),
    tags: TAGS.filter(() => chance.happens(0.35)),
    status: chance.stream(`status of ${number}`).pick(STATUSES),
    consented: '',
  }
}

function changed(person: Person, chance: Chance, mayMove: boolean): void {
  switch (chance.int(mayMove ? 6 : 4)) {
    case 0:
      person.revision += 1
      break
    case 1:
      person.phoneRevision += 1
      person.hasPhone = true
      break
    case 2:
      person.tags = TAGS.filter(() => chance.happens(0.35))
      break
    case 3:
      person.hasPhone = !person.hasPhone
      break
    default:
      if (person.mailOf === person.number) person.mailRevision += 1
  }
}

/** Of the days of evidence: before everything, around today, and one that does not come. */
const EVIDENCE_DAYS = [-400, -2, -1, -1, 0, 0, 60]
const DAY_MS = 86_400_000

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** `isShared`: another pipeline speaks of the same people. */
export function createWorkload(
  pipeline: PipelineSettings,
  chance: Chance,
  { isShared, now }: { isShared: boolean; now: () => number },
): Workload {
  const { name, mode } = pipeline
  const hasOwnKey = pipeline.key !== undefined
  // A contact whose mail another pipeline has changed is not found by the mail that a lost create sent.
  const mayMove = hasOwnKey && !isShared
  // Under `auto` no contact without a mail is created with a 1 or 2 in a run that has not seen one taken.
  const mayLackMail = hasOwnKey && !(hasStatus(pipeline) && pipeline.duplicate_check_method === 'auto')
  const first = isShared || name === 'A' ? 1 : 51
  const present: Person[] = []
  let next = first
  let days = 0

  const isProven = pipeline.map['mail_status']?.require_evidence === true
  const evidenceOf = (draws: Chance): string =>
    !isProven || draws.happens(0.2) ? '' : dayOf(now() + draws.pick(EVIDENCE_DAYS) * DAY_MS)

  const join = (): void => {
    const consented = evidenceOf(chance.stream(`evidence of ${next}`))
    present.push({ ...newcomer(next, chance, mayLackMail), consented })
    next += 1
  }

  /** Mails that pass from one to another: a mail given up and taken in one export, swapped, or shared. */
  function passMails(): void {
    const owners = present.filter(({ mailOf, number }) => mailOf === number)
    const [one, other] = chance.shuffled(owners)
    if (one === undefined || other === undefined || isShared || !hasOwnKey || !mayMove) return
    const given = { mailOf: one.mailOf, mailRevision: one.mailRevision }
    switch (chance.int(3)) {
      case 0: {
        // The mail goes to a new person, and its owner gets another one.
        one.mailRevision += 1
        join()
        Object.assign(present.at(-1)!, given)
        break
      }
      case 1:
        Object.assign(one, { mailOf: other.mailOf, mailRevision: other.mailRevision })
        Object.assign(other, given)
        break
      default:
        Object.assign(other, given)
    }
  }

  function livePassing(): void {
    const joins = present.length === 0 ? chance.between(2, 8) : chance.int(3)
    for (let index = 0; index < joins; index += 1) join()
    for (const person of present) if (chance.happens(0.3)) changed(person, chance, mayMove)
    days += 1
    const moods = chance.stream(`statuses ${days}`)
    for (const person of present) if (moods.happens(0.2)) person.status = moods.pick(STATUSES)
    const forms = chance.stream(`evidence ${days}`)
    for (const person of present) if (forms.happens(0.4)) person.consented = evidenceOf(forms)
    if (chance.happens(0.12)) passMails()
    const stay = chance.pick([1, 1, 0.85, 0.3])
    for (const person of [...present])
      if (mode === 'full' && present.length > 1 && !chance.happens(stay))
        present.splice(present.indexOf(person), 1)
  }

  function rows(): string[][] {
    const named = mode === 'full' ? present : present.filter(() => chance.happens(0.75))
    const inOrder = chance.happens(0.3) ? chance.shuffled(named) : named
    return inOrder.map((person) => rowOf(person, name))
  }

  /** Rows as careless exports have them. */
  function withMistakes(clean: readonly string[][]): string[][] {
    const spoilt = clean.map((row) => [...row])
    const some = (): string[] | undefined => spoilt[chance.int(Math.max(1, spoilt.length))]
    const row = some()
    if (row === undefined) return spoilt
    switch (chance.int(6)) {
      case 0:
        row[1] = 'no mail at all'
        break
      case 1:
        if (hasOwnKey) row[0] = ''
        break
      case 2:
        row.push('one too many')
        break
      case 3:
      case 4: {
        const again = [...row]
        if (chance.happens(0.5)) again[2] = `${again[2] ?? ''}9`
        spoilt.push(again)
        break
      }
      default:
        row[HEADER.indexOf('tags')] = `Unknown ${name}`
    }
    return spoilt
  }

  let last: string[][] = []
  return {
    nextDay() {
      livePassing()
      if (chance.happens(0.1) && last.length > 0) return { rows: last, cutAfter: undefined }
      last = rows()
      const today = chance.happens(0.3) ? withMistakes(last) : last
      if (chance.happens(0.05)) return { rows: [], cutAfter: undefined }
      const cutAfter = chance.happens(0.05) ? chance.int(today.length + 1) : undefined
      return chance.happens(0.9) ? { rows: today, cutAfter } : undefined
    },
    mended: () => present.map((person) => rowOf(person, name)),
    witnessed() {
      const witness = newcomer(first + WITNESS, chance.stream('witness'), false)
      present.push({ ...witness, status: 4, tags: [], consented: dayOf(now() - DAY_MS) })
      return present.map((person) => rowOf(person, name))
    },
  }
}
