import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SyncError } from '../../src/core/words/errors.ts'
import { read } from './read.ts'

// Whatever a user drops: it is read, or refused with one of our errors, which holds nothing of the content.
const MARKER = 'Zq9'
const pieces = {
  csv: ['"', '""', ',', ';', '\n', '\r', '\r\n', '\\', ' ', '\t', '\ufeff', '\u00a0', 'ü', MARKER, 'a'],
  json: [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\n',
    ' ',
    '"a"',
    '1.50',
    '-',
    'e5',
    'true',
    'null',
    'ü',
    `"${MARKER}"`,
  ],
}

const outcome = async (type: string, content: string | Buffer): Promise<string> => {
  try {
    const { items } = await read(type, content, { columns: ['a', 'b[0].c'] })
    return items.every((item) => item.line >= 1) ? 'read' : 'a line below 1'
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    return error.class === 'input' && !error.message.includes(MARKER) ? 'refused' : error.message
  }
}

describe.each(['csv', 'json'] as const)('%s', (type) => {
  it('reads or refuses any text', async () => {
    const text = fc.array(fc.constantFrom(...pieces[type]), { maxLength: 60 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        expect(['read', 'refused']).toContain(await outcome(type, content))
      }),
      { numRuns: 400 },
    )
  })

  it('reads or refuses any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect(['read', 'refused']).toContain(await outcome(type, Buffer.from(bytes)))
      }),
      { numRuns: 200 },
    )
  })
})
