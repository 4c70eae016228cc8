// A decision as a command makes it: with the name of who decides, and told on the terminal.
import { type Waiting, decide } from '../app/decisions/deciding.ts'
import type { ArgsOf, KindName, ResultOf } from '../app/decisions/kinds.ts'
import type { Settings } from '../core/settings.ts'
import { decidedBy, type DecidingOptions } from './decided-by.ts'
import { type Io, printError } from './io.ts'

export const askingOf = (io: Io): Waiting => ({
  pid: io.pid,
  signal: io.signal,
  tell: (text) => printError(io, text),
})

interface Given<Name extends KindName> {
  readonly kind: Name
  readonly args: ArgsOf<Name>
  /** Asked before, where the kind has something to show; throws where the answer is no. */
  confirm?(facts: never): Promise<void>
}

/** Throws what the kind throws. */
export async function decided<Name extends KindName>(
  { io, options, settings }: { io: Io; options: DecidingOptions; settings: Settings },
  { kind, args, confirm }: Given<Name>,
): Promise<ResultOf<Name>> {
  const who = await decidedBy(io, options, settings)
  const confirming = confirm === undefined ? {} : { confirm: confirm as (facts: unknown) => Promise<void> }
  return decide(settings, { kind, args, decided: who }, { ...askingOf(io), ...confirming })
}
