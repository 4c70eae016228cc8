// The words that this project does not use: messages, help, log events, manuals and the comments of the source are written
// in plain technical English. A generated table follows from the texts in the source.
import { globSync, readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** What stands on the left is not written; what stands on the right is. */
const WORDS: Readonly<Record<string, RegExp>> = {
  'detected, recorded': /\bfound out\b/i,
  'starts over, again': /\b(anew|afresh)\b/i,
  'fix, correct': /\b(mends|mend|mending)\b(?!-)/i,
  permanently: /\bfor (ever|good)\b/i,
  'an e-mail address': /\bmail address/i,
  'someone, a user, an operator': /\b(somebody|anybody|whoever)\b/i,
  'service unavailable: runs paused': /\bno run begins (until|since)\b/i,
  'file rejected': /\bfile cannot be taken\b/i,
  'Needs attention': /\bfor a person to look at\b/i,
  bug: /\bfault of contact-sync\b/i,
}

/** The same for comments and manuals, where these stood for contacts, records, users and processes. */
const VAGUE: Readonly<Record<string, RegExp>> = {
  'no contact, no record, unknown': /\bnobody\b/i,
  'the user, the caller, a process': /\b(somebody|anybody|whoever)\b/i,
  'all contacts, all records': /\beverybody\b/i,
  zero: /\bnought\b/i,
  continues: /\b(goes|went) on\b/i,
  'arrives late': /\bcomes? after all\b/i,
  'is detected': /\bfound out\b/i,
  'starts over, again': /\b(anew|afresh)\b/i,
  permanently: /\bfor (ever|good)\b/i,
}

const sourceFiles = (): readonly string[] =>
  readdirSync(resolve(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file}`)

/** Other words of the same spelling: names of columns in exports, keys, and the words that `init` knows. */
const isExcepted = (file: string): boolean => file.startsWith('src/core/proposal/words/')

const COMMENT = /^\s*(\/\/|\/\*|\*|--)|\s\/\/ .*$/

const proseOf = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.replaceAll(/e-mail address/gi, '').replace(/`[^`]*`/g, ''))

/** The texts of a source file: what stands in quotes on lines that are no comment. */
const textsOf = (source: string): readonly string[] =>
  source
    .split('\n')
    .map((line) => (COMMENT.test(line) ? '' : line.replaceAll(/e-mail address/gi, '')))
    .map((line) => (/['"`]/.test(line) ? line : ''))

const MANUALS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'config/README.md',
  'config/sources/README.md',
  'config/sources/http.md',
  'config/sources/module.md',
  'config/sources/remote.md',
  'config/sources/singer.md',
  'config/sources/sql.md',
  ...globSync('docs/decisions/*.md', { cwd: ROOT }),
  'docs/README.md',
  'docs/assistant.md',
  'docs/glossary.md',
  'docs/interface.md',
  'docs/sandbox.md',
  'src/README.md',
  'state/README.md',
  'state/FAILURES.md',
]

/** The comments of a source file. */
const commentsOf = (source: string): readonly string[] =>
  source
    .split('\n')
    .map((line) => (/^\s*(\/\/|\/\*|\*|--)/.test(line) ? line : (/\s\/\/ .*$/.exec(line)?.[0] ?? '')))
    .map((line) => line.replace(/`[^`]*`/g, '').replace(/'[^']*'/g, ''))

function findings(
  files: readonly string[],
  linesOf: (text: string) => readonly string[],
  words: Readonly<Record<string, RegExp>> = WORDS,
): readonly string[] {
  return files
    .filter((file) => !isExcepted(file))
    .flatMap((file) =>
      linesOf(readFileSync(resolve(ROOT, file), 'utf8')).flatMap((line, index) =>
        Object.entries(words)
          .filter(([, pattern]) => pattern.test(line))
          .map(([better]) => `${file}:${index + 1}: write: ${better}: ${line.trim().slice(0, 120)}`),
      ),
    )
}

describe('plain technical English', () => {
  it('is what messages, help, events and pages are written in', () => {
    expect(findings(sourceFiles(), textsOf)).toEqual([])
  })

  it('is what the manuals for operators are written in', () => {
    expect(findings(MANUALS, proseOf, { ...WORDS, ...VAGUE })).toEqual([])
  })

  it('is what the comments of the source are written in', () => {
    expect(findings(sourceFiles(), commentsOf, VAGUE)).toEqual([])
  })

  it('finds a sentence that is not', () => {
    expect(textsOf("const text = 'mend the file'").some((line) => WORDS['fix, correct']?.test(line))).toBe(
      true,
    )
    const found = commentsOf('  /** Nobody waits. */\nconst text = 1 // whoever asks').filter((line) =>
      Object.values(VAGUE).some((pattern) => pattern.test(line)),
    )
    expect(found).toHaveLength(2)
  })
})
