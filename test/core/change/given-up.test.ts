// The marks of fields that a record gave up, and how others see them.
import { describe, expect, it } from 'vitest'
import {
  givenUpMark,
  givenUpOf,
  givenUpText,
  newlyGivenUp,
  takenBack,
  withoutMarks,
} from '../../../src/core/change/given-up.ts'

describe('among what a link is unsure of', () => {
  const unsure = ['phone', givenUpMark('fax'), 'title', givenUpMark('skype')]

  it('others see the names of the fields that were given up, and nothing else', () => {
    expect(givenUpOf(unsure)).toStrictEqual({ givenUp: ['fax', 'skype'] })
    expect(givenUpOf(['phone', 'title'])).toStrictEqual({})
    expect(givenUpOf([])).toStrictEqual({})
  })

  it('the fields of which the value is unknown are those without a mark', () => {
    expect(withoutMarks(unsure)).toEqual(['phone', 'title'])
    expect(withoutMarks(['the one given up '])).toEqual(['the one given up '])
  })

  it('a mark ends with the next value of its field alone, and is set once for what was sent', () => {
    expect(takenBack({ phone: '1', fax: '2', skype: '' }, { unsure })).toEqual(['fax'])
    const fields = { phone: '1', fax: '2', mobile: '' }
    expect(newlyGivenUp(['phone', 'fax', 'mobile', 'fb'], { fields, unsure })).toEqual(['phone'])
  })
})

it('the sync log names the fields that are left to the next pipeline, and says nothing where none is', () => {
  expect(givenUpText(['phone', 'fax'])).toBe(
    'blank in the record, so left to the next pipeline that owns it: phone, fax',
  )
  expect(givenUpText([])).toBeUndefined()
})
