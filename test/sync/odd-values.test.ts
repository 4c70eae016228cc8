// Damaged values go out unchanged, and the run says how many there are: by number, never by value.
import { expect, it } from 'vitest'
import { HEADER, testLine } from '../support/line.ts'

it('warns with the number of values that look damaged, by their kind, in mapped columns alone', async () => {
  const line = testLine()
  line.source.drop('a.csv', [
    [...HEADER, 'note'],
    ['K1', 'a@example.com', 'M&uuml;ller', 'O\u0092Neill', "'+49 171", '&uuml;'],
    ['K2', 'b@example.com', 'Ann', 'B', '4,91711E+11', '#NAME?'],
    ['K3', 'c@example.com', 'Bea', 'C', "'030", ''],
  ])
  expect(await line.run()).toMatchObject({ created: 3 })
  const event = 'values look damaged; they are sent unchanged'
  const warned = line.log.filter(({ message }) => message === event)
  const about = { file_number: 1, file_sha256: 'abc', file: 'a.csv' }
  expect(warned.map(({ fields }) => fields)).toEqual([
    { ...about, kind: 'entities of HTML', times: 1 },
    { ...about, kind: 'control characters (C1)', times: 1 },
    { ...about, kind: 'marks of a spreadsheet', times: 2 },
    { ...about, kind: 'numbers with an exponent', times: 1 },
  ])
  expect([...line.service.contacts.values()]).toMatchObject([{ family_name: 'O\u0092Neill' }, {}, {}])
})
