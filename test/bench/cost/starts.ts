// What it takes to start: commands beside a Node that does nothing. Measured from outside, by the shell: anything loaded
// into so short a process would be a good part of it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Bench, grouped } from './bench.ts'
import { median } from './median.ts'
import { MAIN } from '../../support/cli.ts'
import type { Place } from './place.ts'

const TIMES = 5
const ROUNDS = 3
const TIMED = `TIMEFORMAT='%U %S'; time for _ in {1..${TIMES}}; do "$@" >/dev/null || exit 1; done`

/** Milliseconds of the processor for one start. */
async function startMs(folder: string, args: readonly string[]): Promise<number> {
  const { stderr } = await promisify(execFile)('bash', ['-c', TIMED, 'bash', process.execPath, ...args], {
    cwd: folder,
    // Seconds with a point, whatever the language.
    env: { ...process.env, LC_ALL: 'C' },
  })
  const [user = NaN, system = NaN] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return ((user + system) * 1000) / TIMES
}

/** `place`: where `status` looks at the state of the bench's rows. */
export async function benchStarts(place: Place, { sheet, rows }: Bench): Promise<void> {
  const starts = [
    ['version', ['--version'], ''],
    ['help', ['--help'], ''],
    ['completion', ['completion', 'bash'], ''],
    ['status', ['status', '--config', 'config.yaml'], ` (${grouped(rows)} links)`],
  ] as const
  const add = sheet.begin(['start', 'CPU ms', 'node -e 0', 'ratio'])
  for (const [name, args, more] of starts) {
    const own: number[] = []
    const bare: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      own.push(await startMs(place.folder, [MAIN, ...args]))
      bare.push(await startMs(place.folder, ['-e', '0']))
    }
    const ratio = median(own.map((ms, round) => ms / (bare[round] ?? NaN)))
    add(name + more, median(own).toFixed(0), median(bare).toFixed(0), ratio.toFixed(2))
    sheet.judge(name, ratio)
  }
}
