// People decide in a real browser against a daemon that is busy with a long run: release, drop, approve, pause, resume and run;
// the daemon is killed between the question and the answer. What came of each stands in the sync log with its name.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { openWorkshop, type Running, type Workshop } from '../support/cli.ts'
import { openBrowser, openWindow, PICTURES, SCREENS } from './chromium.ts'

const TOKENS = {
  anna: 'the-token-of-anna-5c1e',
  bert: 'the-token-of-bert-77d2',
  cora: 'the-token-of-cora-0f3a',
}
const FULL = `
    source: { type: csv, folder: inbox/NAME, settle: 0s }
    mode: full
    on_missing: delete
    key: no
    map: { mail: mail, first_name: first, family_name: last }`
const configuration = `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 100, per: 1s, concurrency: 4 }
state: { path: state/contact-sync.db }
server:
  port: 0
  users:
    - { name: anna, role: operator, token: ${TOKENS.anna} }
    - { name: bert, role: approver, token: ${TOKENS.bert} }
    - { name: cora, role: approver, token: ${TOKENS.cora} }
approvals: [{ pipelines: [club], when: { deletes: 1 }, by: 2 }]
pipelines:
  shop:${FULL.replace('NAME', 'shop')}
    guards: { max_deletes: 0, max_deletes_per: off }
  club:${FULL.replace('NAME', 'club')}
    guards: { max_deletes: 100%, max_deletes_per: off }
  news:
    source: { type: csv, folder: inbox/news, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }
    terms: { policy: managed, create_missing: true, assign: [{ column: last }] }
    guards: { brake: { terms: [Newsletter], above: 5, first: 2, watch: 24h, stop_when: { refused: 10% } } }
  busy:
    source: { type: csv, folder: inbox/busy, settle: 0s }
    update_via: id
    key: no
    map: { mail: mail, first_name: first, family_name: last }
`

const people = (name: string, count: number, last = 'Berg'): string =>
  [
    'no,mail,first,last',
    ...Array.from({ length: count }, (_, at) => `${name}${at},${name}${at}@example.com,Ann ${at},${last}`),
    '',
  ].join('\n')

let shop: Workshop
let browser: Browser
let daemon: Running
let url = ''

async function startDaemon(): Promise<void> {
  daemon = shop.start('start')
  const log = await daemon.stderrHas(/daemon started/)
  url = `http://127.0.0.1:${/"port":(\d+)/.exec(log)?.[1] ?? ''}`
}

async function past(name: string, files: readonly string[]): Promise<void> {
  for (const [at, text] of files.entries()) {
    await shop.drop(name, `${at + 1}.csv`, text)
    await shop.cli('run', name)
  }
}

beforeAll(async () => {
  shop = await openWorkshop({ latencyMs: 20 })
  browser = await openBrowser()
  await shop.configure(configuration)
  for (const name of ['club', 'news', 'busy']) await mkdir(shop.path('inbox', name), { recursive: true })
  await past('shop', [people('s', 12), people('s', 8)])
  await past('club', [people('c', 6), people('c', 4)])
  await past('news', [people('n', 20, 'Newsletter')])
  await past('busy', [people('b', 3000)])
  await startDaemon()
  await shop.drop('busy', '2.csv', people('b', 3000, 'Tal'))
})
afterAll(async () => {
  await browser.close()
  daemon.process.kill('SIGTERM')
  await daemon.ended
  await shop.close()
})

