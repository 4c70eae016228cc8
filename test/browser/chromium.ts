// Chromium as Debian has it (or wherever CHROMIUM says), without a window; the pages that a test opens in it, each with
// what went wrong in it, and pictures of them.
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { TOKEN } from './world.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
export const PICTURES = resolve(import.meta.dirname, 'pictures')

export const SCREENS = {
  wide: { viewport: { width: 1280, height: 900 } },
  narrow: { viewport: { width: 360, height: 740 }, hasTouch: true },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  'dark-narrow': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
} as const satisfies Record<string, BrowserContextOptions>

export type Screen = keyof typeof SCREENS

/** Throws where there is none: these tests are never passed over in silence. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = [process.env['CHROMIUM'] ?? '', ...PLACES].find((place) => existsSync(place))
  if (executablePath === undefined)
    throw new Error('no Chromium is installed: apt-get install chromium, or set CHROMIUM')
  await mkdir(PICTURES, { recursive: true })
  // As root, which CI often is, Chromium has no sandbox; it sees only pages of our own here.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

export interface Window {
  readonly page: Page
  /** What the browser complained of: errors, and whatever the policy refused. */
  readonly complaints: readonly string[]
}

export async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<Window> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints }
}

export async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Token').fill(TOKEN)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForSelector('nav.places')
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What axe finds wrong, by rule and place. Its script is let in by evaluation, past the policy that keeps scripts out. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'))
  const found = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
  )
}
