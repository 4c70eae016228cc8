// Finds texts that may be broken over lines, hundreds of them at once, in a time that hardly depends on how many they are. One regular
// expression of all would take milliseconds for each line of the log, and above some hundred texts none can be made.

export interface SecretForm {
  readonly text: string
  /** Both cases of the letters from A to Z are the same. */
  readonly isAnyCase: boolean
}

/** From the first character to the one after the last. */
export type SecretPlace = readonly [from: number, to: number]

/** What may be between any two characters: a line break or a space, as it is, as JSON writes it, or as mails are broken. */
const BREAK = /\s|\\[nrt]|=(?:\r?\n|(?:\\r?)?\\n)/y
/** The characters that a break may consist of. What is left without them is the same, broken or not: the core. */
const OF_BREAKS = /[\s\\=nrt]/i
const ASCII_OF_BREAKS = Array.from({ length: 128 }, (_, code) => OF_BREAKS.test(String.fromCharCode(code)))
/** So long is the part of a core by which it is found. */
const PART = 4

const inSmall = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

interface Core {
  readonly text: string
  /** Where each of its characters stands. */
  readonly places: readonly number[]
}

function coreOf(text: string): Core {
  const places: number[] = []
  let core = ''
  for (let at = 0; at < text.length; at += 1) {
    const isOfBreak = ASCII_OF_BREAKS[text.charCodeAt(at)] ?? OF_BREAKS.test(text.charAt(at))
    if (isOfBreak) continue
    core += text.charAt(at)
    places.push(at)
  }
  return { text: inSmall(core), places }
}

interface Sought extends SecretForm {
  readonly core: Core
}

/** Every place up to which breaks reach from these. */
function behindBreaks(text: string, places: ReadonlySet<number>): Set<number> {
  const reached = new Set(places)
  for (const at of reached) {
    BREAK.lastIndex = at
    if (BREAK.test(text)) reached.add(BREAK.lastIndex)
  }
  return reached
}

/** Where the sought text ends that begins here; undefined: it does not. */
function endOf({ text: sought, isAnyCase }: SecretForm, text: string, from: number): number | undefined {
  const isSame = (at: number, index: number): boolean => {
    const [one, other] = [text.charAt(at), sought.charAt(index)]
    return one === other || (isAnyCase && inSmall(one) === inSmall(other))
  }
  if (!isSame(from, 0)) return undefined
  let ends = new Set([from + 1])
  for (let index = 1; index < sought.length && ends.size > 0; index += 1) {
    const next = [...behindBreaks(text, ends)].filter((at) => at < text.length && isSame(at, index))
    ends = new Set(next.map((at) => at + 1))
  }
  return ends.size === 0 ? undefined : Math.max(...ends)
}

/** Between these places, both included, it may begin. */
function foundBetween(sought: Sought, text: string, [first, last]: SecretPlace): SecretPlace | undefined {
  for (let from = Math.max(first, 0); from <= last; from += 1) {
    const to = endOf(sought, text, from)
    if (to !== undefined) return [from, to]
  }
  return undefined
}

/** Those whose core is too short: at every place. */
function* foundAnywhere(texts: readonly Sought[], text: string): Generator<SecretPlace> {
  for (const sought of texts)
    for (let from = 0; from < text.length; from += 1) {
      const to = endOf(sought, text, from)
      if (to !== undefined) yield [from, to]
    }
}

/** Overlapping ones are one, in their order. */
function united(all: readonly SecretPlace[]): SecretPlace[] {
  const inOrder = [...all].sort(([one], [other]) => one - other)
  const result: [number, number][] = []
  for (const [from, to] of inOrder) {
    const last = result.at(-1)
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to)
    else result.push([from, to])
  }
  return result
}

/** Gives what finds them in a text; what overlaps is found as one. */
export function createSecretSearch(texts: readonly SecretForm[]): (text: string) => readonly SecretPlace[] {
  const all: Sought[] = texts.map((one) => ({ ...one, core: coreOf(one.text) }))
  const short = all.filter(({ core }) => core.text.length < PART)
  const byPart = new Map<string, Sought[]>()
  for (const one of all) {
    if (one.core.text.length < PART) continue
    const part = one.core.text.slice(0, PART)
    const alike = byPart.get(part)
    if (alike === undefined) byPart.set(part, [one])
    else alike.push(one)
  }
  return (text) => {
    const core = coreOf(text)
    const found: SecretPlace[] = [...foundAnywhere(short, text)]
    for (let index = 0; index + PART <= core.text.length; index += 1) {
      const candidates = byPart.get(core.text.slice(index, index + PART)) ?? []
      for (const sought of candidates) {
        if (!core.text.startsWith(sought.core.text, index)) continue
        // Characters of its own that could be those of a break stand before its core.
        const lead = sought.core.places[0] ?? 0
        const last = (core.places[index] ?? 0) - lead
        const first = lead === 0 ? last : (core.places[index - 1] ?? -1) + 1
        const one = foundBetween(sought, text, [first, last])
        if (one !== undefined) found.push(one)
      }
    }
    return united(found)
  }
}
