// What the operational log says of one file: every line about it carries its number and, once it was read, its sum; and a
// file that was replaced while it was worked on is never said to have been archived.
import { expect, it } from 'vitest'
import { HEADER, type Line, people, testLine } from '../../support/line.ts'
import { GUARDS } from '../../support/pipeline.ts'

const REPLACED = 'file not archived: replaced or removed during the run'

/** Drops another version of the name at the last moment before the file is archived. */
function replaceAtTheEnd({ source }: Line, name: string): void {
  const { archive } = source
  source.archive = async (input, to) => {
    if (input.name === name) {
      source.archive = archive
      source.drop(name, people(2, 50))
    }
    return archive(input, to)
  }
}

const messages = ({ log }: Line): string[] => log.map(({ message }) => message)

it('says of a file that was replaced while its changes were sent that it was not put away', async () => {
  const line = testLine()
  line.source.drop('a.csv', people(1))
  replaceAtTheEnd(line, 'a.csv')
  expect(await line.run()).toMatchObject({ status: 'ok', created: 1 })
  expect(line.source.archived).toEqual([])
  expect(messages(line)).not.toContain('file archived')
  expect(line.log.at(-1)).toEqual({
    message: REPLACED,
    fields: { file_number: 1, file_sha256: 'abc', file: 'a.csv' },
  })
  expect(await line.run()).toMatchObject({ created: 2 })
  expect(messages(line).filter((message) => message === 'file archived')).toHaveLength(1)
})

it('says of a refused file that was replaced meanwhile that it was not put away', async () => {
  const line = testLine()
  line.source.drop('a.csv', people(3), { failAfter: 2 })
  replaceAtTheEnd(line, 'a.csv')
  await line.run()
  expect(line.source.archived).toEqual([])
  expect(messages(line)).not.toContain('file archived')
  expect(line.log.slice(-2)).toMatchObject([
    { message: 'file rejected', fields: { file_number: 1, file: 'a.csv' } },
    { message: REPLACED, fields: { file_number: 1, file: 'a.csv' } },
  ])
})

it('says why the source, or a part of it, was not read', async () => {
  const line = testLine()
  line.source.missing = true
  expect(await line.run()).toMatchObject({ status: 'partial' })
  expect(line.log.filter(({ message }) => message === 'source not read completely')).toEqual([
    { message: 'source not read completely', fields: { code: 'INPUT_FOLDER_MISSING' } },
  ])
})

it('every warning about a file carries its number, and its sum from when it was read; a name only where it had one', async () => {
  const line = testLine({
    pipeline: {
      on_invalid: 'drop',
      on_duplicate_key: 'last',
      guards: { ...GUARDS, max_changes: { count: 1 } },
      terms: {
        policy: 'add',
        create_missing: true,
        assign: [{ column: 'tags', split: ',' }],
        descriptions: {},
        verify: true,
      },
    },
  })
  const { open } = line.source
  line.source.open = async (input, options) => ({
    ...(await open(input, options)),
    twiceEncoded: { places: 2, line: 2 },
    contradicted: { line: 3 },
  })
  line.source.drop('a.csv', people(0))
  line.source.drop('b.csv', [
    [...HEADER, 'tags'],
    ['K1', 'a@example.com', 'M&uuml;ller', 'A', 'x'.repeat(300), 'one'],
    ['K1', 'a@example.com', 'Ann', 'A', '', ''],
    ['K2', 'b@example.com', 'Bea', 'B', '', ''],
  ])
  await line.run()
  const read = { file_number: 2, file_sha256: 'abc' }
  const about = line.log.filter(({ fields }) => (fields as typeof read).file_number === 2)
  expect(about.map(({ message, fields }) => [message, fields])).toMatchObject([
    ['file processing started', { file_number: 2 }],
    [expect.stringContaining('encoded twice'), { file_number: 2, file: 'b.csv' }],
    [expect.stringContaining('file is UTF-8'), { file_number: 2, file: 'b.csv' }],
    ['changes held by a guard', read],
    ['values dropped or truncated', read],
    ['values look damaged: sent unchanged', { ...read, file: 'b.csv' }],
    ['terms ignored: a later record of the same key counts', { ...read, file: 'b.csv' }],
    ['file read and planned', read],
    ['file archived', read],
  ])
  expect(about.flatMap(({ message, fields }) => ('file' in (fields as object) ? [] : [message]))).toEqual([
    'file processing started',
    'changes held by a guard',
    'values dropped or truncated',
    'file read and planned',
    'file archived',
  ])
})
