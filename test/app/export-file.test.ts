// What an operator asked to have as a file: whole, for its owner alone, never through a file that another user prepared.
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import {
  chmod,
  lchown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeText } from '../../src/app/audit-files.ts'
import { writeExport } from '../../src/app/export-file.ts'
import { outputFile } from '../../src/app/output-file.ts'
import type { Settings } from '../../src/core/settings.ts'
import { writeRejectsCsv } from '../../src/sources/rejects.ts'
import { backupState } from '../../src/store/file/backup.ts'
import { openState } from '../../src/store/state-store.ts'

let folder = ''
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'export-'))))
afterEach(async () => rm(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
const mode = async (name: string): Promise<number> => (await stat(at(name))).mode & 0o777

it('a new file is for its owner alone', async () => {
  expect(await writeText(at('a.csv'), ['one', 'two'])).toEqual({ replaced: false })
  expect([await readFile(at('a.csv'), 'utf8'), await mode('a.csv')]).toEqual(['onetwo', 0o600])
  expect(await readdir(folder)).toEqual(['a.csv'])
})

it('a file that is there is replaced, which is said, and its rights are not taken over', async () => {
  await writeFile(at('a.csv'), 'old')
  await chmod(at('a.csv'), 0o666)
  expect(await writeText(at('a.csv'), ['new'])).toEqual({ replaced: true })
  expect([await readFile(at('a.csv'), 'utf8'), await mode('a.csv')]).toEqual(['new', 0o600])
})

it('a link of this user stays, and its target is replaced', async () => {
  await writeFile(at('target.csv'), 'old')
  await symlink('target.csv', at('a.csv'))
  expect(await writeText(at('a.csv'), ['new'])).toEqual({ replaced: true })
  expect([await readlink(at('a.csv')), await readFile(at('target.csv'), 'utf8')]).toEqual([
    'target.csv',
    'new',
  ])
  expect((await readdir(folder)).sort()).toEqual(['a.csv', 'target.csv'])
})

it('a link that leads nowhere stays', async () => {
  await symlink('nowhere', at('a.csv'))
  await expect(writeText(at('a.csv'), ['new'])).rejects.toMatchObject({ code: 'USAGE' })
  expect(await readlink(at('a.csv'))).toBe('nowhere')
})

it.skipIf(process.getuid?.() !== 0)(
  'a link that another user made is replaced, and not followed',
  async () => {
    await writeFile(at('precious.txt'), 'precious')
    await symlink(at('precious.txt'), at('a.csv'))
    await lchown(at('a.csv'), 65534, 65534)
    expect(await writeText(at('a.csv'), ['new'])).toEqual({ replaced: true })
    expect(await readFile(at('precious.txt'), 'utf8')).toBe('precious')
  },
)

it.skipIf(process.platform === 'win32')('a pipe, and a link to one, are written into', async () => {
  execFileSync('mkfifo', [at('pipe')])
  await symlink('pipe', at('out'))
  const reader = await open(at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    for (const name of ['pipe', 'out']) {
      expect(await writeText(at(name), [name])).toEqual({ replaced: false })
      const { buffer, bytesRead } = await reader.read(Buffer.alloc(9), 0, 9, null)
      expect(buffer.toString('utf8', 0, bytesRead)).toBe(name)
    }
  } finally {
    await reader.close()
  }
  expect([await readlink(at('out')), (await stat(at('pipe'))).isFIFO()]).toEqual(['pipe', true])
})

it.skipIf(process.platform === 'win32')('rejects are written into a pipe, too, and to a device', async () => {
  const rejects = (path: string) =>
    writeExport(path, (file) => writeRejectsCsv(file, ['Nr'], ReadableStream.from([])))
  execFileSync('mkfifo', [at('pipe')])
  const reader = await open(at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    expect(await rejects(at('pipe'))).toEqual({ replaced: false })
    const { buffer, bytesRead } = await reader.read(Buffer.alloc(99), 0, 99, null)
    expect(buffer.toString('utf8', 0, bytesRead)).toBe('Nr,_reason,_file,_line\n')
  } finally {
    await reader.close()
  }
  expect(await rejects('/dev/null')).toEqual({ replaced: false })
})

it.skipIf(process.platform === 'win32')(
  'a file that standard output is appended to is not replaced',
  async () => {
    const appended = (there: string, isLinked: boolean) => {
      const log = openSync(at('a.csv'), 'a')
      const [name, link] = [`/proc/self/fd/${log}`, at('out')]
      symlinkSync(name, link)
      writeSync(log, there)
      const written = writeText(isLinked ? link : `/dev/fd/${log}`, ['new'])
      return written.finally(() => (rmSync(link), closeSync(log)))
    }
    expect(await appended('', true)).toEqual({ replaced: true })
    await expect(appended('old', true)).rejects.toMatchObject({ code: 'USAGE' })
    await expect(appended('', false)).rejects.toMatchObject({ code: 'USAGE' })
    expect(await readFile(at('a.csv'), 'utf8')).toBe('newold')
  },
)

describe('the name of a file to write', () => {
  const outputOf = (name: string, configuration = 'c.yaml', json = false) =>
    outputFile(name, {
      cwd: folder,
      settings: { state: { path: at('s.db') }, log: { folder: at('logs') } } as Settings,
      configurations: [at(configuration)],
      json,
    })

  it.each([
    ['s.db', 'the state'],
    ['./sub/../s.db', 'the state'],
    ['link', 'the state'],
    ['s.db-wal', 'a part of the state'],
    ['s.db.lock', 'a part of the state'],
    ['s.db.window-shm', 'a part of the state'],
    ['s.db.before-schema-9', 'a part of the state'],
    ['c.yaml', 'the configuration'],
    ['logs/contact-sync-2026-11-27.log', 'a log file'],
  ])('%s is %s, there or not', async (name, what) => {
    await symlink('s.db', at('link'))
    const refused = { code: 'USAGE', message: expect.stringContaining(`${what} of contact-sync`) as string }
    if (name !== 'link') expect(() => outputOf(name)).toThrow(expect.objectContaining(refused))
    await writeFile(at('s.db'), 'state')
    expect(() => outputOf(name)).toThrow(expect.objectContaining(refused))
  })

  it('is none of the pieces of a configuration', async () => {
    await mkdir(at('config'))
    await writeFile(at('config/shop.yaml'), '')
    expect(() => outputOf('config/shop.yaml', 'config')).toThrow('the configuration of contact-sync')
    expect(outputOf('config/plan.html', 'config')).toBe(at('config/plan.html'))
  })

  it('may be -, for standard output', () => {
    expect(outputOf('-')).toBe('/dev/stdout')
  })

  it.each(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'])(
    'is not %s with --json: that holds one document',
    (name) => {
      expect(() => outputOf(name, 'c.yaml', true)).toThrow('one JSON document')
      expect(outputOf('a.csv', 'c.yaml', true)).toBe(at('a.csv'))
    },
  )

  it.each(['s.db.csv', 's.dbx', 'other.yaml', 'logs/audit.jsonl'])('may be %s', (name) => {
    expect(outputOf(name)).toBe(at(name))
  })
})

it('what ends half-way leaves the old file, and nothing else', async () => {
  await writeFile(at('a.csv'), 'old')
  function* half(): Generator<string> {
    yield 'half'
    throw new Error('the end')
  }
  await expect(writeText(at('a.csv'), half())).rejects.toThrow('the end')
  expect([await readdir(folder), await readFile(at('a.csv'), 'utf8')]).toEqual([['a.csv'], 'old'])
})

it.each([
  ['nowhere/a.csv', 'ENOENT'],
  ['', 'EISDIR'],
])('"%s" cannot be written (%s)', async (name, code) => {
  await expect(writeText(name === '' ? folder : at(name), ['new'])).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(
      new RegExp(`cannot be written \\((${code}|EXDEV|EBUSY|ENOTEMPTY)\\)`),
    ) as string,
  })
})

