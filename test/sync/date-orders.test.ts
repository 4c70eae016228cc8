// `date: auto` through whole runs: a proof that comes in a later file, one that is kept, and one that is contradicted.
import { expect, it } from 'vitest'
import { HEADER, testLine } from '../support/line.ts'

const BORN = [...HEADER, 'Born']
const AUTO = {
  map: {
    mail: { column: 'mail' },
    first_name: { column: 'first' },
    date_of_birth: { column: 'Born', date: ['auto'] },
  },
}
const row = (number: number, born: string): string[] => [
  `K${number}`,
  `p${number}@example.com`,
  `V${number}`,
  'N',
  '',
  born,
]

const daysOf = (line: ReturnType<typeof testLine>) =>
  [...line.service.contacts.values()].map(({ date_of_birth: born }) => String(born).slice(0, 10))

it('an order is taken from the file that proves it, also for the records before the proof', async () => {
  const line = testLine({ pipeline: AUTO })
  line.source.drop('a.csv', [BORN, row(1, '03/04/1980'), row(2, '12/31/1980'), row(3, '1980-05-06')])
  expect(await line.run()).toMatchObject({ created: 3, rejected: 0 })
  expect(daysOf(line)).toEqual(['1980-03-04', '1980-12-31', '1980-05-06'])
})

it('without a proof what is open is rejected, and read once a later file proves it', async () => {
  const line = testLine({ pipeline: AUTO })
  line.source.drop('a.csv', [BORN, row(1, '03.04.1980'), row(2, '')])
  expect(await line.run()).toMatchObject({ created: 1, rejected: 1 })
  line.source.drop('b.csv', [BORN, row(1, '03.04.1980'), row(2, '31.12.1980')])
  expect(await line.run()).toMatchObject({ created: 1, updated: 1, rejected: 0 })
  expect(daysOf(line).sort()).toEqual(['1980-04-03', '1980-12-31'])
})

it('a record whose date was dropped for want of a proof is mapped again with the proof', async () => {
  const line = testLine({ pipeline: { ...AUTO, on_invalid: 'drop' } })
  line.source.drop('a.csv', [BORN, row(1, '03.04.1980')])
  expect(await line.run()).toMatchObject({ created: 1 })
  line.source.drop('b.csv', [BORN, row(1, '03.04.1980'), row(2, '31.12.1980')])
  expect(await line.run()).toMatchObject({ created: 1, updated: 1 })
  expect(daysOf(line)).toEqual(['1980-04-03', '1980-12-31'])
  line.source.drop('c.csv', [BORN, row(1, '03.04.1980'), row(2, '31.12.1980')])
  expect(await line.run()).toMatchObject({ unchanged: 2, requests: 0 })
})

it('a proof is kept: a later file without one is read by it, and one that contradicts it is held whole', async () => {
  const line = testLine({ pipeline: AUTO })
  line.source.drop('a.csv', [BORN, row(1, '31/12/1980')])
  await line.run()
  line.source.drop('b.csv', [BORN, row(2, '03/04/1980')])
  expect(await line.run()).toMatchObject({ created: 1 })
  expect(daysOf(line)).toEqual(['1980-12-31', '1980-04-03'])
  line.source.drop('c.csv', [BORN, row(3, '05/06/1980'), row(4, '12/31/1980')])
  line.source.drop('d.csv', [BORN, row(5, '07/06/1980')])
  const result = await line.run()
  expect(result).toMatchObject({ status: 'held', created: 1 })
  expect(result.files).toMatchObject([
    {
      file: 'c.csv',
      status: 'held',
      code: 'INPUT_DATE_ORDER',
      error: 'c.csv: column "Born": the month comes first on line 3, and in the files before it was the day',
    },
    { file: 'd.csv', status: 'done' },
  ])
  expect(daysOf(line)).toEqual(['1980-12-31', '1980-04-03', '1980-06-07'])
  expect(line.source.archived.find(({ name }) => name === 'c.csv')).toMatchObject({ folder: 'failed' })
  // An alert says so.
  const { lastRefused } = await line.state.milestones('shop')
  expect(lastRefused).toMatchObject({ file: 'c.csv', code: 'INPUT_DATE_ORDER', files: 1 })
})

it('a record that was rejected for want of a proof is taken by a retry, once there is one', async () => {
  const line = testLine({ pipeline: AUTO })
  line.source.drop('a.csv', [BORN, row(1, '03.04.1980')])
  expect(await line.run()).toMatchObject({ created: 0, rejected: 1 })
  line.source.drop('b.csv', [BORN, row(2, '31.12.1980')])
  await line.run()
  expect(await line.retry()).toMatchObject({ created: 1, rejected: 0 })
  expect(daysOf(line)).toEqual(['1980-12-31', '1980-04-03'])
})

it('a plan reads dates as the run will', async () => {
  const line = testLine({ pipeline: AUTO })
  line.source.drop('a.csv', [BORN, row(1, '03/04/1980'), row(2, '12/31/1980')])
  const { changes } = await line.preview()
  expect(changes.map(({ fields }) => String(fields['date_of_birth']?.to).slice(0, 10))).toEqual([
    '1980-03-04',
    '1980-12-31',
  ])
})

it('a run that is ended while the proofs are looked for leaves the file where it is', async () => {
  const line = testLine({ pipeline: AUTO })
  line.source.drop('a.csv', [BORN, row(1, '03/04/1980')])
  const { open } = line.source
  Object.assign(line.source, {
    open: (...args: Parameters<typeof open>) => {
      line.abort.abort()
      return open(...args)
    },
  })
  expect(await line.run()).toMatchObject({ created: 0, files: [{ file: 'a.csv', status: 'left' }] })
  expect(line.source.waiting()).toEqual(['a.csv'])
})

it('a file that holds both orders is held', async () => {
  const line = testLine({ pipeline: AUTO })
  line.source.drop('a.csv', [BORN, row(1, '31/12/1980'), row(2, '12/31/1980')])
  const result = await line.run()
  expect(result).toMatchObject({ status: 'held', created: 0, read: 0 })
  expect(await line.state.dateOrders('shop')).toEqual({})
})

it('a pipeline without date: auto keeps nothing and reads its file once', async () => {
  const line = testLine()
  const opened: string[] = []
  const { open } = line.source
  Object.assign(line.source, {
    open: (...args: Parameters<typeof open>) => {
      opened.push(args[0].name)
      return open(...args)
    },
  })
  line.source.drop('a.csv', [HEADER, ['K1', 'p1@example.com', 'V', 'N', '']])
  await line.run()
  expect(opened).toEqual(['a.csv'])
  expect(await line.state.dateOrders('shop')).toEqual({})
})
