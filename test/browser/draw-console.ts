// Draws docs/pictures/console.png, the picture of the console in the README: a contact of the browser tests' world, whose
// people are made up, with its changes. `npm run pictures`
import { resolve } from 'node:path'
import { openBrowser, openWindow, signIn } from './chromium.ts'
import { openWorld } from './world.ts'

const [world, browser] = await Promise.all([openWorld(), openBrowser()])
try {
  const { page } = await openWindow(browser, { viewport: { width: 860, height: 640 } })
  await signIn(page, world.url)
  await page.goto(`${world.url}/contacts/${world.moved.id}`)
  // The changes after the first: what was there before, and the file and line that each came from.
  const entries = page.locator('.life > li')
  const [first, last] = [await entries.nth(1).boundingBox(), await entries.last().boundingBox()]
  if (first === null || last === null) throw new Error('the page has no history')
  await page.screenshot({
    path: resolve(import.meta.dirname, '../../docs/pictures/console.png'),
    fullPage: true,
    clip: { x: 0, y: first.y - 12, width: 860, height: last.y + last.height - first.y + 24 },
  })
} finally {
  await browser.close()
  await world.close()
}