it.each([
  ['a file', async () => writeFile(at('copy.db.part'), 'of somebody else')],
  ['a link', async () => symlink(at('precious.txt'), at('copy.db.part'))],
  ['a link that leads nowhere', async () => symlink(at('nowhere'), at('copy.db.part'))],
])('a backup uses no .part that is there already: %s', async (_, prepare) => {
  await writeFile(at('precious.txt'), 'precious')
  await openState(at('state.db'), { pid: 1, since: 0, thorough: false }).close()
  await prepare()
  const before = await readdir(folder)
  const backup = () =>
    backupState(at('state.db'), at('copy.db'), { at: 0, signal: new AbortController().signal })
  await expect(backup()).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('copy.db.part exists already') as string,
  })
  expect(await readdir(folder)).toEqual(before)
  expect(await readFile(at('precious.txt'), 'utf8')).toBe('precious')
  await rm(at('copy.db.part'))
  await backup()
  expect([await mode('copy.db'), (await readdir(folder)).includes('copy.db.part')]).toEqual([0o600, false])
})

it('a backup replaces no link that leads nowhere', async () => {
  await openState(at('state.db'), { pid: 1, since: 0, thorough: false }).close()
  await symlink(at('nowhere'), at('copy.db'))
  await expect(
    backupState(at('state.db'), at('copy.db'), { at: 0, signal: new AbortController().signal }),
  ).rejects.toThrow('exists already')
})
