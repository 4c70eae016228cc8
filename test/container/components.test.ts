// The unit for systemd and the parts that a cluster may add: they name again what image, manifests and program have. Where the
// real tools are installed (systemd-analyze, kubectl) they are asked as well.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { loadSettings, problemText } from '../../src/config/load.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'

const top = resolve(import.meta.dirname, '../..')
const DEPLOY = join(top, 'config/deploy')
const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}
const manifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest)

/** What the tool prints; undefined where it is not installed. */
function asked(command: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function withFolder<Result>(use: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the unit for systemd', () => {
  const unit = read('systemd/contact-sync.service')
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''

  it('takes a stop as a success, reloads by SIGHUP, and leaves a run its time', () => {
    expect(value('SuccessExitStatus').split(' ')).toContain('143')
    expect(value('RestartPreventExitStatus')).toBe('2')
    expect(value('ExecReload')).toContain('-HUP $MAINPID')
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThanOrEqual(30)
  })

  it('hands over what its configuration reads, and owns what that writes to', async () => {
    const credentials = [...unit.matchAll(/^LoadCredential=(\w+):/gm)].map(([, name = '']) => name)
    expect(credentials).toEqual(['api_key', 'token', 'metrics_token'])
    const readFile = (path: string): Promise<Buffer> => {
      if (path === '/etc/contact-sync/contact-sync.yaml')
        return Promise.resolve(readFileSync(join(DEPLOY, 'systemd/contact-sync.yaml')))
      const name = credentials.find((one) => path === `/run/credentials/${one}`)
      if (name === undefined) return Promise.reject(new Error(`${path} is not handed over`))
      return Promise.resolve(Buffer.from(`${name}-of-some-length\n`))
    }
    const [, file = ''] = /^Environment=CONTACT_SYNC_CONFIG=(\S+)$/m.exec(unit) ?? []
    const env = { CREDENTIALS_DIRECTORY: '/run/credentials' }
    const presetFolder = join(top, 'config/presets')
    const loaded = await loadSettings({ file, env, kinds: SOURCE_KINDS, presetFolder, readFile })
    if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'))
    expect(loaded.warnings).toEqual([])
    const { state, log, pipelines, server } = loaded.settings
    const own = `/var/lib/${value('StateDirectory')}/`
    for (const path of [state.path, log.folder, ...pipelines.map(({ source }) => String(source['folder']))])
      expect(path).toMatch(new RegExp(`^${own}`))
    expect(server.host).toBe('127.0.0.1')
  })

  it('is one that systemd takes, and finds well closed', ({ skip }) =>
    withFolder((folder) => {
      const file = join(folder, 'contact-sync.service')
      // The program is not installed here.
      writeFileSync(file, unit.replace(/^ExecStart=\S+ start$/m, 'ExecStart=/bin/true'))
      if (asked('systemd-analyze', ['verify', file]) === undefined)
        return skip('systemd-analyze is not installed')
      const judged = asked('systemd-analyze', ['security', '--offline=true', '--no-pager', file]) ?? ''
      expect(Number(/exposure level for \S+: ([\d.]+)/.exec(judged)?.[1])).toBeLessThan(2)
    }))
})

describe('the components for a cluster', () => {
  const files = ['network-policy.yaml', 'service-monitor.yaml', 'backup.yaml', 'workers-budget.yaml'].map(
    (name) => `components/${name}`,
  )
  const all = files.flatMap((name) => manifests(read(name)))
  const ofKind = (kind: string) => all.find((manifest) => manifest.kind === kind)

  it('say how they are added, in their first lines', () => {
    for (const name of files)
      expect(read(name).split('\n').slice(0, 3).join(' ')).toContain('Add it to `resources`')
  })

  it('are for the pod, the port and the secret of kubernetes.yaml', () => {
    const app = { 'app.kubernetes.io/name': 'contact-sync' }
    expect(ofKind('NetworkPolicy')?.spec).toMatchObject({ podSelector: { matchLabels: app } })
    expect(ofKind('ServiceMonitor')?.spec).toMatchObject({
      selector: { matchLabels: app },
      endpoints: [
        { port: 'http', authorization: { credentials: { name: 'contact-sync', key: 'metrics_token' } } },
      ],
    })
    expect(read('kubernetes.yaml')).toContain('{ name: http, port: 8080, targetPort: http }')
    expect(read('kubernetes.yaml')).toContain('secretKeyRef: { name: contact-sync, key: metrics_token }')
  })

  it('the backup is made in the pod, onto the volume that the patch mounts', () => {
    expect(read('components/backup.yaml')).toContain(
      'kubectl exec deploy/contact-sync -- contact-sync state backup "/backup/contact-sync-$(date -u +%Y-%m-%dT%H-%M).db"',
    )
    const [patch] = manifests(read('components/backup-volume.yaml'))
    expect(patch).toMatchObject({
      metadata: { name: 'contact-sync' },
      spec: {
        template: {
          spec: {
            containers: [{ name: 'contact-sync', volumeMounts: [{ mountPath: '/backup' }] }],
            volumes: [
              { persistentVolumeClaim: { claimName: ofKind('PersistentVolumeClaim')?.metadata.name } },
            ],
          },
        },
      },
    })
  })

  it('several workers share a state at a server, and have no volume of their own', () => {
    const [patch] = manifests(read('components/workers.yaml'))
    expect(patch).toMatchObject({
      metadata: { name: 'contact-sync' },
      spec: {
        replicas: 3,
        strategy: { type: 'RollingUpdate' },
        template: { spec: { volumes: [{ name: 'state', persistentVolumeClaim: null, emptyDir: {} }] } },
      },
    })
    expect(read('components/workers.yaml')).toContain(
      'secretKeyRef: { name: contact-sync, key: database_url }',
    )
    expect(ofKind('PodDisruptionBudget')?.spec).toMatchObject({
      minAvailable: 2,
      selector: { matchLabels: { 'app.kubernetes.io/name': 'contact-sync' } },
    })
  })

  it('kustomize joins them with the rest', ({ skip }) =>
    withFolder((folder) => {
      cpSync(DEPLOY, folder, { recursive: true })
      const file = join(folder, 'kustomization.yaml')
      const resources = ['kubernetes.yaml', ...files].map((name) => `  - ${name}\n`).join('')
      const added = `resources:\n${resources}patches:\n  - { path: components/backup-volume.yaml }\n`
      writeFileSync(file, readFileSync(file, 'utf8').replace('resources:\n  - kubernetes.yaml\n', added))
      const built = asked('kubectl', ['kustomize', folder])
      if (built === undefined) return skip('kubectl is not installed')
      const deployment = manifests(built).find(({ kind }) => kind === 'Deployment')
      const mounts = JSON.stringify(deployment).match(/"mountPath":"[^"]+"/g)
      expect(mounts?.toSorted()).toEqual(
        ['/backup', '/config', '/run/secrets', '/state'].map((path) => `"mountPath":"${path}"`),
      )
      expect(manifests(built)).toHaveLength(12)
    }))
})
