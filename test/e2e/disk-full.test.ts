// A file system that is really full: a small one in memory under the state, and one under the inbox.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { peopleServer } from '../support/people-server.ts'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

const PEOPLE = 400

function mountWorks(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' }).status === 0
  if (isMounted) execFileSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return isMounted
}

const canMount = mountWorks()
if (!canMount) console.warn('disk-full.test.ts: left out: no file system may be mounted here')

let shop: Workshop
let mounted: string | undefined
beforeEach(async () => (shop = await openWorkshop()))
afterEach(async () => {
  if (mounted !== undefined) execFileSync('umount', [mounted])
  mounted = undefined
  await shop.close()
})

async function mount(size: string, ...names: string[]): Promise<string> {
  const folder = shop.path(...names)
  await mkdir(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  mounted = folder
  return folder
}

/** Fills the file system but for a few blocks. */
async function leaveRoom(folder: string, bytes: number): Promise<void> {
  const ballast = join(folder, 'ballast.bin')
  await writeFile(ballast, Buffer.alloc(4_000_000)).catch(() => undefined)
  await truncate(ballast, (await stat(ballast)).size - bytes)
}

async function present(count: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const found = await shop.contacts(`person${index}@example.com`, 'phone')
      return found.length
    }),
  )
}

const eachOnce = Array.from({ length: PEOPLE }, () => 1)

