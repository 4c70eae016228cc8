// The alert rules by Prometheus itself, and `/metrics` by its conventions: where promtool is installed, which `.ci/run`
// sees to. What the rules are to do stands in alerts.test.yaml.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { exampleMetrics } from './example-metrics.ts'

// All scenarios of the rules are one call of promtool: a slow machine takes its time.
vi.setConfig({ testTimeout: 120_000 })

const root = resolve(import.meta.dirname, '../..')
/** Of the dashboard, what matters here. */
const board = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
})
const promtool = (args: readonly string[], input = '') =>
  spawnSync('promtool', args, { cwd: root, input, encoding: 'utf8' })
const isThere = promtool(['--version']).status === 0

describe.skipIf(!isThere)('promtool', () => {
  it('takes the alert rules', () => {
    const { status, stderr } = promtool(['check', 'rules', 'config/monitoring/alerts.yaml'])
    expect([status, stderr]).toEqual([0, ''])
  })

  it('sees each rule begin, and not begin, where it should', () => {
    const { status, stdout, stderr } = promtool(['test', 'rules', 'test/monitoring/alerts.test.yaml'])
    expect(status, stdout + stderr).toBe(0)
  })

  it('counts what is in a state once, however many workers show it', () => {
    const series = (name: string, ...labels: string[]) =>
      ['a:8080', 'b:8080', 'c:8080'].map((instance) => ({
        series: `contact_sync_${name}{${[`instance="${instance}"`, 'job="sync"', ...labels].join(',')}}`,
        values: '4 4',
      }))
    const shop = ['held', 'rejects', 'in_doubt', 'retriable'].flatMap((name) =>
      series(name, 'pipeline="shop"'),
    )
    const braked = series('brake_waiting', 'pipeline="shop"', 'phase="held"')
    const summed = board
      .parse(JSON.parse(readFileSync(resolve(root, 'config/monitoring/dashboard.json'), 'utf8')))
      .panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
      .filter((expr) => /^sum/.test(expr) && !/_(total|bucket|sum)\{/.test(expr))
    expect(summed).toHaveLength(8)
    const about = (expr: string): string =>
      expr.includes('brake_waiting') ? '{pipeline="shop", phase="held"}' : '{pipeline="shop"}'
    const tests = {
      interval: '1m',
      input_series: [...shop, ...braked, ...series('alerts_undelivered')],
      promql_expr_test: summed.map((expr) => ({
        expr: expr.replaceAll('$job', 'sync').replaceAll('$pipeline', '.*'),
        eval_time: '1m',
        exp_samples: [{ labels: expr.startsWith('sum(') ? '{}' : about(expr), value: 4 }],
      })),
    }
    const folder = mkdtempSync(join(tmpdir(), 'contact-sync-promtool-'))
    const file = join(folder, 'test.yaml')
    writeFileSync(file, stringify({ rule_files: [], evaluation_interval: '1m', tests: [tests] }))
    const { status, stdout, stderr } = promtool(['test', 'rules', file])
    rmSync(folder, { recursive: true })
    expect(status, stdout + stderr).toBe(0)
  })

  it('finds the series named after the conventions', async () => {
    const text = await (await exampleMetrics()).text()
    const { status, stdout, stderr } = promtool(['check', 'metrics'], text)
    expect([status, stdout, stderr]).toEqual([0, '', ''])
  })
})

it('names the process as is usual, behind the prefix of all series', async () => {
  const text = await (await exampleMetrics()).text()
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      'contact_sync_process_cpu_seconds_total',
      'contact_sync_process_resident_memory_bytes',
      'contact_sync_process_open_fds',
      'contact_sync_nodejs_eventloop_lag_p99_seconds',
    ]),
  )
  for (const name of names) expect(name).toMatch(/^contact_sync_/)
})

/** What is expected of the rules, as far as it matters here; promtool judges the rest. */
const scenarios = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(
        z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()).default([]) }),
      ),
    }),
  ),
})
const rules = z.object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })) })

const parsed = (name: string): unknown => parse(readFileSync(resolve(root, name), 'utf8'))

describe('a rule', () => {
  const names = rules
    .parse(parsed('config/monitoring/alerts.yaml'))
    .groups.flatMap((group) => group.rules.map(({ alert }) => alert))
  const expected = scenarios
    .parse(parsed('test/monitoring/alerts.test.yaml'))
    .tests.flatMap((test) => test.alert_rule_test)

  it.each(names)('%s has a scenario in which it fires, and one in which it does not', (name) => {
    const own = expected.filter(({ alertname }) => alertname === name)
    expect(own.filter(({ exp_alerts }) => exp_alerts.length > 0)).not.toEqual([])
    expect(own.filter(({ exp_alerts }) => exp_alerts.length === 0)).not.toEqual([])
  })

  it('is there for every scenario', () => {
    expect(names).toEqual(expect.arrayContaining(expected.map(({ alertname }) => alertname)))
  })
})
