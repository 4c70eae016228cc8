// The file of `consents.suppress`: which addresses it names, when it is read again, and when it is refused.
import { createHash } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assertUsableList, createSuppressions } from '../../../src/app/run/suppression.ts'
import type { SuppressionList } from '../../../src/core/change/consents/suppression.ts'
import { openState } from '../../../src/store/state-store.ts'
import type { TestState } from '../../support/state/memory-state.ts'
import { temporaryState } from '../../support/state/temporary-state.ts'

let folder: string
let path: string
let state: TestState
let list: SuppressionList

const write = (...lines: string[]): void => writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
const mails = (count: number): string[] => Array.from({ length: count }, (_, at) => `p${at}@example.com`)
const listOf = (at: string): SuppressionList => createSuppressions(state)(at) as SuppressionList

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'suppression-'))
  path = join(folder, 'suppressed.csv')
  state = temporaryState()
  list = listOf(path)
})
afterEach(async () => {
  await state.close()
  rmSync(folder, { recursive: true })
})

it('is no list where none is configured', () => {
  expect(createSuppressions(state)(undefined)).toBeUndefined()
})

describe('entries', () => {
  it.each([
    ['addresses', ['mail', ' Ann@Example.com ', '', 'ben@example.com']],
    ['addresses among other columns', ['since;Mail', '2024-01-01;ANN@example.com', ';ben@example.com']],
    [
      'hashes of the lower-cased addresses',
      [
        'sha256',
        ...['ann', 'ben'].map((name) => createHash('sha256').update(`${name}@example.com`).digest('hex')),
      ],
    ],
    [
      'in both forms, in each row one or both',
      [
        'sha256,since,mail',
        `${createHash('sha256').update('ben@example.com').digest('hex')},2024,`,
        ',2024,ann@example.com',
        `${createHash('sha256').update('cy@example.com').digest('hex')},2024,cy@example.com`,
      ],
    ],
  ])('are %s', async (_form, lines) => {
    write(...lines)
    const { has } = await list.now()
    expect([has('ann@example.com'), has('BEN@example.com'), has('ann@example.org')]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('may be none', async () => {
    write('mail')
    expect((await list.now()).has('ann@example.com')).toBe(false)
  })

  it('may lie behind a link, as in a mounted configuration', async () => {
    const target = join(folder, 'data.csv')
    writeFileSync(target, 'mail\nann@example.com')
    symlinkSync(target, path)
    expect((await list.now()).has('ann@example.com')).toBe(true)
  })
})

describe('a list is refused', () => {
  it.each([
    ['missing', undefined, /suppressed\.csv: .*ENOENT.*nothing is sent/s],
    ['empty', [], /suppressed\.csv/],
    ['of other columns', ['name', 'Ann'], /line 1 names neither the column mail nor sha256/],
    ['with a wrong hash', ['sha256', 'abc'], /line 2 has no SHA-256/],
    ['with a wrong address', ['mail', 'a@b.example', 'Ann'], /line 3 has no e-mail address/],
    ['with a row that names nobody', ['name;mail', 'Ann;'], /line 2 has neither an e-mail address nor/],
    ['with a defective row', ['mail,x', 'a@b.example,"'], /suppressed\.csv/],
  ])('that is %s', async (_which, lines, message) => {
    if (lines !== undefined) write(...lines)
    await expect(list.now()).rejects.toMatchObject({
      code: 'SUPPRESSION_LIST',
      message: expect.stringMatching(message) as unknown,
    })
  })

  it('that has lost a tenth, in the next process as well, until it is back or has another name', async () => {
    write('mail', ...mails(20))
    await list.now()
    write('mail', ...mails(18))
    const refused = {
      code: 'SUPPRESSION_LIST',
      message: expect.stringContaining('has 18 entries, 20 when') as unknown,
    }
    await expect(list.now()).rejects.toMatchObject(refused)
    await expect(list.now()).rejects.toMatchObject(refused)
    await expect(listOf(path).now()).rejects.toMatchObject(refused)
    const other = join(folder, 'shorter.csv')
    renameSync(path, other)
    expect((await listOf(other).now()).has('p17@example.com')).toBe(true)
    write('mail', ...mails(19))
    expect((await list.now()).has('p18@example.com')).toBe(true)
  })
})

it('is read again where its file has changed, and has another edition for each content', async () => {
  write('mail', 'a@b.example', 'c@d.example')
  const first = await list.now()
  expect(await list.now()).toBe(first)
  write('mail', 'c@d.example', 'a@b.example')
  const { edition } = await list.now()
  expect(edition).toBe(first.edition)
  write('mail', 'c@d.example', 'a@b.example', 'e@f.example')
  const longer = await list.now()
  expect([longer.edition > edition, longer.has('e@f.example')]).toEqual([true, true])
  write('mail', 'c@d.example', 'x@y.example', 'a@b.example')
  await list.now()
  write('mail', 'c@d.example', 'a@b.example', 'e@f.example')
  expect((await list.now()).edition).toBeGreaterThan(longer.edition + 1)
  expect((await listOf(path).now()).edition).toBe((await list.now()).edition)
})

describe('before a run', () => {
  const asked = () =>
    assertUsableList({ consents: { suppress: path }, state: { path: join(folder, 's.db') } })

  it('is looked for beside the owner of the state, and compared with what a run has read', async () => {
    await expect(asked()).rejects.toMatchObject({ code: 'SUPPRESSION_LIST' })
    write('mail', ...mails(20))
    await expect(asked()).resolves.toBeUndefined()
    const owned = openState(join(folder, 's.db'), { pid: 1, since: 0, thorough: false })
    await createSuppressions(owned)(path)?.now()
    await owned.close()
    write('mail', ...mails(10))
    await expect(asked()).rejects.toMatchObject({
      message: expect.stringContaining('has 10 entries, 20') as string,
    })
  })

  it('is not asked for where there is none', async () => {
    await expect(assertUsableList({ consents: {}, state: { path } })).resolves.toBeUndefined()
  })
})
