// The console of a real daemon in a real browser: what an auditor and an operator do with it, by mouse, by keyboard, on a
// phone, in the dark, without JavaScript. Pictures of every page are left in test/browser/pictures.
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openWindow, PICTURES, SCREENS, type Screen, signIn, violations } from './chromium.ts'
import { EVIL, openWorld, TOKEN, type World } from './world.ts'

let world: World
let browser: Browser
beforeAll(async () => ([world, browser] = await Promise.all([openWorld(), openBrowser()])))
afterAll(async () => {
  await browser.close()
  await world.close()
})

const textOf = async (page: Page): Promise<string> => page.locator('main').innerText()

/** The newest run of that status. */
async function runOf(page: Page, status: string): Promise<string> {
  await page.goto(`${world.url}/runs?status=${status}`)
  return (await page.locator('tbody th a').first().getAttribute('href')) ?? ''
}

/** The newest that was in force. */
async function configurationOf(page: Page): Promise<string> {
  await page.goto(`${world.url}/configuration`)
  return (await page.locator('#former ~ table td a').first().getAttribute('href')) ?? ''
}

async function searchFor(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox').fill(text)
  await page.getByRole('button', { name: 'Find' }).click()
  await page.waitForURL(/\/(search|contacts)\/\d+$/)
}

