// Where a process meets its end: at a request, in one of the phases that the proxy knows; at a write to the state;
// while files are archived; or at some moment of its start.
import { type FSWatcher, watch } from 'node:fs'
import type { Running } from '../support/cli.ts'
import type { Fault, Passing } from '../support/fault-proxy.ts'
import type { Seeded } from '../support/seeded.ts'
import { killFault } from './script.ts'
import type { Workplace } from './workplace.ts'

type Place = 'request' | 'state' | 'files' | 'start'

/** Of ten processes: how many are to end where. */
const PLACES: readonly Place[] = [
  'request',
  'request',
  'request',
  'request',
  'request',
  'state',
  'state',
  'state',
  'files',
  'start',
]

const LATEST_REQUEST = 12
const LATEST_STATE_WRITE = 60
const LATEST_FILE_EVENT = 6
const LATEST_START_MS = 300

/** Kills at the n-th thing that happens in a folder. */
function killAtEvent(running: Running, folder: string, nth: number): void {
  let seen = 0
  const watchers: FSWatcher[] = []
  watchers.push(
    watch(folder, { recursive: true }, () => {
      seen += 1
      if (seen === nth) running.process.kill('SIGKILL')
    }),
  )
  void running.ended.then(() => watchers.forEach((watcher) => watcher.close()))
}

function killAfter(running: Running, ms: number): void {
  const timer = setTimeout(() => running.process.kill('SIGKILL'), ms)
  void running.ended.then(() => clearTimeout(timer))
}

/** Every process that is started gets a separate point. */
export function killAnywhere(workplace: Workplace, random: Seeded): { onStart(running: Running): void } {
  const { shop, proxy } = workplace
  let fatal: { number: number; fault: Fault } | undefined
  workplace.script = ({ number }: Passing) => (number === fatal?.number ? fatal.fault : { kind: 'pass' })
  return {
    onStart(running) {
      const place = random.pick(PLACES)
      const nth = random.next()
      const upTo = (most: number): number => 1 + Math.floor(nth * most)
      fatal =
        place === 'request'
          ? { number: proxy.record.length + upTo(LATEST_REQUEST), fault: killFault(random) }
          : undefined
      if (place === 'state') killAtEvent(running, shop.path('state'), upTo(LATEST_STATE_WRITE))
      if (place === 'files') killAtEvent(running, shop.path('inbox'), upTo(LATEST_FILE_EVENT))
      if (place === 'start') killAfter(running, upTo(LATEST_START_MS))
    },
  }
}
