// A disk that is really full, at different moments of a run: a small memory disk where one may be mounted.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000 })

const mount = (folder: string): void => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', folder], { stdio: 'ignore' })
}
const unmount = (folder: string): void => {
  execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
}

async function mayMount(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'mount-'))
  try {
    mount(folder)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmdirSync(folder)
  }
}

const isPossible = await mayMount()
if (!isPossible) console.warn('full-disk.test.ts: no memory disk may be mounted here, so no disk is filled')

describe.skipIf(!isPossible)('a full disk', () => {
  let shop: Workshop
  beforeEach(async () => {
    shop = await openWorkshop()
    mkdirSync(shop.path('state'))
    mount(shop.path('state'))
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(
      yaml
        .replace('    key: no', '    duplicate_check_method: none\n    key: no')
        .replace('doubt:', 'bulk: { size: 5 }\n  doubt:'),
    )
  })
  afterEach(async () => {
    unmount(shop.path('state'))
    await shop.close()
  })

  const ballast = (): string => shop.path('state', 'ballast')
  const state = (): string => shop.path('state', 'contact-sync.db')

  function leaveFree(bytes: number): void {
    const { bavail, bsize } = statfsSync(shop.path('state'))
    writeFileSync(ballast(), Buffer.alloc(Math.max(0, bavail * bsize - bytes)))
  }

  const census = async (count: number): Promise<number[]> =>
    Promise.all(
      Array.from(
        { length: count },
        async (_, index) => (await shop.contacts(`person${index}@example.com`, 'phone')).length,
      ),
    )

  it.each([0, 400_000, 1_000_000])(
    'with %i bytes left ends the run, sends nothing without a journal, and leaves nothing to mend',
    async (free) => {
      const people = 400
      await shop.drop('shop', 'a.csv', peopleCsv(1))
      expect((await shop.cli('run')).code).toBe(0)
      leaveFree(free)
      await shop.drop('shop', 'b.csv', peopleCsv(people))
      const full = await shop.cli('run')
      expect(full.stderr).toMatch(/^STATE_FULL: the state .* cannot be written: the disk is full/m)
      expect(full.stderr).not.toContain('    at ')
      expect(full.code).toBe(1)
      await rm(ballast())
      const db = new Database(state())
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      db.close()
      const next = await shop.cli('run', '--json')
      expect(JSON.parse(next.stdout)).toMatchObject({ status: 'ok', pipelines: [{ failed: 0, in_doubt: 0 }] })
      expect(await census(people)).toEqual(Array.from({ length: people }, () => 1))
      await shop.drop('shop', 'b.csv', peopleCsv(people))
      const last = JSON.parse((await shop.cli('run', '--json')).stdout) as unknown
      expect(last).toMatchObject({ pipelines: [{ unchanged: people, requests: 0 }] })
    },
  )

  it('is waited out by the daemon', async () => {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace('    key: no', '    schedule: "* * * * * *"\n    key: no'))
    await shop.drop('shop', 'a.csv', peopleCsv(1))
    expect((await shop.cli('run')).code).toBe(0)
    const daemon = shop.start('start')
    const port = /"port":(\d+)/.exec(await daemon.stderrHas(/daemon started/))?.[1]
    leaveFree(0)
    await shop.drop('shop', 'b.csv', peopleCsv(300))
    await daemon.stderrHas(/the disk is full/)
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect(await ready.json()).toMatchObject({ reasons: ['pipeline shop is overdue (STATE_FULL)'] })
    await rm(ballast())
    await daemon.stderrHas(/"created":299/)
    daemon.process.kill('SIGTERM')
    expect((await daemon.ended).code).toBe(143)
    expect(await census(300)).toEqual(Array.from({ length: 300 }, () => 1))
  })
})
