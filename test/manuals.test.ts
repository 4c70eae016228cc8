// Links within and between the manuals, and the names under which alerts point into the runbook.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readiness } from '../src/console/health.ts'
import { CONDITION_NAMES } from '../src/core/alerts/alert-rules.ts'
import { OPERATION_STATES } from '../src/core/change/states.ts'
import { OUTCOMES } from '../src/core/outcome/summary.ts'
import type { DaemonCondition, PipelineCondition } from '../src/core/outcome/daemon.ts'

const top = resolve(import.meta.dirname, '..')
const MANUALS = globSync(['*.md', '{config,config/sources,docs,docs/decisions,state,src,test}/*.md'], {
  cwd: top,
})
const read = (path: string): string => readFileSync(join(top, path), 'utf8')

/** As GitHub names the anchor of a heading. */
const slug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** Without what is quoted as code. */
const prose = (text: string): string => text.replace(/^( {4}|```).*$/gm, '').replace(/`[^`\n]*`/g, '')

const anchorsOf = (path: string): string[] =>
  [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => slug(title))

interface Link {
  readonly from: string
  readonly target: string
}

const links: Link[] = MANUALS.flatMap((from) =>
  [...prose(read(from)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ from, target })),
).filter(({ target }) => !/^https?:/.test(target))

/** What is wrong with a link; undefined: nothing. */
function fault({ from, target }: Link): string | undefined {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? from : relative(top, resolve(top, dirname(from), path))
  if (!existsSync(join(top, file))) return `${from}: ${target} leads nowhere`
  if (anchor === undefined || !file.endsWith('.md')) return undefined
  return anchorsOf(file).includes(anchor) ? undefined : `${from}: ${target} names no heading`
}

describe('the manuals', () => {
  it('have every section of the interface that is cited', () => {
    const sections = [...read('docs/interface.md').matchAll(/^#{2,3} ([\d.]*\d)/gm)].map(([, one]) => one)
    const files = globSync(['{src,test,config,state}/**/*.{ts,md,yaml}'], { cwd: top })
    const cited = files.flatMap((from) =>
      [...read(from).matchAll(/\(interface, ((?:[\d.]*\d(?:, | and )?)+)/g)].flatMap(([, numbers = '']) =>
        numbers.split(/, | and /).map((number) => ({ from, number })),
      ),
    )
    expect(cited.length).toBeGreaterThan(40)
    expect(cited.filter(({ number }) => number !== '' && !sections.includes(number))).toEqual([])
  })

  it('lead to the glossary, which explains every count of a run and every state of an operation', () => {
    const terms = [...read('docs/glossary.md').matchAll(/^\| ([a-z_ ]+) \|/gm)].map(([, term = '']) => term)
    const explained = (word: string): number => terms.filter((term) => term === word).length
    for (const count of OUTCOMES) expect([count, explained(count) > 0]).toEqual([count, true])
    for (const state of OPERATION_STATES) expect([state, explained(state) > 0]).toEqual([state, true])
    for (const manual of [
      'README.md',
      'config/README.md',
      'config/sources/README.md',
      'state/README.md',
      'state/FAILURES.md',
      'state/SERVER.md',
      'src/README.md',
      'test/README.md',
    ])
      expect(
        links.filter(({ from, target }) => from === manual && target.endsWith('glossary.md')),
      ).toHaveLength(1)
  })

  it('are all looked at', () => {
    for (const manual of [
      'README.md',
      'CHANGELOG.md',
      'config/README.md',
      'config/REFERENCE.md',
      'state/README.md',
      'state/FAILURES.md',
      'state/SERVER.md',
    ])
      expect(MANUALS).toContain(manual)
    expect(links.length).toBeGreaterThan(30)
  })

  it('have every heading that the program, its messages and its examples point to', () => {
    const files = globSync(['src/**/*.ts', 'config/**/*.{yaml,json}'], { cwd: top })
    const named = files.flatMap((from) =>
      [...read(from).matchAll(/((?:config|state|src|test)\/[\w/-]+\.md)#([\w-]+)/g)].map(
        ([, file = '', anchor = '']) => ({ from, file, anchor }),
      ),
    )
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter(({ file, anchor }) => !anchorsOf(file).includes(anchor))).toEqual([])
  })

  it('lead somewhere with every link', () => {
    expect(links.flatMap((link) => fault(link) ?? [])).toEqual([])
  })

  it.each(['nowhere.md', '../src/README.md#nothing', '#nothing'])(
    'would not lead anywhere with %s',
    (target) => {
      expect(fault({ from: 'state/README.md', target })).toBeDefined()
    },
  )

  it('name only scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
    const named = MANUALS.filter((manual) => !manual.startsWith('CHANGELOG')).flatMap((manual) =>
      [...read(manual).matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, script = '']) => script),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
  })

  it('show newcomers files that there are', () => {
    const [, tour = ''] = /^## A reading tour\n(.*?)^## /ms.exec(read('src/README.md')) ?? []
    const pathsIn = (text: string): string[] =>
      [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+(?:\.ts|\/))`/g)].map(([, path = '']) => path)
    const stops = pathsIn(tour).map((path) => (path.startsWith('test/') ? path : `src/${path}`))
    expect(stops.length).toBeGreaterThan(14)
    // Files named after their folder: `steps.ts` beside `core/change/states.ts`.
    const isThere = (path: string): boolean =>
      existsSync(join(top, path)) || globSync(`src/**/${path.replace('src/', '')}`, { cwd: top }).length > 0
    const contributing = pathsIn(read('CONTRIBUTING.md')).filter(
      (path) => path.includes('/') && path !== 'dist/',
    )
    expect(
      [...stops, ...contributing].filter(
        (path) => !isThere(path) && path !== 'release/' && path !== '/_sandbox/',
      ),
    ).toEqual([])
  })

  it.each(MANUALS.filter((manual) => /decisions\/(?!README)/.test(manual)))(
    '%s gives the decision, its reason, its price and its place, and is in the list',
    (manual) => {
      const text = read(manual)
      expect([...text.matchAll(/^\*\*(.*?)\.\*\*/gm)].map(([, part]) => part)).toEqual([
        'Decision',
        'Why',
        'Instead of',
        'Costs',
        'Where',
      ])
      const [, where = ''] = /^\*\*Where\.\*\*(.*)/m.exec(text) ?? []
      const paths = [...where.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
      expect(paths.filter((path) => !existsSync(join(top, path)))).toEqual([])
      const title = text.slice(2, text.indexOf('\n'))
      expect(read('docs/decisions/README.md')).toContain(`| [${title}](${basename(manual)}) |`)
    },
  )

  it.each(MANUALS)('%s has each heading once', (manual) => {
    const anchors = anchorsOf(manual)
    // A changelog names Added, Changed, Fixed under each version.
    if (manual !== 'CHANGELOG.md') expect(new Set(anchors).size).toBe(anchors.length)
  })
})

const OVERDUE: PipelineCondition = {
  name: 'shop',
  dueAt: undefined,
  runningSince: undefined,
  waitingSince: undefined,
  brokenAt: 1,
  brokenBy: 'STATE_FULL',
  overlaps: 0,
  missed: 0,
}

describe('the runbook', () => {
  const [, runbook = ''] = /^## Runbook\n(.*?)^## /ms.exec(read('state/README.md')) ?? []
  const entries = runbook.split(/^### /m).slice(1)
  const names = entries.map((text) => text.slice(0, text.indexOf('\n')))

  it.each(entries)('says what to do: %s', (text) => {
    // A number for each step, or a table of reasons.
    expect(text).toMatch(/^1\. |^\| /m)
  })

  it('has every place that the rules for Prometheus point to', () => {
    const rules = globSync('config/**/*.{yaml,json}', { cwd: top }).map(read).join('\n')
    const wanted = [...rules.matchAll(/state\/README\.md#([\w-]+)/g)].map(([, anchor]) => anchor)
    expect(names).toEqual(expect.arrayContaining(wanted))
  })

  it('explains every reason for which the daemon is not ready', () => {
    const condition: DaemonCondition = {
      running: false,
      stateOpen: false,
      paused: new Map(),
      startedAt: 0,
      refusedReload: undefined,
      pause: { code: 'SERVICE_UNREACHABLE', reason: 'away', since: 0, nextProbeAt: 0 },
      pipelines: [OVERDUE],
    }
    const { reasons } = readiness(condition)
    expect(reasons).toHaveLength(4)
    const rows = (entries[names.indexOf('not_ready')] ?? '')
      .split('\n')
      .flatMap((line) => /^\| `(.*?)`/.exec(line)?.[1] ?? [])
    expect(rows).toHaveLength(4)
    for (const reason of reasons) {
      const isMeant = (row: string) => row.split('...').every((part) => reason.includes(part))
      expect(rows.filter(isMeant), reason).toHaveLength(1)
    }
  })

  it('has an entry for whatever alerts are about', () => {
    expect(names).toEqual(expect.arrayContaining([...CONDITION_NAMES]))
  })
})
