// The name of an operation, as the contact that it made carries it.
import { expect, it } from 'vitest'
import { markerText } from '../../../../src/core/change/lookup/marker.ts'

it('a marker names the state, the run and the operation', () =>
  expect(markerText('i', { runId: '20261121-140509-0000', id: 12 })).toBe('i.20261121-140509-0000.12'))