describe('an auditor', () => {
  it('signs in, finds a contact, and follows a change back to its file and line', async () => {
    const { page, complaints } = await openWindow(browser, SCREENS.wide)
    await page.goto(`${world.url}/runs`)
    expect(page.url()).toBe(`${world.url}/sign-in?next=%2Fruns`)
    await page.getByLabel('Token').fill('Wrong token')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('Wrong token.')
    await page.getByLabel('Token').fill(TOKEN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${world.url}/runs`)

    await searchFor(page, world.moved.mail)
    expect(page.url()).not.toContain('@')
    // There is one hit, so the search leads to it.
    expect(page.url()).toBe(`${world.url}/contacts/${world.moved.id}`)
    const life = page.locator('.life > li')
    expect(await life.count()).toBe(5)
    const last = life.last()
    expect(await last.innerText()).toMatch(/ba_street\s+Neuer Weg 7\s*(becomes)?\s*→\s*Am Markt 12/)
    await last.getByRole('link', { name: /customers-wednesday\.csv:5/ }).click()
    expect(await page.locator('h1').innerText()).toMatch(/^Run /)
    expect(await textOf(page)).toContain('customers-wednesday.csv')
    // The refused password is one the browser reports; nothing else is to complain about.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
    await page.context().close()
  })

  it('sees that the sync log is whole', async () => {
    const { page } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    await page.goto(`${world.url}/log`)
    await page.getByRole('link', { name: 'Is it intact?' }).click()
    expect(await textOf(page)).toMatch(/Intact: every entry up to number \d+/)
    await page.context().close()
  })

  it('sees names of others as text, whatever they hold', async () => {
    const { page, complaints } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    await searchFor(page, 'f1@fair.example')
    expect(await textOf(page)).toContain(EVIL)
    expect(await page.title()).toMatch(/^Contact \d+ · contact-sync$/)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe('an operator', () => {
  it('sees a held run and the command that lets it go, and it works', async () => {
    const { page } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    await page.getByRole('link', { name: '61 changes held' }).click()
    expect(await textOf(page)).toContain(
      '61 of 120 contacts are missing from the source, more than guards.max_deletes',
    )
    const command = await page.locator('.command', { hasText: 'held release' }).first().innerText()
    const run = command.split(' ').at(-1) ?? ''
    await page.getByRole('link', { name: run }).click()
    expect(await textOf(page)).toContain('61 held')
    // The daemon holds the state, and takes it.
    const { code } = await world.shop.cli(...command.split(' ').slice(1))
    expect(code).toBe(0)
    await page.context().close()
  })

  it('sees what is in doubt, rejected and configured, without a secret', async () => {
    const { page } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    await page.getByRole('link', { name: 'In doubt', exact: true }).click()
    expect(await textOf(page)).toMatch(/contact-sync doubts resolve \d+ --as done --contact-id N/)
    await page.getByRole('link', { name: 'Rejects', exact: true }).click()
    await page.locator('summary').first().click()
    expect(await page.locator('details[open] .facts').first().innerText()).toContain('F9')
    await page.getByRole('link', { name: 'Configuration', exact: true }).click()
    const text = await textOf(page)
    expect(text).toContain('guards.max_deletes')
    expect(text).not.toContain('canary-key')
    expect(text).not.toContain('a-token-for-the-browser')
    await page.context().close()
  })

  it('signs out, and nothing is left: neither by going back nor by an address', async () => {
    const { page } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    await page.goto(`${world.url}/runs`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${world.url}/sign-in`)
    await page.goBack()
    await page.waitForURL(/\/sign-in/)
    expect(await textOf(page)).not.toContain('shop')
    await page.context().close()
  })

  it('needs no JavaScript', async () => {
    const { page } = await openWindow(browser, { ...SCREENS.wide, javaScriptEnabled: false })
    await signIn(page, world.url)
    await searchFor(page, 'S10003')
    // There is one hit, so the search leads to it.
    expect(page.url()).toBe(`${world.url}/contacts/${world.moved.id}`)
    expect(await textOf(page)).toContain('Am Markt 12')
    await page.context().close()
  })

  it('needs no mouse: the first key leads past the navigation, and whatever has the focus shows it', async () => {
    const { page } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    await page.goto(`${world.url}/held`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('by-pipeline')
    const reached: string[] = []
    for (let step = 0; step < 60; step += 1) {
      const [name = '', outline] = await page.evaluate<string[]>(
        '[document.activeElement.textContent.trim(), getComputedStyle(document.activeElement).outlineStyle]',
      )
      expect([name, outline]).not.toEqual([name, 'none'])
      reached.push(name)
      if (name.startsWith('All 61')) break
      await page.keyboard.press('Tab')
    }
    expect(reached).toContain('All 61 changes of this plan')
    await page.context().close()
  })
})

describe('on paper', () => {
  it('a page still says its time zone, and has nothing to click', async () => {
    const { page } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    await page.emulateMedia({ media: 'print' })
    for (const path of ['/', '/runs', '/held']) {
      await page.goto(`${world.url}${path}`)
      const text = await page.locator('body').innerText()
      expect(text).toContain('All times are in UTC.')
      expect(text).not.toMatch(/Sign out|Sync log/)
      const buttons = page.locator('button:visible, select:visible, input:visible')
      expect([path, await buttons.allInnerTexts()]).toEqual([path, []])
    }
    await page.context().close()
  })
})

describe('in colours of the user', () => {
  it('the place in the menu is still marked by its line', async () => {
    const { page } = await openWindow(browser, { ...SCREENS.wide, forcedColors: 'active' })
    await signIn(page, world.url)
    const lines = await page.evaluate<string[]>(
      '[...document.querySelectorAll(".places a")].map((one) => getComputedStyle(one).borderBottomColor)',
    )
    expect(lines.slice(1)).not.toContain(lines[0])
    await page.context().close()
  })
})

describe('every page', () => {
  async function places(page: Page): Promise<Readonly<Record<string, string>>> {
    const held = await runOf(page, 'held')
    return {
      overview: '/',
      runs: '/runs',
      'run-ok': await runOf(page, 'ok'),
      'run-held': held,
      'run-partial': await runOf(page, 'partial'),
      held: '/held',
      'held-plan': `${held.replace('/runs/', '/held/')}?guard=max_deletes`,
      brakes: '/brakes',
      doubts: '/doubts',
      retries: '/retries',
      rejects: '/rejects',
      alerts: '/alerts',
      terms: '/terms',
      log: '/log',
      entry: '/log/1',
      verification: '/log/verification',
      configuration: '/configuration',
      'configuration-kept': await configurationOf(page),
      search: '/search',
      contact: `/contacts/${world.moved.id}`,
      explain: `/explain/${world.moved.id}/shop`,
      nowhere: '/nowhere',
    }
  }

  async function expectGood(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
    expect([name, await violations(page)]).toEqual([name, []])
    const over = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect([name, over]).toEqual([name, 0])
  }

  it('has room for long names of pipelines', async () => {
    const { page } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    for (const path of ['/', '/runs', '/rejects']) {
      await page.goto(`${world.url}${path}`)
      const renamed = await page.evaluate<number>(`
        const cells = document.querySelectorAll('tbody [data-title="Pipeline"] > div')
        for (const cell of cells) (cell.querySelector('a') ?? cell).textContent = 'newsletter_subscribers_of_all_shops_in_the_north'
        cells.length`)
      expect(renamed).toBeGreaterThan(0)
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect([path, await page.evaluate(over)]).toEqual([path, 0])
    }
    await page.context().close()
  })

  it('has room for the longest name of a pipeline beside the numbers of a list, on a phone', async () => {
    const { page } = await openWindow(browser, SCREENS.narrow)
    await signIn(page, world.url)
    await page.goto(`${world.url}/rejects`)
    const renamed = await page.evaluate<number>(`
      const names = document.querySelectorAll('.groups dt a')
      for (const name of names) name.textContent = 'newsletter_'.repeat(6).slice(0, 64)
      names.length`)
    expect(renamed).toBeGreaterThan(0)
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(over)).toBe(0)
    await page.context().close()
  })

  it('breaks the key of a record where a line has no room for it, on a phone', async () => {
    const { page } = await openWindow(browser, { viewport: { width: 320, height: 640 } })
    await signIn(page, world.url)
    await page.goto(`${world.url}/rejects`)
    const changed = await page.evaluate<number>(`
      const keys = document.querySelectorAll('tbody [data-title="Key"] > div > *')
      for (const key of keys) {
        key.className = 'said'
        key.textContent = 'maximilian.mustermann@mail.example.com'
      }
      keys.length`)
    expect(changed).toBeGreaterThan(0)
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(over)).toBe(0)
    await page.context().close()
  })

  it.each(Object.keys(SCREENS) as Screen[])(
    'has no violation that axe knows and never scrolls sideways: %s',
    async (screen) => {
      const { page, complaints } = await openWindow(browser, SCREENS[screen])
      await page.goto(world.url)
      await expectGood(page, `${screen}-sign-in`)
      await signIn(page, world.url)
      for (const [name, path] of Object.entries(await places(page))) {
        await page.goto(`${world.url}${path}`)
        // What is folded in is looked at, too.
        await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })')
        await expectGood(page, `${screen}-${name}`)
      }
      await searchFor(page, 'S1000')
      await expectGood(page, `${screen}-found`)
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
      await page.context().close()
    },
  )

  it('would be found wanting: axe sees what is wrong', async () => {
    const { page } = await openWindow(browser, SCREENS.wide)
    await signIn(page, world.url)
    await page.evaluate(
      'document.querySelector("label[for=q]").remove(); document.getElementById("q").placeholder = ""',
    )
    expect((await violations(page)).join()).toContain('label')
    await page.context().close()
  })
})
