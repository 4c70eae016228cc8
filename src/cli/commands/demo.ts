// `demo`: the whole process on sample exports, against a sandbox, in a temporary folder.
import { EXIT } from '../../core/words/exit-codes.ts'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installed } from '../../installation.ts'
import { startSandbox } from '../../sandbox/server.ts'
import { systemClock as clock } from '../../system.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { plan } from './plan.ts'
import { listRejects } from './rejects.ts'
import { run } from './run.ts'
import { status } from './status.ts'

const SAMPLES = installed('config/samples')
const INBOXES = { outlook: 'outlook-de.csv', shop: 'shop.csv', crm: 'crm.json' } as const
const API_KEY = 'demo-key-of-the-sandbox'
/** Three customers move house between two exports. */
const MOVED = ['S10003', 'S10042', 'S10117']

type Writes = () => number

async function dropSamples(folder: string): Promise<void> {
  for (const [inbox, file] of Object.entries(INBOXES)) {
    await mkdir(join(folder, 'inbox', inbox), { recursive: true })
    await copyFile(join(SAMPLES, file), join(folder, 'inbox', inbox, file))
  }
}

async function dropChangedShop(folder: string): Promise<void> {
  const text = await readFile(join(SAMPLES, INBOXES.shop), 'utf8')
  const lines = text
    .split('\r\n')
    .map((line) =>
      MOVED.some((key) => line.startsWith(key)) ? line.replace(/;Ring (\d+);/, ';Neuer Weg $1;') : line,
    )
  await writeFile(join(folder, 'inbox', 'shop', INBOXES.shop), lines.join('\r\n'))
}

function chapter(io: Io, number: number, title: string): void {
  print(io, ['', `${number}. ${title}`, ''])
}

/** How many requests that write were sent for records that had changed, and for the same files once more. */
interface Shown {
  readonly changes: number
  readonly writes: number
  readonly writesOfUnchanged: number
}

async function story(io: Io, options: CommonOptions, folder: string, writes: Writes): Promise<Shown> {
  chapter(io, 1, 'Three exports are in their inboxes: an Outlook address book, a web shop, a CRM.')
  await dropSamples(folder)
  await run(io, options, [])
  chapter(
    io,
    2,
    'One record could not be sent. It is kept with its reason, to be corrected and dropped again.',
  )
  await listRejects(io, options, [])
  chapter(io, 3, 'The shop exports again; three customers have moved. What would a run do?')
  await dropChangedShop(folder)
  await plan(io, options, ['shop'])
  chapter(io, 4, 'The run does exactly that.')
  const before = writes()
  await run(io, options, ['shop'])
  const sent = writes() - before
  chapter(io, 5, 'The same files once more: nothing has changed, so nothing is sent.')
  await dropChangedShop(folder)
  await copyFile(join(SAMPLES, INBOXES.crm), join(folder, 'inbox', 'crm', INBOXES.crm))
  const unchanged = writes()
  await run(io, options, ['shop', 'crm'])
  const again = writes() - unchanged
  chapter(io, 6, 'The status afterwards.')
  await status(io, options, [])
  print(io, ['', `${sent} writes for ${MOVED.length} changes, ${again} writes for none.`])
  return { changes: MOVED.length, writes: sent, writesOfUnchanged: again }
}

/** Ends with 0 when everything went as told, with 1 when it did not. */
export async function demo(outer: Io, { json = false }: CommonOptions): Promise<number> {
  const io = json ? { ...outer, stdout: outer.stderr } : outer
  const folder = await mkdtemp(join(tmpdir(), 'contact-sync-demo-'))
  const sandbox = await startSandbox({ port: 0, apiKey: API_KEY, clock })
  try {
    print(
      io,
      'contact-sync demo: everything here happens in a sandbox on this machine, and is removed at the end.',
    )
    const config = join(folder, 'contact-sync.yaml')
    await copyFile(join(SAMPLES, 'demo.yaml'), config)
    const env = { ...io.env, DEMO_BASE_URL: sandbox.url, DEMO_API_KEY: API_KEY }
    const writes = (): number => sandbox.requests().filter(({ method }) => method !== 'GET').length
    const shown = await story({ ...io, env }, { config }, folder, writes)
    const went = shown.writes === shown.changes && shown.writesOfUnchanged === 0
    print(
      io,
      went ? 'Next: README.md, "Your first pipeline, in five minutes".' : 'This result was not expected.',
    )
    if (json)
      printJson(outer, {
        as_expected: went,
        changes: shown.changes,
        writes: shown.writes,
        writes_of_unchanged: shown.writesOfUnchanged,
      })
    return went ? EXIT.done : EXIT.fault
  } finally {
    await sandbox.close()
    await rm(folder, { recursive: true, force: true })
  }
}