describe.skipIf(!canMount)('a full disk', () => {
  it.each(['email', 'none'])('under the state: nothing is lost or doubled under check %s', async (check) => {
    const folder = await mount('700k', 'state')
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace('key: no', `duplicate_check_method: ${check}\n    key: no`))
    await shop.drop('shop', 'a.csv', peopleCsv(PEOPLE))
    const full = await shop.cli('run')
    expect(full.stderr).toMatch(/^STATE_FULL: /)
    expect(full.stderr).not.toMatch(/\n +at /)
    expect(full.code).toBe(1)
    expect(await readdir(shop.path('inbox', 'shop'))).toEqual(['a.csv'])
    execFileSync('mount', ['-o', 'remount,size=64m', folder])
    expect((await shop.cli('run')).code).toBe(0)
    expect(await present(PEOPLE)).toEqual(eachOnce)
    expect(await readdir(shop.path('inbox', 'shop'))).toEqual(['processed'])
  })

  it('that has no place for one more file: the same', async () => {
    const folder = await mount('64m,nr_inodes=20', 'state')
    expect((await shop.cli('run')).code).toBe(0)
    await shop.drop('shop', 'a.csv', peopleCsv(2))
    const all = Array.from({ length: 20 }, (_, index) => join(folder, `ballast-${index}`))
    const filled = all.map(async (name) => writeFile(name, '').catch(() => undefined))
    await Promise.all(filled)
    const full = await shop.cli('run')
    expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(/^STATE_FULL: /)])
    await Promise.all(all.map(async (name) => rm(name, { force: true })))
    expect((await shop.cli('run')).code).toBe(0)
    expect(await present(2)).toEqual([1, 1])
  })

  it('under the daemon: it says so, tries again when it is due, and goes on when there is space', async () => {
    const folder = await mount('700k', 'state')
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace('key: no', 'schedule: "* * * * * *"\n    key: no'))
    await shop.drop('shop', 'a.csv', peopleCsv(PEOPLE))
    const daemon = shop.start('start')
    const port = /"port":(\d+)/.exec(await daemon.stderrHas(/daemon started/))?.[1]
    await daemon.stderrHas(/the disk is full/)
    // Between two runs it is overdue; while one goes on it is not.
    const reasons = async (): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/readyz`)).json()
    await expect.poll(reasons).toMatchObject({ reasons: ['pipeline shop is overdue (STATE_FULL)'] })
    execFileSync('mount', ['-o', 'remount,size=64m', folder])
    await daemon.stderrHas(/"status":"ok"/)
    daemon.process.kill('SIGTERM')
    expect((await daemon.ended).code).toBe(143)
    expect(await present(PEOPLE)).toEqual(eachOnce)
  })

  it('under the inbox: the file stays until its rejects can be written', async () => {
    const folder = await mount('64k', 'inbox', 'shop')
    await shop.drop('shop', 'a.csv', `${peopleCsv(3)}K9,no mail at all,V,N,030 9\n`)
    // Whatever is left goes to this one.
    await writeFile(join(folder, 'ballast.bin'), Buffer.alloc(1_000_000)).catch(() => undefined)
    const full = await shop.cli('run')
    expect(full.stdout + full.stderr).toContain('no space left')
    expect(full.stdout + full.stderr).not.toMatch(/\n +at /)
    expect(full.code).toBe(3)
    expect((await readdir(folder)).filter((name) => name.endsWith('.csv'))).toEqual(['a.csv'])
    await rm(join(folder, 'ballast.bin'))
    const writes = shop.writes()
    // It is only moved: what was rejected of it was told by the run before.
    expect((await shop.cli('run')).code).toBe(0)
    expect(shop.writes()).toBe(writes)
    expect((await present(3)).concat(await readdir(folder).then(({ length }) => length))).toEqual([
      1, 1, 1, 1,
    ])
    expect(await readdir(join(folder, 'processed'))).toHaveLength(2)
  })
  it('with room for a part of the rejects: they are not called whole, and are written once there is room', async () => {
    const folder = await mount('256k', 'inbox', 'shop')
    const rejected = Array.from({ length: 300 }, (_, index) => `X${index},no mail at all,V,N,030 9\n`)
    await shop.drop('shop', 'a.csv', `${peopleCsv(3)}${rejected.join('')}`)
    await leaveRoom(folder, 12_000)
    const full = await shop.cli('run')
    expect(full.stdout + full.stderr).toContain('no space left')
    expect(full.code).toBe(3)
    expect(await readdir(join(folder, 'processed'))).toEqual([])
    await rm(join(folder, 'ballast.bin'))
    expect((await shop.cli('run')).code).toBe(0)
    const name = (await readdir(join(folder, 'processed'))).find((one) => one.endsWith('.rejects.csv')) ?? ''
    expect((await readFile(join(folder, 'processed', name), 'utf8')).trim().split('\n')).toHaveLength(301)
  })

  it('with room for a part of a file that a person is erased from: it keeps every row of the others', async () => {
    const folder = await mount('256k', 'inbox', 'shop')
    await shop.drop('shop', 'a.csv', peopleCsv(PEOPLE))
    expect((await shop.cli('run')).code).toBe(0)
    await leaveRoom(folder, 12_000)
    const archived = async (): Promise<string> => {
      const [name = ''] = await readdir(join(folder, 'processed'))
      return readFile(join(folder, 'processed', name), 'utf8')
    }
    const full = await shop.cli('audit', 'forget', 'person7@example.com', '--yes')
    expect(full.stdout + full.stderr).toMatch(/no space left|ENOSPC/)
    expect(full.stderr).not.toMatch(/\n +at /)
    expect(full.code).not.toBe(0)
    expect(await archived()).toBe(peopleCsv(PEOPLE))
    await rm(join(folder, 'ballast.bin'))
    expect((await shop.cli('audit', 'forget', 'person7@example.com', '--yes')).code).toBe(0)
    expect((await archived()).match(/@example\.com/g)).toHaveLength(PEOPLE - 1)
  })
  it('under the tokens of a source: none is asked for that could not be kept, and the grant is not lost', async () => {
    let given = 0
    const server = await peopleServer(({ body }) => {
      if (body === '') return { body: [{ id: 1, mail: 'one@example.com' }] }
      if (new URLSearchParams(body).get('refresh_token') !== `R${given}`) return { status: 400 }
      given += 1
      return { body: { access_token: `T${given}`, refresh_token: `R${given}`, expires_in: 1 } }
    })
    const folder = await mount('2m', 'state')
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    const auth = `{ oauth2: { token_url: "${server.url}/token", client_id: me, refresh_token: R0 } }`
    const source = `source: { type: http, url: "${server.url}", auth: ${auth} }`
    await shop.configure(
      `${yaml.slice(0, yaml.indexOf('    source:'))}    ${source}\n    key: id\n    map: { mail: mail }\n`,
    )
    expect((await shop.cli('run')).code).toBe(0)
    // As under a daemon: the state can be read without a new file beside it.
    const reader = new Database(join(folder, 'contact-sync.db'))
    reader.pragma('schema_version')
    await leaveRoom(folder, 0)
    const full = await shop.cli('plan')
    reader.close()
    expect(full.stdout + full.stderr).toContain('.tokens cannot be used')
    await rm(join(folder, 'ballast.bin'))
    const { code, stdout } = await shop.cli('run')
    await server.close()
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('SOURCE_DENIED')])
  })
  it('under the witness of the sync log: no part of a line is left, and the next one is whole', async () => {
    const folder = await mount('8k', 'kept')
    await shop.drop('shop', 'a.csv', peopleCsv(3))
    expect((await shop.cli('run')).code).toBe(0)
    const kept = join(folder, 'witness.jsonl')
    await writeFile(kept, '\n'.repeat(8192 - 60))
    const full = await shop.cli('audit', 'witness', '--to', kept)
    expect([full.code, full.stderr]).toEqual([2, expect.stringContaining('cannot be written (ENOSPC)')])
    execFileSync('mount', ['-o', 'remount,size=1m', folder])
    expect((await shop.cli('audit', 'witness', '--to', kept)).code).toBe(0)
    expect((await shop.cli('audit', 'verify', '--witness', kept)).code).toBe(0)
  })
  it('under a support bundle: no part of it is left, and its name is free for the next one', async () => {
    const folder = await mount('8k', 'help')
    await leaveRoom(folder, 0)
    const file = join(folder, 'bundle.tar.gz')
    const full = await shop.cli('support-bundle', file)
    expect([full.code, full.stderr]).toEqual([2, expect.stringContaining('cannot be written (ENOSPC)')])
    expect(await readdir(folder)).toEqual(['ballast.bin'])
    execFileSync('mount', ['-o', 'remount,size=1m', folder])
    expect((await shop.cli('support-bundle', file)).code).toBe(0)
  })
})
