// `audit hand-over`: new entries of the sync log, to a collector of logs.
import { EXIT } from '../../core/words/exit-codes.ts'
import { plural } from '../../core/words/format.ts'
import { decided } from '../deciding.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'

interface HandOverOptions extends CommonOptions {
  readonly from?: number
}

export async function handOverLog(io: Io, { from, ...options }: HandOverOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  const args = from === undefined ? {} : { from }
  const done = await decided({ io, options, settings }, { kind: 'audit hand-over', args })
  if (options.json === true) printJson(io, done)
  else
    print(
      io,
      `${plural(done.entries, 'entry', 'entries')} handed over to ${done.to}, up to entry ${done.up_to}`,
    )
  return EXIT.done
}
