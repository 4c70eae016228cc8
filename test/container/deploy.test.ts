// The examples for Docker Compose and Kubernetes, beside the image and the configuration that they name: each says again
// what the others say (ports, paths, user, names of variables), and nothing else would detect a change of one of them.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, describe, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { loadSettings, problemText } from '../../src/config/load.ts'
import type { Settings } from '../../src/core/settings.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'

const top = resolve(import.meta.dirname, '../..')
const read = (...names: string[]): string => readFileSync(join(top, ...names), 'utf8')
const dockerfile = read('Dockerfile')
const SAMPLE = 'contact-sync/contact-sync.yaml'
const { version } = JSON.parse(read('package.json')) as { version: string }

const TOKENS = { CONTACT_SYNC_TOKEN: 'token', CONTACT_SYNC_METRICS_TOKEN: 'other' }

/** As it would be loaded inside: at the image's place, with the example's secret mounted. */
async function settingsInside(env: Record<string, string>): Promise<Settings> {
  const readFile = (path: string) => {
    if (path === '/run/secrets/api_key') return Promise.resolve(Buffer.from('a-key-of-some-length\n'))
    if (path === '/config/contact-sync.yaml')
      return Promise.resolve(readFileSync(join(top, 'config/deploy', SAMPLE)))
    return Promise.reject(new Error(`${path} is not mounted`))
  }
  const presetFolder = '/app/config/presets'
  const loaded = await loadSettings({ file: configPath, env, kinds: SOURCE_KINDS, presetFolder, readFile })
  if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'))
  expect(loaded.warnings).toEqual([])
  return loaded.settings
}

const [, configPath = ''] = /CONTACT_SYNC_CONFIG=(\S+)/.exec(dockerfile) ?? []
const [, user = ''] = /^USER (\d+):\1$/m.exec(dockerfile) ?? []
/** Of the last stage: the one before it is the sandbox. */
const [, port = ''] = [...dockerfile.matchAll(/^EXPOSE (\d+)$/gm)].at(-1) ?? []

describe('the configuration of the examples', () => {
  it('is right as it stands, and writes to the one volume alone', async () => {
    const settings = await settingsInside(TOKENS)
    expect(settings.server).toMatchObject({
      host: '0.0.0.0',
      port: Number(port),
      token: 'token',
      metrics_token: 'other',
    })
    const folders = settings.pipelines.map(({ source }) => String(source['folder']))
    for (const path of [settings.state.path, settings.log.folder, ...folders])
      expect(path).toMatch(/^\/state\//)
  })

  it('follows the port of the healthcheck', async () => {
    const settings = await settingsInside({ ...TOKENS, PORT: '9090' })
    expect(settings.server.port).toBe(9090)
    expect(dockerfile).toContain(`process.env.PORT||${port}`)
  })

  it('asks for both tokens', async () => {
    for (const name of Object.keys(TOKENS))
      await expect(settingsInside({ ...TOKENS, [name]: '' })).rejects.toThrow(name)
  })
})

const bind = z.strictObject({
  type: z.literal('bind'),
  source: z.string().startsWith('./'),
  target: z.string(),
  read_only: z.literal(true).optional(),
})

/** What matters of it; a key that is not named here is refused, so that each new one is thought about. */
const composeSchema = z.strictObject({
  services: z.strictObject({
    'contact-sync': z.strictObject({
      image: z.literal(`contact-sync:${version}`),
      build: z.strictObject({ context: z.literal('../..') }),
      user: z.literal(`${user}:${user}`),
      restart: z.enum(['unless-stopped', 'always']),
      stop_grace_period: z.string().regex(/^([1-9]\d)s$/),
      read_only: z.literal(true),
      cap_drop: z.tuple([z.literal('ALL')]),
      security_opt: z.tuple([z.literal('no-new-privileges:true')]),
      mem_limit: z.string().regex(/^\d+m$/),
      pids_limit: z.int().min(20),
      environment: z.strictObject({
        CONTACT_SYNC_TOKEN: z.string().startsWith('${CONTACT_SYNC_TOKEN:?'),
        CONTACT_SYNC_METRICS_TOKEN: z.string().startsWith('${CONTACT_SYNC_METRICS_TOKEN:?'),
      }),
      volumes: z.tuple([
        bind.extend({ target: z.literal('/config'), read_only: z.literal(true) }),
        // The mount of a single file would show the former key for as long as the container lives.
        bind.extend({
          source: z.literal('./secrets'),
          target: z.literal('/run/secrets'),
          read_only: z.literal(true),
        }),
        bind.extend({ target: z.literal('/state') }),
      ]),
      ports: z.tuple([z.literal(`127.0.0.1:${port}:${port}`)]),
      logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }),
    }),
  }),
})

describe('compose.yaml', () => {
  const compose: unknown = parse(read('config/deploy/compose.yaml'))

  it('is closed as the image is, gives a run its time, and mounts what the configuration names', () => {
    const { volumes } = composeSchema.parse(compose).services['contact-sync']
    expect(join('config/deploy', volumes[0].source)).toBe(join('config/deploy', SAMPLE, '..'))
    expect(dockerfile).toContain(`VOLUME ["${volumes[2].target}"]`)
  })

  it.each([
    ['a writable root', { read_only: false }],
    ['too little time', { stop_grace_period: '5s' }],
    ['another user', { user: '0:0' }],
    ['a healthcheck of its own', { healthcheck: { test: ['CMD', 'true'] } }],
    ['a port for everybody', { ports: ['8080:8080'] }],
  ])('would be refused with %s', (_, change) => {
    const { services } = composeSchema.parse(compose)
    const changed = { 'contact-sync': { ...services['contact-sync'], ...change } }
    expect(composeSchema.safeParse({ services: changed }).success).toBe(false)
  })
})

