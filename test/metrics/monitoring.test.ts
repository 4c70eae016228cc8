// The dashboard and the alert rules that come along: they ask for nothing that `/metrics` does not have. The queries are
// read by patterns and not by Prometheus: names, labels and brackets are checked, and not what a query means.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { CONDITION_NAMES } from '../../src/core/alerts/alert-rules.ts'
import { exampleMetrics } from '../monitoring/example-metrics.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (name: string): string => readFileSync(resolve(root, name), 'utf8')

const panel = z.object({
  id: z.int().positive(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: z.string().min(1),
  gridPos: z.object({
    h: z.int().positive(),
    w: z.int().min(1).max(24),
    x: z.int().min(0),
    y: z.int().min(0),
  }),
  datasource: z.object({ type: z.literal('prometheus'), uid: z.literal('${datasource}') }).optional(),
  targets: z
    .array(
      z.object({ refId: z.string().regex(/^[A-Z]$/), expr: z.string().min(1), legendFormat: z.string() }),
    )
    .optional(),
  fieldConfig: z.object({ defaults: z.object({}).loose(), overrides: z.array(z.unknown()) }).optional(),
})
/** What Grafana 11 and later must find in a dashboard to load it. */
const dashboard = z.object({
  title: z.string().min(1),
  uid: z.string().max(40),
  schemaVersion: z.int().min(39),
  templating: z.object({
    list: z.array(z.object({ name: z.string(), type: z.enum(['datasource', 'query']) })),
  }),
  time: z.object({ from: z.string(), to: z.string() }),
  panels: z.array(panel),
})
const rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^ContactSync[A-Za-z]+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+m$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['info', 'warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
        }),
      ),
    }),
  ),
})

const board = dashboard.parse(JSON.parse(read('config/monitoring/dashboard.json')))
const alerts = rules
  .parse(parse(read('config/monitoring/alerts.yaml')))
  .groups.flatMap((group) => group.rules)
const queries: (readonly [string, string])[] = [
  ...board.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
]

/** By name: the labels that a series of it has. */
const families = new Map<string, Set<string>>()

beforeAll(async () => {
  const metrics = await exampleMetrics()
  for (const line of (await metrics.text()).split('\n')) {
    const [, name, labels = ''] = /^((?:contact_sync|process|nodejs)_\w+)(?:\{(.*)\})? /.exec(line) ?? []
    if (name === undefined) continue
    const known = families.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    families.set(name, known)
  }
})

/** Labels that Prometheus itself adds to every series, in a cluster or where there are several accounts, too. */
const ADDED = ['job', 'instance', 'namespace', 'account']

describe('a query', () => {
  it.each(queries)('of "%s" asks for series and labels that are there', (_, query) => {
    const selectors = [...query.matchAll(/((?:contact_sync|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
    expect(selectors.length).toBeGreaterThan(0)
    const labels = new Set(ADDED)
    for (const [, name = '', matchers = ''] of selectors) {
      const known = families.get(name)
      expect(known, `${name} is no metric of /metrics`).toBeDefined()
      for (const label of known ?? []) labels.add(label)
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
        expect([...(known ?? []), ...ADDED], `${label} is no label of ${name}`).toContain(label)
    }
    for (const [, list = ''] of query.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g))
      for (const label of list
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== ''))
        expect([...labels]).toContain(label)
    for (const [open, close] of ['()', '{}', '[]'] as const)
      expect(query.split(open!).length).toBe(query.split(close!).length)
  })

  it('that asks for a counter asks for its increase', () => {
    for (const [, query] of queries)
      for (const [whole] of query.matchAll(/(?:\w+\()?contact_sync_\w+_total/g))
        expect(whole).toMatch(/^(rate|increase)\(/)
  })
})

describe('the dashboard', () => {
  it('has panels with numbers of their own, in a grid without overlaps', () => {
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length)
    const taken = new Set<string>()
    for (const { title, gridPos } of board.panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(x, title).toBeLessThan(24)
          expect(taken.has(`${x},${y}`), `${title} overlaps`).toBe(false)
          taken.add(`${x},${y}`)
        }
  })

  it('shows everything that is measured of the work itself', () => {
    const all = queries.map(([, query]) => query).join(' ')
    const missing = [...families.keys()]
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
      .filter((name) => !/^contact_sync_(process|nodejs)_/.test(name))
      .filter((name) => !all.includes(name))
    // Which version, since when, when next, and what goes on at this moment: for tables of one's own.
    expect(new Set(missing)).toEqual(
      new Set(
        [
          'started_timestamp_seconds',
          'worker_started_timestamp_seconds',
          'running',
          'on_its_way',
          'next_run_timestamp_seconds',
          'daily_limit_total',
        ].map((name) => `contact_sync_${name}`),
      ),
    )
  })

  it('says in its legends only labels that are there', () => {
    const labels = new Set([...families.values()].flatMap((known) => [...known]))
    for (const { targets = [] } of board.panels)
      for (const { legendFormat } of targets)
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect([...labels]).toContain(label)
  })
})

describe('the alert rules', () => {
  it('have names of their own, and an entry in the runbook each', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
    const headings = [...read('state/README.md').matchAll(/^### (\w+)$/gm)].map(([, word]) => word)
    for (const { alert, annotations } of alerts) {
      const [file, word] = annotations.runbook.split('#')
      expect(file, alert).toBe('state/README.md')
      expect(headings, alert).toContain(word)
    }
    for (const name of CONDITION_NAMES) expect(headings).toContain(name)
  })
})
