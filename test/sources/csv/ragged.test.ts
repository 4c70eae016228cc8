// Rows with more or fewer values than the header: a separator too many or too few shifts what stands behind it, so only
// what most rows of the file have in common is taken for a difference at the end.
import { describe, expect, it } from 'vitest'
import { read } from '../read.ts'

const kinds = async (text: string, options = {}): Promise<string[]> =>
  (await read('csv', text, options)).items.map(({ kind, values }) => `${kind} ${values.join('|')}`)

const reasons = async (text: string, options = {}): Promise<string[]> =>
  (await read('csv', text, options)).items.flatMap((item) => (item.kind === 'defect' ? item.message : []))

describe('a row whose quote is not closed where its value ends', () => {
  const head = 'mail,first,last\n'

  it.each([
    ['one more row', 'a@x.example,"Ann,Ash\nb@x.example,Bo",Birch\n', 2],
    ['two more rows', 'a@x.example,"Ann,Ash\r\nb@x.example,Bo,Birch\r\nc@x.example,Cy",Cole\n', 3],
  ])('is rejected where it looks like several rows: %s', async (_what, row, number) => {
    expect(await reasons(`${head}z@x.example,Zoe,Zorn\n${row}`)).toEqual([
      `The row looks like ${number} rows in one: a quote in it is not closed where its value ends`,
    ])
  })

  it.each([
    ['a text of several lines', 'a@x.example,"Ann\nMaria",Ash\n'],
    ['a text of as many parts as a row', 'a@x.example,Ann,"Dear\nAnn, Bo, Cy"\n'],
    ['addresses in a text', 'a@x.example,Ann,"a@x.example\nb@x.example"\n'],
  ])('is no such row with %s', async (_what, row) => {
    expect(await reasons(head + row)).toEqual([])
  })
})

describe('a row with too many values', () => {
  it('is accepted where most rows have the same surplus of blanks', async () => {
    expect(await kinds('a,b\n1,2,\n3,4,\n5,6\n')).toEqual(['record 1|2', 'record 3|4', 'record 5|6'])
  })

  it('is rejected where it alone has it: a separator too many before a blank last column', async () => {
    const text = 'id,first,last,mail\n1,Ann,Ash,a@x.example\n2,Bo,,Birch,\n3,Cy,Cole,\n'
    expect(await kinds(text)).toEqual([
      'record 1|Ann|Ash|a@x.example',
      'defect 2|Bo||Birch|',
      'record 3|Cy|Cole|',
    ])
    expect(await reasons(text)).toEqual([
      'The row has 5 values, the header has 4: a surplus of blank values is accepted only if most rows have it (source.ragged)',
    ])
  })

  it('is rejected where half of the rows have it, and where the common surplus is another', async () => {
    expect(await kinds('a,b\n1,2,\n3,4\n')).toEqual(['defect 1|2|', 'record 3|4'])
    expect(await kinds('a,b\n1,2,\n3,4,\n5,6,,\n')).toEqual(['record 1|2', 'record 3|4', 'defect 5|6||'])
  })

  it('is rejected in all of the file where the header has a name too few', async () => {
    const text = 'id,first,mail\n1,Ann,Ash,\n2,Bo,Birch,\n3,Cy,Cole,c@x.example\n'
    expect(await kinds(text)).toEqual([
      'defect 1|Ann|Ash|',
      'defect 2|Bo|Birch|',
      'defect 3|Cy|Cole|c@x.example',
    ])
    expect((await reasons(text))[2]).toContain('a missing name in the header')
  })

  it('is judged over the whole file, not over what was read so far', async () => {
    const alike = Array.from({ length: 5000 }, (_, index) => `${index},x,`)
    const others = Array.from({ length: 5001 }, (_, index) => `${index},x`)
    const text = ['a,b', ...alike, ...others, ''].join('\n')
    expect((await kinds(text)).filter((kind) => kind.startsWith('defect'))).toHaveLength(5000)
  })
})

