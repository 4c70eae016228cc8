// A drop folder in a bucket, by the commands: a whole run, connections that break at every request, files that are replaced at
// the worst moment, buckets with versions, and a person erased over there.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'
import { type S3Server, startS3Server } from '../support/s3-server.ts'

const KEY = 'key-of-the-store-tests'
const EXPORT = 'no,mail,first,last\n1,ann@example.org,Ann,Oak\n2,bob@example.org,Bob,Elm\n'
const people = (turn: number): string =>
  `no,mail,first,last\n${Array.from({ length: 20 }, (_, index) => `${turn}-${index},p${turn}-${index}@example.org,A,B\n`).join('')}`

describe('a drop folder in a bucket', () => {
  let store: S3Server
  let sandbox: Sandbox
  let place: Place

  beforeEach(async () => {
    store = await startS3Server()
    sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
    place = await openPlace({ BASE_URL: sandbox.url, API_KEY: KEY })
    await place.write('secret', store.secret)
    await configure(store.url)
  })
  afterEach(async () => {
    await store.close()
    await sandbox.close()
    await place.close()
  })

  const configure = (endpoint: string, keyId = store.keyId): Promise<void> =>
    place.write(
      'config.yaml',
      `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s }, retry: { attempts: 1 } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source:
      type: csv
      folder: "s3://exports/in/shop"
      settle: 0s
      remote: { endpoint: "${endpoint}", access_key_id: ${keyId}, secret_access_key_file: secret, timeout: 3s }
    key: no
    map: { mail: mail, first_name: first, family_name: last }
`,
    )
  const archived = (): string[] => store.keys().filter((key) => key.startsWith('in/shop/processed/'))
  const waiting = (): string[] => store.keys().filter((key) => /^in\/shop\/[^/]*$/.test(key))
  const writes = (): number => sandbox.requests().filter(({ method }) => method !== 'GET').length

  it('is read, put away with its rejects, explained, and rid of a person', async () => {
    store.put('in/shop/', '')
    store.put('in/shop/ä +&(1).csv', `${EXPORT}3,,,\n`)
    store.put('in/shop/deeper/other.csv', EXPORT)
    store.put('in/other.csv', EXPORT)
    expect((await place.cli('check')).stdout).toContain('1 file')
    expect((await place.cli('run')).stdout).toMatch(/2 created/)
    const [file = '', rejects = ''] = archived()
    expect([file, rejects]).toEqual([
      expect.stringMatching(/^in\/shop\/processed\/ä \+&\(1\)\.\d{8}.*\.csv$/),
      expect.stringMatching(/rejects\.csv$/),
    ])
    expect(store.keys()).toContain('in/shop/deeper/other.csv')
    expect(waiting()).toEqual(['in/shop/'])
    expect((await place.cli('explain', 'shop', 'bob@example.org')).stdout).toContain('Elm')
    expect((await place.cli('audit', 'forget', 'bob@example.org', '--yes')).code).toBe(0)
    expect(store.all(file)).toEqual([`${EXPORT}3,,,\n`.replace('2,bob@example.org,Bob,Elm', '')])
  })

  it('takes every page of a listing', async () => {
    for (let turn = 0; turn < 8; turn += 1) store.put(`in/shop/${turn}.csv`, people(turn))
    expect((await place.cli('run')).stdout).toMatch(/160 created/)
    expect(waiting()).toEqual([])
    expect(archived()).toHaveLength(8)
  })

  it('loses nothing and doubles nothing, whichever request breaks', async () => {
    store.put('in/shop/people.csv', people(0))
    store.failAfter(Infinity)
    await place.cli('run')
    const whole = store.requests()
    expect(whole).toBeGreaterThan(8)
    for (let turn = 1; turn < whole; turn += 1) {
      store.put('in/shop/people.csv', people(turn))
      store.failAfter(turn)
      expect([0, 3]).toContain((await place.cli('run')).code)
      store.failAfter(Infinity)
      expect((await place.cli('run')).code).toBe(0)
      expect(waiting()).toEqual([])
      expect(store.keys().filter((key) => key.includes('.claims/'))).toEqual([])
    }
    expect((await place.cli('status')).stdout).toContain(`${whole * 20} contacts linked, nothing open`)
    expect(writes()).toBe(whole)
    for (let turn = 0; turn < whole; turn += 1)
      expect(archived().flatMap((key) => store.all(key))).toContain(people(turn))
  }, 120_000)

  it.each([
    ['honours conditions', { conditionalDelete: true, versions: false }],
    ['deletes on no condition', { conditionalDelete: false, versions: false }],
    ['keeps versions', { conditionalDelete: true, versions: true }],
  ])('never puts away a newer file of the name, where the store %s', async (_what, habits) => {
    Object.assign(store.habits, habits)
    // Before it is copied, and before it is deleted.
    for (const moment of ['PUT', 'DELETE']) {
      store.put('in/shop/people.csv', people(1))
      let isReplaced = false
      store.before = (method) => {
        if (method !== moment || isReplaced) return
        isReplaced = true
        store.put('in/shop/people.csv', people(2))
      }
      await place.cli('run')
      expect(isReplaced).toBe(true)
      expect(store.all('in/shop/people.csv').at(-1)).toBe(people(2))
      await place.cli('run')
      expect(waiting()).toEqual([])
      expect(archived().flatMap((key) => store.all(key))).toContain(people(2))
    }
    expect((await place.cli('status')).stdout).toContain('40 contacts linked, nothing open')
    // What lies beneath in a bucket with versions does not come back.
    expect((await place.cli('run')).stdout).toContain('0 records')
  })

  it('leaves no version of a file that was put away, nor of one from which a person was erased', async () => {
    store.habits.versions = true
    store.put('in/shop/people.csv', EXPORT)
    await place.cli('run')
    expect(waiting()).toEqual([])
    expect((await place.cli('audit', 'forget', 'bob@example.org', '--yes')).code).toBe(0)
    expect(store.everything().join('')).not.toContain('Elm')
    expect(store.everything().join('')).toContain('Oak')
  })

  it('says what the store refuses, and tells neither secrets nor what it wrote', async () => {
    store.put('in/shop/people.csv', EXPORT)
    await configure(store.url, 'AKIAOTHER')
    const { code, stdout, stderr } = await place.cli('run')
    expect([code, stdout]).toEqual([3, expect.stringContaining('403 SignatureDoesNotMatch')])
    expect(stdout + stderr).not.toMatch(/canary|ann@example/)
    await configure('http://127.0.0.1:1')
    expect((await place.cli('run')).stdout).toMatch(/the store cannot be reached \(ECONNREFUSED\)/)
    expect(waiting()).toEqual(['in/shop/people.csv'])
  })
})
