// Help: every command, every group and the program have a whole page; examples can be typed; the manual's list is the program's.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandEntry } from '../../src/cli/command-table/entry.ts'
import { argumentHelp } from '../../src/cli/help/facts.ts'
import { argumentNames, commandPage, groupPage, programPage } from '../../src/cli/help/page.ts'
import { pageRoff, pageText } from '../../src/cli/help/render.ts'
import type { OptionEntry } from '../../src/cli/command-table/entry.ts'
import { TREE } from '../../src/cli/command-table/tree.ts'
import { runCommandLine } from '../../src/cli/program.ts'
import type { Io } from '../../src/cli/io.ts'
import { quickAnswer } from '../../src/cli/quick.ts'
import { widthOf } from '../../src/cli/terminal.ts'

const PARTS = [
  'NAME',
  'SYNOPSIS',
  'DESCRIPTION',
  'OPTIONS',
  'EXAMPLES',
  'FILES',
  'ENVIRONMENT',
  'EXIT CODES',
  'SEE ALSO',
]
const asItIs = (text: string): string => text

const all: readonly { path: string; entry: CommandEntry; page: ReturnType<typeof commandPage> }[] = [
  ...TREE.commands.map((entry) => ({ path: entry.name, entry, page: commandPage(entry, {}) })),
  ...TREE.groups.flatMap((group) =>
    group.entries.map((entry) => ({
      path: `${group.name} ${entry.name}`,
      entry,
      page: commandPage(entry, { group }),
    })),
  ),
]
const pages = [programPage(TREE), ...TREE.groups.map(groupPage), ...all.map(({ page }) => page)]

type Answer = (args: readonly string[], io: Io) => Promise<number | undefined>

async function typedTo(answer: Answer, args: readonly string[]) {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const code = await answer(args, {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: {},
    cwd: '/',
    pid: 1,
    isTerminal: false,
    isInteractive: false,
    signal: new AbortController().signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  })
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

const typed = (...args: string[]) => typedTo(runCommandLine, args)

describe.each(all)('contact-sync $path', ({ path, entry, page }) => {
  it('has every part, and none is empty', () => {
    const headings = page.sections.map(({ heading }) => heading)
    expect(headings).toEqual(expect.arrayContaining(PARTS))
    for (const { blocks } of page.sections) for (const block of blocks) expect(block.text.trim()).not.toBe('')
    expect(entry.examples.length).toBeGreaterThan(0)
    expect(entry.description.length).toBeGreaterThan(entry.summary.length / 2)
  })

  it('explains its arguments and options', () => {
    for (const name of argumentNames(entry)) expect(argumentHelp(path, name)?.length ?? 0).toBeGreaterThan(3)
    for (const { help } of entry.options ?? []) expect(help).not.toBe('')
  })

  it.each(entry.examples)('has an example that can be typed: %s', (example) => {
    const command = /contact-sync ([^>)|]*)/.exec(example.replaceAll(/\$\([^)]*\)/g, 'x'))?.[1]?.trim() ?? ''
    expect(command === path || command.startsWith(`${path} `)).toBe(true)
    const words = command
      .slice(path.length)
      .trim()
      .split(/ +/)
      .filter((word) => word !== '')
    const longOf = ({ flags }: OptionEntry): string => flags.split(' ')[0]!
    const options = [...(entry.options ?? []).map(longOf), '--config', '--json']
    for (const word of words.filter((one) => one.startsWith('--')))
      expect(options).toContain(word.split('=')[0])
    const valued = new Set((entry.options ?? []).filter(({ flags }) => flags.includes('<')).map(longOf))
    const plain = words.filter(
      (word, at) =>
        !word.startsWith('--') && words[at - 1] !== '--config' && !valued.has(words[at - 1] ?? ''),
    )
    const required = [...(entry.arguments ?? '').matchAll(/<[A-Z]+>/g)].length
    expect(plain.length).toBeGreaterThanOrEqual(required)
    if (entry.arguments === undefined) expect(plain).toEqual([])
  })
})

describe('pages', () => {
  it.each([40, 60, 80, 200])('fit a terminal of %i columns', (columns) => {
    for (const page of pages)
      for (const line of pageText(page, columns, asItIs).split('\n')) {
        // What is to be copied is not broken: examples, and a word that is longer than the line.
        if (line.includes('contact-sync') || !line.trim().includes(' ')) continue
        expect(widthOf(line), line).toBeLessThanOrEqual(Math.min(100, columns))
      }
  })

  it('lead on to commands that exist', () => {
    const known = new Set(pages.map(({ name }) => name))
    for (const { name, sections } of pages) {
      const texts = sections.filter(({ heading }) => heading === 'SEE ALSO').flatMap(({ blocks }) => blocks)
      const names = texts
        .flatMap(({ text }) => text.split(', '))
        .filter((one) => /^contact-sync(?!.*COMMAND)/.test(one))
      expect([...known], name).toEqual(expect.arrayContaining(names))
    }
  })

  it.skipIf(spawnSync('groff', ['--version']).status !== 0)('are man pages without a complaint', () => {
    for (const page of pages) {
      const { stderr, status } = spawnSync('groff', ['-man', '-ww', '-z', '-Tutf8'], {
        input: pageRoff(page, '1'),
      })
      expect([status, String(stderr)], page.name).toEqual([0, ''])
    }
  })
})