describe('compose-workers.yaml', () => {
  it('adds workers to compose.yaml: the address of the state, a port for each, and nothing else', () => {
    const override = { tag: '!override', collection: 'seq' } as const
    const workers: unknown = parse(read('config/deploy/compose-workers.yaml'), { customTags: [override] })
    const { services } = z
      .strictObject({
        services: z.strictObject({
          'contact-sync': z.strictObject({
            environment: z.strictObject({ DATABASE_URL: z.string().startsWith('${DATABASE_URL:?') }),
            ports: z.tuple([z.string()]),
            deploy: z.strictObject({ replicas: z.int().min(2) }),
          }),
        }),
      })
      .parse(workers)
    const { ports, deploy } = services['contact-sync']
    const [, first = '', last = ''] =
      new RegExp(`^127\\.0\\.0\\.1:(\\d+)-(\\d+):${port}$`).exec(ports[0]) ?? []
    expect(Number(last) - Number(first) + 1).toBe(deploy.replicas)
  })
})

const labels = z.object({ 'app.kubernetes.io/name': z.literal('contact-sync') })
const probe = (path: string) =>
  z.object({ httpGet: z.object({ path: z.literal(path), port: z.literal('http') }), periodSeconds: z.int() })

const fromSecret = (name: string, key: string) =>
  z.object({
    name: z.literal(name),
    valueFrom: z.object({
      secretKeyRef: z.object({ name: z.literal('contact-sync'), key: z.literal(key) }),
    }),
  })

const containerSchema = z.object({
  name: z.literal('contact-sync'),
  image: z.literal('contact-sync'),
  args: z.tuple([z.literal('start')]),
  env: z.tuple([
    fromSecret('CONTACT_SYNC_TOKEN', 'token'),
    fromSecret('CONTACT_SYNC_METRICS_TOKEN', 'metrics_token'),
  ]),
  ports: z.tuple([z.object({ name: z.literal('http'), containerPort: z.literal(Number(port)) })]),
  startupProbe: probe('/healthz').extend({ failureThreshold: z.int().min(720) }),
  livenessProbe: probe('/healthz'),
  readinessProbe: probe('/readyz'),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.object({ memory: z.string() }),
  }),
  volumeMounts: z.array(
    z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
  ),
})

const deploymentSchema = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    replicas: z.literal(1),
    strategy: z.strictObject({ type: z.literal('Recreate') }),
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        automountServiceAccountToken: z.literal(false),
        terminationGracePeriodSeconds: z.int().min(11),
        securityContext: z.object({
          runAsNonRoot: z.literal(true),
          runAsUser: z.literal(Number(user)),
          runAsGroup: z.literal(Number(user)),
          fsGroup: z.literal(Number(user)),
          seccompProfile: z.object({ type: z.literal('RuntimeDefault') }),
        }),
        containers: z.tuple([containerSchema]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
})

describe('kubernetes.yaml', () => {
  const documents = parseAllDocuments(read('config/deploy/kubernetes.yaml')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as { kind: string; metadata: { name: string }; spec: unknown }
  })
  const ofKind = (kind: string) => documents.find((document) => document.kind === kind)

  it('has one pod that never meets another, with probes, and everything that it mounts', () => {
    const { spec } = deploymentSchema.parse(ofKind('Deployment')).spec.template
    const [{ volumeMounts }] = spec.containers
    expect(volumeMounts).toEqual([
      { name: 'state', mountPath: '/state' },
      { name: 'config', mountPath: '/config', readOnly: true },
      { name: 'secrets', mountPath: '/run/secrets', readOnly: true },
    ])
    expect(spec.volumes.map(({ name }) => name)).toEqual(volumeMounts.map(({ name }) => name))
    expect(spec.volumes).toMatchObject([
      { persistentVolumeClaim: { claimName: ofKind('PersistentVolumeClaim')?.metadata.name } },
      { configMap: { name: 'contact-sync' } },
      // 0440 in octal; YAML 1.1 and 1.2 write that differently.
      { secret: { defaultMode: 0o440, items: [{ key: 'api_key', path: 'api_key' }] } },
    ])
  })

  it('claims a volume for one pod alone, and serves its port under a name that the configuration allows', async () => {
    expect(ofKind('PersistentVolumeClaim')?.spec).toMatchObject({ accessModes: ['ReadWriteOncePod'] })
    const service = ofKind('Service')
    expect(service?.spec).toMatchObject({ ports: [{ port: Number(port), targetPort: 'http' }] })
    const { server } = await settingsInside(TOKENS)
    expect(server.hosts).toContain(service?.metadata.name)
  })

  it('is applied with the same configuration', () => {
    expect(parse(read('config/deploy/kustomization.yaml'))).toMatchObject({
      resources: ['kubernetes.yaml'],
      configMapGenerator: [{ name: 'contact-sync', files: [SAMPLE] }],
      images: [{ name: 'contact-sync', newTag: version }],
    })
  })
})

it('the image is of the version of the package', () => {
  expect(dockerfile).toContain(`ARG VERSION=${version}\n`)
})
