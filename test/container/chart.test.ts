// The Helm chart: its values against their schema, and what it renders against the plain manifests. It is rendered by Helm where that
// is installed, otherwise by its engine and its functions, as Debian has them.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { loadSettings, problemText } from '../../src/config/load.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'

// Go compiles the functions the first time.
vi.setConfig({ testTimeout: 180_000 })

const top = resolve(import.meta.dirname, '../..')
const DEPLOY = join(top, 'config/deploy')
const CHART = join(DEPLOY, 'helm')
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8')

type Json = Readonly<Record<string, unknown>>
interface Manifest extends Json {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: Json
}

const chart = parse(read(CHART, 'Chart.yaml')) as Json
const values = parse(read(CHART, 'values.yaml')) as Json

const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((document) => {
    const [wrong] = document.errors
    if (wrong !== undefined) throw wrong
    const value = document.toJS() as Manifest | null
    return value === null ? [] : [value]
  })

function program(command: string, args: readonly string[], input: string): string | undefined {
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' }
  try {
    return execFileSync(command, args, { input, env, stdio: ['pipe', 'pipe', 'pipe'] }).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const release = { Name: 'contact-sync', Namespace: 'sync', Service: 'Helm' }

/** Undefined where neither Helm nor Go is installed. */
function rendered(changes: Json = {}): Manifest[] | undefined {
  const all = { ...values, ...changes }
  const byHelm = program(
    'helm',
    ['template', release.Name, CHART, '--namespace', release.Namespace, '--values', '-'],
    JSON.stringify(all),
  )
  if (byHelm !== undefined) return manifestsIn(byHelm)
  const folder = join(CHART, 'templates')
  const templates = Object.fromEntries(readdirSync(folder).map((name) => [name, read(folder, name)]))
  const { version, appVersion, name } = chart
  const of = { Version: version, AppVersion: appVersion, Name: name }
  const text = program(
    'go',
    ['run', join(import.meta.dirname, 'chart/render.go')],
    JSON.stringify({ templates, values: all, chart: of, release }),
  )
  return text === undefined ? undefined : manifestsIn(text)
}

const ALL = {
  ...{ networkPolicy: { ...(values['networkPolicy'] as Json), enabled: true } },
  serviceMonitor: { ...(values['serviceMonitor'] as Json), enabled: true },
  backup: { ...(values['backup'] as Json), enabled: true },
}

/** The same object, without names, labels and comments that differ by release. */
const specOf = (all: readonly Manifest[], kind: string, name = 'contact-sync'): Json => {
  const found = all.find((one) => one.kind === kind && one.metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return JSON.parse(
    JSON.stringify(found.spec).replaceAll(/,"app\.kubernetes\.io\/instance":"contact-sync"/g, ''),
  ) as Json
}

describe('the chart', () => {
  it('has the version of the program', () => {
    const { version } = JSON.parse(read(top, 'package.json')) as { version: string }
    expect(chart).toMatchObject({ version, appVersion: version })
  })

  it('has values that its schema takes, and takes no other', () => {
    const takes = new Ajv2020({ allErrors: true }).compile(
      JSON.parse(read(CHART, 'values.schema.json')) as Json,
    )
    expect([takes(values), takes.errors]).toEqual([true, null])
    expect(takes({ ...values, replicas: 2 })).toBe(false)
    expect(takes({ ...values, backup: { enabled: 'yes' } })).toBe(false)
    const schema = JSON.parse(read(CHART, 'values.schema.json')) as { properties: Json }
    expect(Object.keys(values).toSorted()).toEqual(
      Object.keys(schema.properties)
        .filter((key) => key !== 'global')
        .toSorted(),
    )
  })

  it('has a configuration that is valid', async () => {
    const env = { CONTACT_SYNC_TOKEN: 'token-of-the-console', CONTACT_SYNC_METRICS_TOKEN: 'token-of-metrics' }
    const readFile = async (path: string): Promise<Uint8Array> =>
      Promise.resolve(Buffer.from(path.startsWith('/run/secrets/') ? 'the-key\n' : String(values['config'])))
    const presetFolder = join(top, 'config/presets')
    const file = '/config/contact-sync.yaml'
    const loaded = await loadSettings({ file, env, kinds: SOURCE_KINDS, presetFolder, readFile })
    expect(loaded.ok ? [] : loaded.problems.map(problemText)).toEqual([])
  })

  it('renders what the plain manifests have', ({ skip }) => {
    const all = rendered(ALL)
    if (all === undefined) return skip('neither helm nor go is installed')
    const plain = manifestsIn(read(DEPLOY, 'kubernetes.yaml'))
    const parts = ['network-policy', 'service-monitor', 'backup'].flatMap((name) =>
      manifestsIn(read(DEPLOY, `components/${name}.yaml`)),
    )
    for (const [kind, name] of [
      ['Service', 'contact-sync'],
      ['NetworkPolicy', 'contact-sync'],
      ['ServiceMonitor', 'contact-sync'],
      ['CronJob', 'contact-sync-backup'],
      ['PersistentVolumeClaim', 'contact-sync-state'],
      ['PersistentVolumeClaim', 'contact-sync-backup'],
    ] as const)
      expect(specOf(all, kind, name), kind).toEqual(specOf([...plain, ...parts], kind, name))
    // A checksum, the image by its full name and the volume of backups are added.
    const { template, ...rest } = specOf(all, 'Deployment') as { template: { metadata: Json; spec: Json } }
    const { template: expected, ...others } = specOf(plain, 'Deployment') as typeof rest & {
      template: { metadata: Json; spec: Json }
    }
    expect(rest).toEqual(others)
    const withoutAdded = JSON.stringify(template.spec)
      .replace(
        `"image":"registry.example.com/contact-sync:${String(chart['appVersion'])}"`,
        '"image":"contact-sync"',
      )
      .replace(',{"name":"backup","mountPath":"/backup"}', '')
      .replace(',{"name":"backup","persistentVolumeClaim":{"claimName":"contact-sync-backup"}}', '')
    expect(JSON.parse(withoutAdded)).toEqual(expected.spec)
    expect(template.metadata).toMatchObject({
      annotations: { 'checksum/config': expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    })
  })

  it('checks the configuration before an upgrade, with the security of the pod', ({ skip }) => {
    const all = rendered()
    if (all === undefined) return skip('neither helm nor go is installed')
    const job = all.find(({ kind }) => kind === 'Job')
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    const pod = (job?.spec['template'] as { spec: Json & { containers: [Json] } }).spec
    const own = (specOf(all, 'Deployment')['template'] as { spec: Json & { containers: [Json] } }).spec
    expect(pod['securityContext']).toEqual(own['securityContext'])
    expect(pod.containers[0]['securityContext']).toEqual(own.containers[0]['securityContext'])
    expect(pod.containers[0]['image']).toEqual(own.containers[0]['image'])
    expect(JSON.stringify(pod)).not.toContain('/state')
    expect(all.map(({ kind }) => kind).toSorted()).toEqual(
      [
        'ConfigMap',
        'ConfigMap',
        'Deployment',
        'Job',
        'PersistentVolumeClaim',
        'PodDisruptionBudget',
        'Service',
      ].toSorted(),
    )
  })

  it('takes values for what clusters differ in', ({ skip }) => {
    const all = rendered({
      ...{
        persistence: { existingClaim: 'mine' },
        inbox: { existingClaim: 'drops' },
        checkBeforeUpgrade: false,
      },
      ...{
        imagePullSecrets: [{ name: 'pull' }],
        nodeSelector: { disk: 'ssd' },
        podAnnotations: { team: 'crm' },
      },
      ...{
        extraEnv: [{ name: 'TZ', value: 'UTC' }],
        tolerations: [{ key: 'a' }],
        secretFiles: ['api_key', 'crm_key'],
      },
      podDisruptionBudget: { enabled: false },
    })
    if (all === undefined) return skip('neither helm nor go is installed')
    expect(all.map(({ kind }) => kind).toSorted()).toEqual(['ConfigMap', 'Deployment', 'Service'])
    const text = JSON.stringify(specOf(all, 'Deployment'))
    for (const part of ['"claimName":"mine"', '"mountPath":"/inbox"', '"claimName":"drops"', '"disk":"ssd"'])
      expect(text).toContain(part)
    for (const part of ['{"name":"TZ","value":"UTC"}', '"team":"crm"', '{"name":"pull"}', '"path":"crm_key"'])
      expect(text).toContain(part)
  })
})
