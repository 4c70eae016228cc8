// An operator corrects a rejected row in a real browser, against a running daemon: from the list of rejects to the contact at the
// service. Pictures of the form are left in test/browser/pictures.
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from '../support/cli.ts'
import { openBrowser, openWindow, PICTURES, SCREENS, violations } from './chromium.ts'

const TOKEN = 'the-token-of-anna-5c1e'
const CONFIGURATION = `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
state: { path: state/contact-sync.db }
server: { port: 0, users: [{ name: anna, role: operator, token: ${TOKEN} }] }
pipelines:
  shop:
    schedule: "0 6 1 1 *"
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last, ba_country: country }
`

let shop: Workshop
let browser: Browser
let url = ''
let end: () => Promise<unknown>
beforeAll(async () => {
  shop = await openWorkshop()
  browser = await openBrowser()
  await shop.configure(CONFIGURATION)
  await shop.drop('shop', 'people.csv', 'no,mail,first,last,country\nK1,ann at example.com,Ann,Bell,DE\n')
  await shop.cli('run')
  const daemon = shop.start('start')
  const log = await daemon.stderrHas(/daemon started/)
  url = `http://127.0.0.1:${/"port":(\d+)/.exec(log)?.[1] ?? ''}`
  end = async () => {
    daemon.process.kill('SIGTERM')
    await daemon.ended
  }
})
afterAll(async () => {
  await browser.close()
  await end()
  await shop.close()
})

async function expectGood(page: Page, name: string): Promise<void> {
  for (const screen of ['wide', 'narrow'] as const) {
    await page.setViewportSize(SCREENS[screen].viewport)
    await page.screenshot({ path: join(PICTURES, `${screen}-${name}.png`), fullPage: true })
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect([name, await violations(page), await page.evaluate(over)]).toEqual([name, [], 0])
  }
  await page.setViewportSize(SCREENS.wide.viewport)
}

it('a wrong address is set right: refused once, confirmed, sent by the next run, and dropped', async () => {
  const { page } = await openWindow(browser, SCREENS.wide)
  await page.goto(`${url}/rejects`)
  await page.getByLabel('Token').fill(TOKEN)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Correct …' }).click()
  expect(await page.getByLabel('mail', { exact: true }).inputValue()).toBe('ann at example.com')
  await expectGood(page, 'correct')
  await page.getByLabel('mail', { exact: true }).fill('ann@')
  await page.getByLabel('family_name').fill('Bell-Weber')
  await page.getByRole('button', { name: 'Check these values …' }).click()
  expect(await page.locator('main').innerText()).toContain('Nothing was noted: a value is not accepted.')
  expect(await page.getByLabel('family_name').inputValue()).toBe('Bell-Weber')
  await expectGood(page, 'correct-refused')
  await page.getByLabel('mail', { exact: true }).fill('ann@example.com')
  await page.getByRole('button', { name: 'Check these values …' }).click()
  await expectGood(page, 'correct-confirm')
  await page.getByLabel('Reason').fill('asked by phone')
  await page.getByRole('button', { name: 'Correct 2 fields' }).click()
  expect(await page.locator('main').innerText()).toContain('The next run of shop maps record K1 with it.')
  const run = await shop.cli('run', 'shop')
  expect(run.code).toBe(0)
  expect(await shop.contacts('ann@example.com', 'family_name')).toMatchObject([{ family_name: 'Bell-Weber' }])
  await page.goto(`${url}/rejects`)
  expect(await page.locator('main').innerText()).toContain('No record is rejected.')
  await page.getByRole('link', { name: 'Corrections', exact: true }).click()
  expect(await page.locator('tbody tr').count()).toBe(2)
  await expectGood(page, 'corrections')
  await page.locator('tr', { hasText: 'family_name' }).getByRole('button', { name: 'Drop …' }).click()
  await page.getByRole('button', { name: 'Drop it' }).click()
  expect(await page.locator('main').innerText()).toContain('Done.')
  await page.goto(`${url}/corrections?state=ended`)
  expect(await page.locator('tbody').innerText()).toMatch(/Bell-Weber[\s\S]*dropped by anna/)
  await expectGood(page, 'corrections-ended')
  await page.context().close()
})
