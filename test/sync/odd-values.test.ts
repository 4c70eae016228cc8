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
  const event = 'values look damaged: sent unchanged'
  const warned = line.log.filter(({ message }) => message === event)
  const about = { file_number: 1, file_sha256: 'abc', file: 'a.csv' }
  expect(warned.map(({ fields }) => fields)).toEqual([
    { ...about, kind: 'HTML entities', times: 1 },
    { ...about, kind: 'control characters (C1)', times: 1 },
    { ...about, kind: 'spreadsheet marks', times: 2 },
    { ...about, kind: 'numbers with an exponent', times: 1 },
  ])
  expect([...line.service.contacts.values()]).toMatchObject([{ family_name: 'O\u0092Neill' }, {}, {}])
})

it('repairs what the pipeline asks for, says how often, and warns of the rest', async () => {
  const line = testLine({ pipeline: { repair: ['spreadsheet', 'html'] } })
  line.source.drop('a.csv', [
    [...HEADER],
    ['K1', 'a@example.com', 'M&uuml;ller', 'O\u0092Neill', "'+49 171"],
    ['K2', 'b@example.com', 'J&ouml;rg', 'B', '="030"'],
  ])
  expect(await line.run()).toMatchObject({ created: 2 })
  const said = line.log.filter(({ message }) => /repaired|damaged/.test(message))
  expect(said).toMatchObject([
    { message: 'values repaired', fields: { file: 'a.csv', repair: 'html', times: 2 } },
    { message: 'values look damaged: sent unchanged', fields: { kind: 'control characters (C1)' } },
    { message: 'values repaired', fields: { file: 'a.csv', repair: 'spreadsheet', times: 2 } },
  ])
  expect([...line.service.contacts.values()]).toMatchObject([
    { first_name: 'Müller', phone: '+49 171' },
    { first_name: 'Jörg', phone: '030' },
  ])
})

it('a repair that is added later is a change of just the values that it repairs', async () => {
  const line = testLine()
  const table = [
    [...HEADER],
    ['K1', 'a@example.com', 'M&uuml;ller', 'A', '1'],
    ['K2', 'b@example.com', 'Bo', 'B', '2'],
  ]
  line.source.drop('a.csv', table)
  await line.run()
  line.pipeline = { ...line.pipeline, repair: ['html'], hash: 'mapping-2' }
  line.source.drop('b.csv', table)
  expect(await line.run()).toMatchObject({ updated: 1, unchanged: 1 })
})
