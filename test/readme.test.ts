// "Your first pipeline" of the README, as it is written there: its commands, in their order, in an empty folder.
import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { SOURCE_MAIN } from './support/cli.ts'

const ROOT = resolve(import.meta.dirname, '..')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [, section = ''] = /^## Your first pipeline.*?\n(.*?)^## /ms.exec(readme) ?? []
const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)

it('the demo ends with the name of that section', () => {
  const demo = readFileSync(join(ROOT, 'src/cli/commands/demo.ts'), 'utf8')
  const [, named = ''] = /README\.md, "([^"]+)"/.exec(demo) ?? []
  expect(readme).toContain(`\n## ${named}\n`)
})

it('the first pipeline works as the README says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'))
  cpSync(join(ROOT, 'config/samples'), join(folder, 'config/samples'), { recursive: true })
  const [start = '', ...rest] = blocks
  expect([start, rest.length]).toEqual(['npx contact-sync sandbox --port 8089\n', 2])
  const sandbox = spawn(process.execPath, [SOURCE_MAIN, 'sandbox', '--port', '0'])
  try {
    let port: string | undefined
    for await (const line of createInterface(sandbox.stdout)) {
      port = /127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (port !== undefined) break
    }
    const commands = `set -e\nnpx() { shift; "${process.execPath}" "${SOURCE_MAIN}" "$@"; }\n${rest.join('')}`
    const { stdout } = await promisify(execFile)(
      'bash',
      [
        '-c',
        `${commands.replace('8089', String(port))}cp config/samples/shop.csv state/inbox/shop/\nnpx contact-sync run\n`,
      ],
      { cwd: folder, env: { PATH: process.env['PATH'] } },
    )
    expect(stdout).toMatch(
      /Written: config\/contact-sync\.yaml.*All checks passed.*120 to be created.*120 created.*column "Vorname": "Lena".*0 requests\n {2}120 unchanged/s,
    )
  } finally {
    sandbox.kill()
    rmSync(folder, { recursive: true })
  }
}, 180_000)

it('its pictures are there, and small', () => {
  const pictures = [...readme.matchAll(/!\[[^\]]{20,}\]\((docs\/pictures\/[^)]+)\)/g)].map(
    ([, path = '']) => path,
  )
  expect(pictures).toEqual(['docs/pictures/plan.svg', 'docs/pictures/console.png'])
  for (const path of pictures) expect(statSync(join(ROOT, path)).size).toBeLessThan(100_000)
})
