// Where the header of a sample is, without a mapping that says so.
import { expect, it } from 'vitest'
import { linesBeforeHeader } from '../../../src/sources/csv/sample.ts'

it.each<[string, string, number]>([
  ['the first line', 'E-Mail;Vorname\na@a.example;Nea\n', 0],
  [
    'behind three lines of notes',
    'Notes:\n"When exporting ..., some columns"\n\nFirst Name,Last Name,Email Address\nNea,Berg,a@a.example\n',
    3,
  ],
  ['behind the line that names the delimiter', 'sep=;\nE-Mail;Vorname\na@a.example;Nea\n', 0],
  ['behind both', 'Report\nsep=;\nE-Mail;Vorname\na@a.example;Nea\n', 1],
  ['the first line where no name is known', 'foo,bar\nE-Mail,x\n1,2\n', 0],
  ['the first of two alike', 'Email,Name\nEmail,Name\n', 0],
])('the header is %s', (_, head, lines) => {
  expect(linesBeforeHeader(head)).toBe(lines)
})