describe('the command line', () => {
  it('gives the same page for help and --help, of a command, a group and the program', async () => {
    for (const words of [['run'], ['rejects', 'export'], ['rejects'], []]) {
      const asked = await typed('help', ...words)
      expect(asked.code).toBe(0)
      expect(await typed(...words, '--help')).toEqual(asked)
      expect(asked.stdout).toContain('SEE ALSO')
    }
    expect((await typed('help', 'sandbox')).stdout).toContain('ids-as-text')
    expect((await typed('help', '--man', 'run')).stdout).toMatch(/^\.TH "CONTACT\\-SYNC\\-RUN"/)
  })

  it.each([
    ['--version'],
    ['--help'],
    ['-h'],
    ['help'],
    ['run', '--help'],
    ['help', 'rejects'],
    ['rejects', 'list', '-h'],
    ['help', 'sandbox'],
    ['completion', 'bash'],
    ['completion', 'zsh'],
    ['completion', 'fish'],
    ['completion', 'pipelines'],
    ['completion', 'pipelines', '--config', '/nowhere.yaml'],
  ])('answers quickly what it answers in full: %s %s %s %s', async (...words) => {
    const quick = await typedTo(quickAnswer, words)
    expect(quick.code).toBe(0)
    expect(quick).toEqual(await typed(...words))
  })

  it.each([
    [],
    ['status'],
    ['run', 'shop', '--json'],
    ['help', 'nonsense'],
    ['nonsense', '--help'],
    ['run', 'shop', '--help'],
    ['--version', '--json'],
    ['completion', 'tcsh'],
    ['completion', 'bash', '--json'],
    ['completion', 'pipelines', '--config'],
  ])('leaves everything else to the command line: %s %s %s', async (...words) => {
    expect(await typedTo(quickAnswer, words)).toEqual({ code: undefined, stdout: '', stderr: '' })
  })

  it.each([
    ['nonsense'],
    ['rejects', 'nonsense'],
    ['run', 'nonsense'],
    ['terms', 'old'],
    ['rejects', 'list', 'nonsense'],
  ])('knows no page of %s %s', async (...words) => {
    const { code, stderr } = await typed('help', ...words)
    expect(code).toBe(2)
    expect(stderr).toContain(`there is no command ${words.join(' ')}`)
  })

  it('has a word of a command on the page of that command', async () => {
    const page = await typed('help', 'terms', 'rename')
    expect(page).toEqual(await typed('help', 'terms'))
    expect(page).toMatchObject({ code: 0 })
  })

  it.each([
    ['help', '--json'],
    ['help', 'run', '--json'],
    ['completion', 'bash', '--json'],
  ])('prints no text where JSON is asked for: %s %s %s', async (...words) => {
    const { code, stdout } = await typed(...words)
    expect([code, JSON.parse(stdout)]).toEqual([
      2,
      expect.objectContaining({ status: 'failed', code: 'USAGE' }),
    ])
  })

  it('shows --json on the page of each command that has it', () => {
    const without = all.filter(({ page }) => !pageText(page, 80, asItIs).includes('--json'))
    expect(without.map(({ path }) => path)).toEqual(['help', 'completion'])
  })

  it('says which command was meant', async () => {
    const { code, stderr } = await typed('stauts')
    expect(code).toBe(2)
    expect(stderr).toContain('status')
  })
})

it('the manual has every command with what it does', async () => {
  const file = resolve(import.meta.dirname, '../../README.md')
  const rows = all.map(({ path, entry }) => {
    const takes = (entry.arguments ?? '').replaceAll(/[<>]/g, '')
    return `| \`${[path, takes].filter((part) => part !== '').join(' ')}\` | ${entry.summary} |`
  })
  const table = ['', '| command | does |', '|---|---|', ...rows, '', ''].join('\n')
  const manual = readFileSync(file, 'utf8')
  const START = '<!-- commands: npm run docs -->\n'
  const END = '<!-- end of commands -->\n'
  const [before = '', rest] = manual.split(START)
  const after = rest?.split(END)[1]
  expect(after).toBeDefined()
  await expect(`${before}${START}${table}${END}${after ?? ''}`).toMatchFileSnapshot(file)
})

it('the program shows its page as a process of its own', () => {
  const main = resolve(import.meta.dirname, '../../src/main.ts')
  expect(String(execFileSync(process.execPath, [main, 'audit', 'list', '--help']))).toContain('SYNOPSIS')
})