async function signedIn(name: keyof typeof TOKENS): Promise<Page> {
  const { page } = await openWindow(browser, { ...SCREENS.wide, javaScriptEnabled: false })
  page.setDefaultTimeout(20_000)
  await page.goto(url)
  await page.getByLabel('Token').fill(TOKENS[name])
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

const main = (page: Page): Promise<string> => page.locator('main').innerText()

async function picture(page: Page, name: string): Promise<void> {
  for (const screen of ['wide', 'narrow'] as const) {
    await page.setViewportSize(SCREENS[screen].viewport)
    await page.screenshot({ path: join(PICTURES, `${screen}-${name}.png`), fullPage: true })
  }
  await page.setViewportSize(SCREENS.wide.viewport)
}

const log = z.object({
  entries: z.array(
    z.looseObject({ action: z.string(), by: z.string().optional(), note: z.string().nullish() }),
  ),
})
const entries = async (action: string) =>
  log.parse(JSON.parse((await shop.cli('audit', 'list', '--action', action, '--json')).stdout)).entries

/** Asks, says why, and confirms. */
async function decide(page: Page, button: string, confirm: RegExp): Promise<string> {
  await page.getByRole('button', { name: button }).first().click()
  await page.getByLabel('Reason').fill('as agreed')
  await page.getByRole('button', { name: confirm }).click()
  return main(page)
}

it('a long run is started, and while it goes on everything else is decided', async () => {
  const page = await signedIn('anna')
  expect(await main(page)).toContain('Needs attention')
  await page.screenshot({ path: join(PICTURES, 'wide-decide-overview.png'), fullPage: true })
  await page.locator('tr', { hasText: 'busy' }).getByRole('button', { name: 'Run …' }).click()
  await page.getByRole('button', { name: 'Run now' }).click()
  expect(await main(page)).toContain('The run was asked for')
  await daemon.stderrHas(/"pipeline":"busy"/)

  // A plan that a guard holds: with the names of those whom it is about.
  await page.goto(`${url}/held?pipeline=shop`)
  expect(await main(page)).toContain('s9@example.com')
  await picture(page, 'decide-held')
  await page.getByRole('button', { name: 'Release …' }).first().click()
  expect(await main(page)).toContain('shop: 4 changes held by max_deletes')
  await page.getByLabel('Reason').fill('they have left us')
  await page.getByRole('button', { name: 'Release 4 changes' }).dblclick()
  await page.waitForLoadState()
  await expect.poll(() => entries('release')).toMatchObject([{ by: 'anna', note: 'they have left us' }])
  await page.goto(`${url}/held?pipeline=shop`)
  expect(await main(page)).toContain('released')

  // What approvers must release: an operator finds no button, and one approver is not enough, however often.
  await page.goto(`${url}/held?pipeline=club`)
  expect(await page.getByRole('button', { name: 'Release …' }).count()).toBe(0)
  expect(await main(page)).toContain('2 different approvers must release them.')
  const bert = await signedIn('bert')
  for (const told of ['Done.', 'Nothing new was decided.']) {
    await bert.goto(`${url}/held?pipeline=club`)
    expect(await decide(bert, 'Release …', /^Release/)).toContain(told)
  }
  await bert.goto(`${url}/held?pipeline=club`)
  expect(await main(bert)).toContain('So far: bert.')
  await picture(bert, 'decide-approval')

  // The daemon is killed between the question and the answer: nothing was taken, and the same can be decided again.
  const cora = await signedIn('cora')
  await cora.goto(`${url}/held?pipeline=club`)
  await cora.getByRole('button', { name: 'Release …' }).first().click()
  daemon.process.kill('SIGKILL')
  await daemon.ended
  await cora
    .getByRole('button', { name: /^Release/ })
    .click()
    .catch(() => undefined)
  await startDaemon()
  expect(await entries('approve')).toMatchObject([{ by: 'bert' }])
  const again = await signedIn('cora')
  await again.goto(`${url}/held?pipeline=club`)
  expect(await decide(again, 'Release …', /^Release/)).toContain('Done.')
  expect(await entries('approve')).toMatchObject([{ by: 'cora' }, { by: 'bert' }])
  expect((await entries('release')).length).toBe(2)
})

it('a run is paused and resumed, and a brake is decided record by record', async () => {
  const page = await signedIn('anna')
  const row = page.locator('tr', { hasText: 'busy' })
  await row.getByRole('button', { name: 'Run …' }).click()
  await page.getByRole('button', { name: 'Run now' }).click()
  await daemon.stderrHas(/"pipeline":"busy"/)
  await page.goto(url)
  await row.getByRole('button', { name: 'Pause …' }).click()
  await page.getByLabel('Reason').fill('the service is slow')
  await page.getByRole('button', { name: 'Pause it' }).click()
  expect(await main(page)).toContain('Done.')
  await page.goto(url)
  expect(await main(page)).toContain('by anna: the service is slow')
  await picture(page, 'decide-paused')
  await row.getByRole('button', { name: 'Resume …' }).click()
  await page.getByRole('button', { name: 'Resume it' }).click()
  expect(await main(page)).toContain('Done.')
  expect(await entries('pause')).toMatchObject([{ by: 'anna', note: 'the service is slow' }])
  expect(await entries('resume')).toMatchObject([{ by: 'anna' }])

  await page.goto(`${url}/brakes`)
  expect(await main(page)).toContain('the first contacts are watched')
  await picture(page, 'decide-brakes')
  await page.getByRole('link', { name: '18 contacts of news' }).click()
  await picture(page, 'decide-brake-held')
  const [key = ''] = await page.locator('tbody tr th').allInnerTexts()
  const record = /n\d+/.exec(key)?.[0] ?? ''
  await page.locator('tbody tr').first().getByRole('button', { name: 'Release …' }).click()
  expect(await main(page)).toContain('The next run sends exactly these')
  await page.getByRole('button', { name: 'Release these changes' }).click()
  expect(await main(page)).toContain('Done.')
  await page.goto(`${url}/brakes`)
  await page.getByRole('link', { name: '17 contacts of news' }).click()
  expect(await main(page)).not.toContain(`${record}@example.com`)
  expect(await decide(page, 'Drop …', /^Drop/)).toContain('Done.')
  await page.goto(`${url}/brakes`)
  expect(await main(page)).not.toContain('contacts of news')
  expect((await shop.cli('audit', 'verify')).code).toBe(0)
})
