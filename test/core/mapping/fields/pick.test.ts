// One of several numbered columns, by the label beside it.
import { describe, expect, it } from 'vitest'
import { SyncError } from '../../../../src/core/words/errors.ts'
import { compileMapping, wantedColumns } from '../../../../src/core/mapping/mapping.ts'
import type { FieldMapping } from '../../../../src/core/mapping/mapping-schema.ts'
import { pipelineSettings } from '../../../support/pipeline.ts'

const pick = { label: ['Phone * - Type'], value: 'Phone * - Value', of: ['Mobile', 'Work'], except: [] }

function phoneOf(header: string[], values: string[], mapping: FieldMapping): unknown {
  const pipeline = pipelineSettings({ key: ['no'], map: { mail: { column: 'mail' }, phone: mapping } })
  const mapper = compileMapping(pipeline, ['no', 'mail', ...header])
  const mapped = mapper.map({ kind: 'record', values: ['K1', 'a@example.com', ...values], line: 2 })
  return mapped.kind === 'contact' ? mapped.contact['phone'] : mapped
}

const HEADER = ['Phone 10 - Value', 'phone 10 - type ', 'Phone 2 - Type', 'Phone 2 - Value']

describe('pick', () => {
  it.each([
    ['the best label, whatever its number', ['10', 'work', 'MOBILE', '2'], '2'],
    ['the lower number among equals', ['10', 'Work', 'Work', '2'], '2'],
    ['not a blank one', ['10', 'Work', 'Work', ''], '10'],
    ['nothing where no label fits', ['10', 'Pager', 'Home', '2'], undefined],
  ])('takes %s', (_, values, phone) => {
    expect(phoneOf(HEADER, values, { pick })).toBe(phone)
  })

  it('says which column is missing', () => {
    const missing = (header: string[], mapping: FieldMapping) => {
      try {
        phoneOf(header, header, mapping)
        return 'nothing'
      } catch (error) {
        return error instanceof SyncError ? error.message : error
      }
    }
    expect(missing([], { pick })).toContain('column "Phone 1 - Value" (map.phone) is not in the header')
    expect(missing(['Phone 1 - Value'], { pick })).toContain('column "Phone 1 - Type" (map.phone)')
    expect(missing([], { pick, optional: true })).toBe('nothing')
    expect(missing(['Phone 1 - Value'], { pick: { ...pick, of: ['*'] } })).toBe('nothing')
  })

  it('leaves the field alone where an input has no column for it, even if blanks clear', () => {
    expect(phoneOf([], [], { pick, optional: true, blank: 'clear' })).toBeUndefined()
    expect(phoneOf(HEADER, ['', '', '', ''], { pick, optional: true, blank: 'clear' })).toBe('')
  })

  it('asks a source without a header for its columns by number', () => {
    const pipeline = pipelineSettings({ key: ['no'], map: { phone: { pick } } })
    expect(wantedColumns(pipeline)).toEqual(expect.arrayContaining(['Phone 1 - Type', 'Phone 9 - Value']))
  })
})
