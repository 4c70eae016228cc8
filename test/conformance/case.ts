// What a case of the suite is: one sentence of the interface, and how to see whether it is true of a service.
import type { World } from './world.ts'

/** The sentence is not true of this service, and why. */
export class Broken extends Error {}

export interface Case {
  readonly id: string
  /** Of the interface's description. */
  readonly section: string
  readonly sentence: string
  /**
   * A rule: throws Broken where it does not hold; may give a remark. Open (the interface does not say): gives what the
   * service does, and cannot fail.
   */
  readonly kind: 'rule' | 'open'
  readonly check: (world: World) => Promise<string | undefined>
}

type Check = (world: World) => Promise<string | undefined>

const define =
  (kind: Case['kind']) =>
  (section: string) =>
  (id: string, sentence: string, check: Check): Case => ({ id, section, sentence, kind, check })

/** Both take the section first, so that a table of cases names it once. */
export const ruleOf = define('rule')
export const openOf = define('open')

export function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Broken(otherwise)
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? 'nothing' : text.length > 160 ? `${text.slice(0, 160)}...` : text
}

export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  must(shown(actual) === shown(expected), `${what} is ${shown(actual)} instead of ${shown(expected)}`)
}
