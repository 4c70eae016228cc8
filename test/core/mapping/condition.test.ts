// Conditions: what is refused because of its cost, and what stays allowed.
import { describe, expect, it } from 'vitest'
import { compileCondition, compileExpression } from '../../../src/core/mapping/cel/condition.ts'

const problemOf = (expression: string): string => {
  const condition = compileCondition(expression)
  return 'problem' in condition ? condition.problem : 'none'
}

const verdict = (expression: string, record: Record<string, string>): unknown => {
  const condition = compileCondition(expression)
  return 'problem' in condition ? condition : condition.evaluate(new Map(Object.entries(record)), {})
}

const LIST = `[${Array.from({ length: 50 }, (_, index) => index).join(', ')}]`

describe('a number out of a text', () => {
  it.each(['int', 'uint', 'double'])('is never made of a blank by %s()', (name) => {
    const condition = `${name}(record["A"]) == ${name}("0")`
    expect(verdict(condition, { A: '' })).toEqual({ problem: expect.any(String) as string })
    expect(verdict(condition, { A: '0' })).toBe(true)
    expect(verdict(`record["A"] == "" || ${condition}`, { A: '' })).toBe(true)
    expect(verdict(`[record["A"]].exists(a, ${name}(a) == ${name}("0"))`, { A: '' })).toEqual({
      problem: expect.any(String) as string,
    })
    const made = compileExpression(`string(${name}(record["A"]) == ${name}("0"))`)
    if ('problem' in made) throw new Error(made.problem)
    expect(made.evaluate(new Map([['A', '']]))).toHaveProperty('problem')
  })

  it('is made of numbers and of fields of the contact as before', () => {
    expect(verdict('int(2.7) == 2 && int(int(record["A"])) == 3 && uint(3) == 3u', { A: '3' })).toBe(true)
    const status = compileCondition('int(contact.mail_status) == 4')
    if ('problem' in status) throw new Error(status.problem)
    expect(status.evaluate(new Map(), { mail_status: 4 })).toBe(true)
    expect(problemOf('int(true) == 1')).toBe("found no matching overload for 'int(bool)' (at character 1)")
    expect(problemOf('uint(["A"]) == 1u')).toContain("found no matching overload for 'uint(list")
  })
})

it('a condition over a field that no contact has is refused, with the nearest', () => {
  expect(compileCondition('contact.emial != ""')).toEqual({
    problem: 'contact has no field emial; the nearest known is mail',
  })
  expect(compileCondition('contact["country"] == "DE"')).toEqual({
    problem: 'contact has no field country; did you mean ba_country?',
  })
})

describe('a condition that could cost too much', () => {
  it.each([
    [
      'a pattern from a column',
      'record["A"].like(record["B"])',
      'the pattern of like() is not written in the expression',
    ],
    [
      'a pattern that is put together',
      'record["A"].like("^" + record["B"])',
      'the pattern of like() is not written',
    ],
    ['a pattern that is none', 'record["A"].like("(")', 'like(): "(" is not an RE2 pattern'],
    [
      'lists within lists',
      `${LIST}.map(a, ${LIST}.map(b, a + b)).size() > 1`,
      'walks through a list within a list',
    ],
    ['a look within a walk', '["a"].exists(a, ["b"].all(b, a == b))', 'walks through a list within a list'],
    [
      'growth by binding',
      'cel.bind(x, record["A"] + record["A"], x + x == "")',
      'cel.bind() can make values grow',
    ],
    [
      'growth by walking',
      '["a"].map(a, a + a).map(b, b + b).map(c, c + c).size() > 0',
      'walks through lists too often',
    ],
    [
      'a long one',
      `["a"].exists(a, ${Array(60).fill('a == "b"').join(' || ')})`,
      'is too long for an expression that walks',
    ],
    ['matches', 'record["A"].matches("(a+)+$")', 'matches() can run without end'],
  ])('is refused when it is read: %s', (_, expression, problem) => {
    expect(problemOf(expression)).toContain(problem)
  })

  it('is given no values that are too long to walk through, and only those that it names count', () => {
    const long = 'x,'.repeat(10_001)
    const named = 'record["T"].split(",").exists(t, t == "VIP")'
    expect(verdict(named, { T: long, U: '' })).toEqual({
      problem: expect.stringContaining('20002 characters are too long') as string,
    })
    expect(verdict(named, { T: 'a,VIP', U: long })).toBe(true)
    expect(verdict('record.exists(k, record[k] == "VIP")', { T: 'VIP', U: long })).toHaveProperty('problem')
    expect(verdict('record["T"].contains("x")', { T: long })).toBe(true)
  })

  it.each([
    ['record["T"].split(",").map(t, t.trim()).exists(t, t == "VIP")', true],
    [
      'record["T"].split(",").filter(t, t.trim().startsWith("V")).size() == 1 && record.all(k, k != "x")',
      true,
    ],
    ['record["T"].like("^A.*P$") && !record["T"].like("b")', true],
    ['has(record.T) && double("1.5") > 1.0', true],
  ])('stays allowed otherwise: %s', (expression, expected) => {
    expect(verdict(expression, { T: 'A, VIP' })).toBe(expected)
  })
})
