// Edits by hand in a large pipeline, by the real command line: what 1,000 of 10,000 contacts have got at the service stays,
// what changed in the source arrives, and contacts that are not written are not read.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'many-edits-key'
const CONTACTS = 10_000
const EDITED = 1000
const CHANGED = 500
/** Edited contacts whose source changes the edited field; some of them have another change, too. */
const CONFLICTS = 200

const configuration = (url: string, concurrency: number): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 100000, per: 1s, concurrency: ${concurrency} }, bulk: { size: 500 } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    mode: full
    key: no
    hand_edits: keep
    map: { mail: mail, first_name: first, phone: phone }
`

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock, control: true })
  place = await openPlace({ THE_KEY: KEY })
  // One at a time: the contacts get their ids in the order of the file.
  await place.write('config.yaml', configuration(sandbox.url, 1))
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
const contactUrl = (of: string | number): string => `${sandbox.url}/public/api/V1/contact/${of}`
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Requests for one contact since so many, by method. */
function sentSince(before: number, method: string): string[] {
  const requests = sandbox.requests().slice(before)
  return requests.filter((one) => one.method === method && /\/contact\/\d+$/.test(one.path)).map(pathOf)
}
const pathOf = ({ path }: { readonly path: string }): string => path

async function inGroups(count: number, act: (number: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += 50)
    await Promise.all(numbers(50).map((index) => act(from + index)))
}

const isConflict = (number: number): boolean => number <= CONFLICTS
/** Some are conflicts as well, some were edited in the other field, some were not edited. */
const isChanged = (number: number): boolean =>
  [CONFLICTS / 2, EDITED].some((from) => number > from && number <= from + CHANGED / 2)

function file(isSecond: boolean): string {
  const rows = numbers(CONTACTS).map((number) => {
    const first = isSecond && isChanged(number) ? `Anne${number}` : `Ann${number}`
    const phone = isSecond && isConflict(number) ? `2${number}` : `1${number}`
    return `K${number},p${number}@example.com,${first},${phone}`
  })
  return ['no,mail,first,phone', ...rows, ''].join('\n')
}

async function editByHand(): Promise<void> {
  await inGroups(EDITED, async (number) => {
    const body = JSON.stringify({ phone: `by hand ${number}` })
    expect((await fetch(contactUrl(number), { method: 'PUT', headers, body })).status).toBe(200)
  })
}

async function shown(number: number): Promise<unknown> {
  const answer = await fetch(`${contactUrl(number)}?fields=mail,first_name,phone`, { headers })
  const { mail, first_name: first, phone } = (await answer.json()) as Record<string, unknown>
  return [mail, first, phone]
}

const expected = (number: number): unknown => [
  `p${number}@example.com`,
  isChanged(number) ? `Anne${number}` : `Ann${number}`,
  number <= EDITED ? `by hand ${number}` : `1${number}`,
]

it('keeps 1,000 edits, sends 500 changes, lists each conflict once and reads what it writes once', async () => {
  await place.write('inbox/1.csv', file(false))
  expect(await place.json('run')).toMatchObject({ pipelines: [{ created: CONTACTS }] })
  await editByHand()
  await place.write('config.yaml', configuration(sandbox.url, 8))
  await place.write('inbox/2.csv', file(true))
  const before = sandbox.requests().length
  expect(await place.json('run')).toMatchObject({
    pipelines: [{ read: CONTACTS, updated: CHANGED, deleted: 0, held: 0, failed: 0, kept_edits: CONFLICTS }],
  })
  expect(new Set(sentSince(before, 'PUT')).size).toBe(CHANGED)
  const looks = sentSince(before, 'GET')
  const changedOrConflict = numbers(CONTACTS).filter((number) => isConflict(number) || isChanged(number))
  expect([looks.length, new Set(looks).size]).toEqual([changedOrConflict.length, changedOrConflict.length])
  await inGroups(EDITED + CHANGED, async (number) => expect(await shown(number)).toEqual(expected(number)))

  const { edits } = (await place.json('edits', 'list')) as { edits: Record<string, unknown>[] }
  const values = edits.map(({ key, field, sent, service, source }) => ({ key, field, sent, service, source }))
  const conflicts = numbers(CONFLICTS).map((number) => ({
    ...{ key: `K${number}`, field: 'phone', sent: `1${number}` },
    ...{ service: `by hand ${number}`, source: `2${number}` },
  }))
  const byKey = (one: { key: unknown }, other: { key: unknown }): number =>
    String(one.key).localeCompare(String(other.key))
  expect(values.sort(byKey)).toEqual(conflicts.sort(byKey))

  // The same export once more: nothing is written, and every conflict is still listed once.
  const settled = sandbox.requests().length
  await place.write('inbox/3.csv', file(true))
  expect(await place.json('run')).toMatchObject({ pipelines: [{ updated: 0, unchanged: CONTACTS }] })
  expect(sentSince(settled, 'PUT')).toEqual([])
  expect(await place.json('edits', 'list')).toMatchObject({ edits: { length: CONFLICTS } })
}, 90_000)
