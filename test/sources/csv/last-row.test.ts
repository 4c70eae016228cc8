// A file that was cut off within its last value looks whole but for the line break that is missing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SyncError } from '../../../src/core/words/errors.ts'
import { read } from '../read.ts'

const last = async (text: string | Buffer, options = {}): Promise<string> => {
  const item = (await read('csv', text, options)).items.at(-1)
  return item === undefined ? 'nothing' : item.kind === 'defect' ? item.code : item.values.join('|')
}

describe('a last row without a line break', () => {
  it.each([
    ['a key that was cut', 'mail,id\na@x.example,30\nb@x.example,3'],
    ['a blank that may be the start of a value', 'id,mail\n1,a@x.example\n2,'],
    ['a row that was cut before its first value', 'note,other,id\nx,y,1\n,,'],
    ['a row with too few values', 'id,mail\n1,a@x.example\n2'],
    ['a value that ends with a quote of its own', 'id,size\n1,4"\n2,5"'],
    ['CR LF', 'id,mail\r\n1,a@x.example\r\n2,b@x.exam'],
    ['CR', 'id,mail\r1,a@x.example\r2,b@x.exam'],
    ['UTF-16', Buffer.from('\ufeffid,mail\n1,a@x.example\n2,b@x.exam', 'utf16le')],
    ['a line of blanks before it', 'id,mail\n1,a@x.example\n  \n\t\n2,b@x.exam'],
    ['a quoted value before it', 'id,mail\n1,a@x.example\n"2",b@x.exam'],
    ['a quote that may be half of two', 'id,note\n1,"say ""hi"""\n2,"say "'],
  ])('may have been cut off: %s', async (_what, text) => {
    expect(await last(text)).toBe('RECORD_MAYBE_CUT')
  })

  it('names the option that accepts it', async () => {
    const { items } = await read('csv', 'id\n1\n2')
    expect(items.at(-1)).toMatchObject({
      message: expect.stringContaining('source.last_line: accept') as string,
    })
  })

  it.each([
    ['is closed by its quote', 'id,mail\n1,a@x.example\n2,"b@x.example"', '2|b@x.example', {}],
    ['stands where that is set', 'id,mail\n1,a@x.example\n2,b@x', '2|b@x', { last_line: 'accept' }],
    [
      'is the only row of a file without header',
      '2,b@x.example',
      '2|b@x.example',
      { header: ['id', 'mail'] },
    ],
    ['is blank', 'id,mail\n1,a@x.example\n   ', '1|a@x.example', {}],
    ['is one of many that end with a break', 'id,mail\n1,a@x.example\n\n', '1|a@x.example', {}],
  ])('is accepted where it %s', async (_what, text, expected, options) => {
    expect(await last(text, options)).toBe(expected)
  })

  it('is doubtful in a file of one row whose predecessor ended with a line break', async () => {
    const options = { header: ['mail', 'id'], lastEndedWithLineBreak: true }
    expect(await last('b@x.example,3', options)).toBe('RECORD_MAYBE_CUT')
    expect(await last('b@x.example,3\n', options)).toBe('b@x.example|3')
  })

  it('makes all rows doubtful that might be the footer: nobody knows whether it is there', async () => {
    const { items } = await read('csv', 'id,n\n1,x\n2,y\n3,z', { skip_footer: 2 })
    expect(items.map((item) => (item.kind === 'defect' ? item.code : item.values[0]))).toEqual([
      '1',
      'RECORD_MAYBE_CUT',
      'RECORD_MAYBE_CUT',
    ])
  })
})

it('wherever a file is cut off, no record is read that it did not hold', async () => {
  const last = fc.oneof(
    fc.stringMatching(/^[a-z0-9@. ]{0,6}$/),
    fc.constantFrom('"x, y"', '"a\nb"', '""', '31', ''),
  )
  const cell = fc.oneof(last, fc.constant('"say ""hi"""'))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(99), cell, last), { minLength: 1, maxLength: 6 }),
      fc.nat(),
      async (table, where) => {
        const text = ['id,first,last', ...table.map((row) => row.join(','))]
          .map((line) => `${line}\n`)
          .join('')
        const whole = (await read('csv', text)).items.map(({ values }) => JSON.stringify(values))
        const cut = text.slice(0, where % (text.length + 1))
        const found = await read('csv', cut).catch((error: unknown) => {
          if (error instanceof SyncError && error.class === 'input') return { items: [] }
          throw error
        })
        if (!cut.includes('\n')) return
        for (const item of found.items)
          if (item.kind === 'record') expect(whole).toContain(JSON.stringify(item.values))
      },
    ),
    { numRuns: 200 },
  )
})
