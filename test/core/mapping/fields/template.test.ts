import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../../src/core/mapping/fields/template.ts'

const rendered = (template: string, values: Readonly<Record<string, string>>): string =>
  parseTemplate(template).render((column) => values[column] ?? '')

describe('a template', () => {
  it.each([
    ['{A} {B} {C}', { A: 'Anna', C: 'Berg' }, 'Anna Berg'],
    ['{A} {B} {C}', { B: 'Maria', C: 'Berg' }, 'Maria Berg'],
    ['{A} {B} {C}', { A: 'Anna', B: 'Maria' }, 'Anna Maria'],
    ['{A} {B} {C}', { B: 'Maria' }, 'Maria'],
    ['{A}, {B}, {C}, {D}', { A: 'a', D: 'd' }, 'a, d'],
    ['{A} ({B}) {C}', { A: 'a', C: 'c' }, 'a c'],
    ['{A} ({B})', { A: 'a' }, 'a'],
    ['{A} > {B} > {C}', { A: 'a', C: 'c' }, 'a > c'],
    ['{A} {B}, {C} {D}', { A: 'Ring', C: '04109', D: 'Leipzig' }, 'Ring, 04109 Leipzig'],
    ['Tel. {A}, Fax {B}, Mobil {C}', { A: '1', C: '3' }, 'Tel. 1, Mobil 3'],
    ['Tel. {A}, Fax {B}, Mobil {C}', { C: '3' }, '3'],
    ['{A}, {B}{C}', { A: 'a', C: 'c' }, 'a, c'],
    ['{A}{B}, {C}', { A: 'a', C: 'c' }, 'a, c'],
    ['Nr. {A}', { A: '1' }, 'Nr. 1'],
    ['Nr. {A}', {}, ''],
  ])('%s of %j is "%s"', (template, values, text) => {
    expect(rendered(template, values)).toBe(text)
  })
})