describe('a row with too few values', () => {
  it('is rejected by default, and names what would fill it up', async () => {
    expect(await reasons('a,b,c\n1,2\n')).toEqual([
      'The row has 2 values, the header has 3; source.ragged: auto fills the end if most rows lack the same one',
    ])
  })

  it.each(['reject', 'auto'])('is told apart where it may be a line at the end (%s)', async (ragged) => {
    const [total] = await reasons('a,b,c\n1,2,3\nGrand Totals\n', { ragged })
    expect(total).toContain('source.skip_footer drops lines at the end that are no records')
    expect((await reasons('a,b\n1,2\n3\n', { ragged }))[0]).not.toContain('skip_footer')
  })

  it.each(['auto', 'pad'])('is padded where most rows lack the same end (%s)', async (ragged) => {
    expect(await kinds('a,b,c\n1,2\n3,4\n5,6,7\n', { ragged })).toEqual([
      'record 1|2|',
      'record 3|4|',
      'record 5|6|7',
    ])
  })

  it('is not padded under auto where it alone is short: the missing value may be one in the middle', async () => {
    const text = 'id,first,mail\n1,Ann,a@x.example\n2,b@x.example\n3,Cy,c@x.example\n'
    expect(await kinds(text, { ragged: 'auto' })).toEqual([
      'record 1|Ann|a@x.example',
      'defect 2|b@x.example',
      'record 3|Cy|c@x.example',
    ])
    expect(await reasons(text, { ragged: 'auto' })).toEqual([
      'The row has 2 values, the header has 3: the end is filled only if most rows lack the same one (source.ragged)',
    ])
  })

  it('is always padded under pad, however many the others lack', async () => {
    expect(await kinds('a,b,c\n1,2,3\n4,5\n6\n7,8\n9,10,11\n', { ragged: 'pad' })).toEqual([
      'record 1|2|3',
      'record 4|5|',
      'record 6||',
      'record 7|8|',
      'record 9|10|11',
    ])
  })

  it('changes nothing under pad for rows with a surplus', async () => {
    expect(await kinds('a,b\n1,2,\n3\n4,5,6\n', { ragged: 'pad' })).toEqual([
      'defect 1|2|',
      'record 3|',
      'defect 4|5|6',
    ])
    expect(await kinds('a,b\n1,2,\n3,4,\n5\n', { ragged: 'pad' })).toEqual([
      'record 1|2',
      'record 3|4',
      'record 5|',
    ])
  })
})

it('auto judges surplus and lack alike by most rows: every other row is rejected', async () => {
  const text = ['a,b,c', '1,2', '3,4', '5,6', '7,8,9,', '10', '11,12,13', ''].join('\n')
  expect(await kinds(text, { ragged: 'auto' })).toEqual([
    'defect 1|2',
    'defect 3|4',
    'defect 5|6',
    'defect 7|8|9|',
    'defect 10',
    'record 11|12|13',
  ])
  expect(
    await kinds(text.replace('7,8,9,', '7,8').replace('\n10\n', '\n10,1\n'), { ragged: 'auto' }),
  ).toEqual(['record 1|2|', 'record 3|4|', 'record 5|6|', 'record 7|8|', 'record 10|1|', 'record 11|12|13'])
  expect(await kinds('a,b\n1,2,\n3,4,\n5,6,,\n7\n8,9,\n', { ragged: 'auto' })).toEqual([
    'record 1|2',
    'record 3|4',
    'defect 5|6||',
    'defect 7',
    'record 8|9',
  ])
})

it('rejects that were written out are not fitted once more, however many of them have a surplus', async () => {
  const text = 'id,first,mail,_reason,_file,_line\n2,Bo,,r,f.csv,3,\n4,Di,,r,f.csv,5,\n'
  expect(await kinds(text, { ragged: 'pad' })).toEqual(['defect 2|Bo||r|f.csv|3|', 'defect 4|Di||r|f.csv|5|'])
})
