// A daemon as an office has it, with a past: real runs of the real program over real files have left contacts, changes
// over several runs, rejects, a plan that a guard holds, and creates whose answer was lost with their process.
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { openWorkshop, type Running, type Workshop } from '../support/cli.ts'

export const TOKEN = 'a-token-for-the-browser-7b1f'
/** A name that would run, were it ever taken for markup, and one that turns what follows around. */
export const EVIL = '<script>document.title="owned"</script>'
const TURNED = 'Anna\u202egnp.exe'

const SAMPLES = resolve(import.meta.dirname, '../../config/samples')

const CONFIGURATION = `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4, per_day: 50000 }
  retry: { attempts: 2, max_delay: 1s }
  doubt: { quiesce: 200ms, absent_reads: 1 }
state: { path: state/contact-sync.db }
server: { port: 0, token: ${TOKEN} }
pipelines:
  shop:
    schedule: "0 6 * * *"
    timezone: Europe/Berlin
    source: { type: csv, folder: inbox/shop, settle: 0s }
    mode: full
    on_missing: delete
    key: customer_no
    map:
      mail: E-Mail
      first_name: Vorname
      family_name: Nachname
      company: Firma
      phone: Telefon
      ba_street: Straße
      ba_postal_code: PLZ
      ba_city: Ort
      ba_country: Land
    terms: { policy: managed, assign: [Customer, { name: Newsletter, when: 'record["Newsletter"] == "ja"' }] }
  crm:
    schedule: "*/30 * * * *"
    source: { type: json, folder: inbox/crm, records: results, settle: 0s }
    key: id
    where: record["lifecycle"] == "customer"
    map:
      mail: properties.email
      first_name: properties.firstname
      family_name: properties.lastname
      company: properties.company
    terms: { assign: [Lead] }
  fair:
    duplicate_check_method: none
    source: { type: csv, folder: inbox/fair, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last, company: company }
`

export interface World {
  readonly url: string
  readonly shop: Workshop
  /** A contact that was made and then changed twice: its id at the service and its mail. */
  readonly moved: { readonly id: number; readonly mail: string }
  close(): Promise<void>
}

const shopExport = async (): Promise<string[]> =>
  (await readFile(resolve(SAMPLES, 'shop.csv'), 'utf8')).split('\r\n')

const moves = (lines: readonly string[], keys: readonly string[], street: string): string[] =>
  lines.map((line) =>
    keys.some((key) => line.startsWith(`${key};`)) ? line.replace(/;Ring \d+;/, `;${street};`) : line,
  )

async function pastOf(shop: Workshop): Promise<void> {
  const lines = await shopExport()
  await copyFile(resolve(SAMPLES, 'crm.json'), shop.path('inbox', 'crm', 'crm.json'))
  await shop.drop('shop', 'customers-monday.csv', lines.join('\r\n'))
  await shop.cli('run')
  const moved = moves(lines, ['S10003', 'S10042', 'S10117'], 'Neuer Weg 7').map((line) =>
    line.startsWith('S10003;') ? line.replace(/;ja$/, ';nein') : line,
  )
  await shop.drop('shop', 'customers-tuesday.csv', moved.join('\r\n'))
  await shop.cli('run', 'shop')
  const again = moves(
    moved.map((line) => line.replace('Neuer Weg 7', 'Ring 1')),
    ['S10003'],
    'Am Markt 12',
  ).map((line) => (line.startsWith('S10050;') ? line.replace(/@[^;]*/, '') : line))
  await shop.drop('shop', 'customers-wednesday.csv', again.join('\r\n'))
  await shop.cli('run', 'shop')
  // Half of the customers are missing: the export was not complete.
  await shop.drop('shop', 'customers-thursday.csv', [...again.slice(0, 60), ''].join('\r\n'))
  await shop.cli('run', 'shop')
}

/** A fair's list, and a process that dies with its creates on their way. */
async function lostAnswers(shop: Workshop): Promise<void> {
  const people = [
    `F1,f1@fair.example,${EVIL},Böse,"${'Very long company name and Söhne '.repeat(6).trim()}"`,
    `F2,f2@fair.example,${TURNED},Umgekehrt,ACME`,
    'F3,not a mail,Carla,Kaputt,ACME',
    'F4,f4@fair.example,Dora,Dorn,ACME',
  ]
  await shop.drop('fair', 'visitors.csv', ['no,mail,first,last,company', ...people, ''].join('\n'))
  await shop.cli('run', 'fair')
  await shop.drop(
    'fair',
    'late.csv',
    'no,mail,first,last,company\nF9,,Ida,Immerda,ACME\nF10,f10@fair.example,Jo,Jung,ACME\n',
  )
  const writes = shop.writes()
  const run = shop.start('run', 'fair')
  while (shop.writes() === writes && run.process.exitCode === null)
    await new Promise((wake) => setImmediate(wake))
  run.process.kill('SIGKILL')
  await run.ended
}

async function startedDaemon(shop: Workshop): Promise<{ daemon: Running; url: string }> {
  const daemon = shop.start('start')
  const log = await daemon.stderrHas(/daemon started/)
  return { daemon, url: `http://127.0.0.1:${/"port":(\d+)/.exec(log)?.[1] ?? ''}` }
}

export async function openWorld(): Promise<World> {
  const shop = await openWorkshop({ latencyMs: 40 })
  for (const inbox of ['crm', 'fair']) await mkdir(shop.path('inbox', inbox), { recursive: true })
  await shop.configure(CONFIGURATION)
  await pastOf(shop)
  await lostAnswers(shop)
  const mail = /S10003;([^;]*);/.exec((await shopExport()).join('\n'))?.[1] ?? ''
  const [contact] = await shop.contacts(mail, 'id')
  const { daemon, url } = await startedDaemon(shop)
  return {
    url,
    shop,
    moved: { id: Number(contact?.['id']), mail },
    async close() {
      daemon.process.kill('SIGTERM')
      await daemon.ended
      await shop.close()
    },
  }
}
