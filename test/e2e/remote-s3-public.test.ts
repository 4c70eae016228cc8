// A drop folder in a store that others have written: fauxqs, an emulator of S3 from npm, after whose idea of the interface nothing
// here was made. It is no development package, for it brings 48 others: `npm install --no-save fauxqs`, as .ci/run does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

interface PublicStore {
  readonly address: string
  createBucket(name: string): unknown
  stop(): Promise<void>
}

const NAME: string = 'fauxqs'
const start = await import(NAME).then(
  (module: unknown) => (module as { startFauxqs(options: object): Promise<PublicStore> }).startFauxqs,
  () => undefined,
)

const EXPORT = 'no,mail,first,last\n1,ann@example.org,Ann,Oak\n2,bob@example.org,Bob,Elm\n'
const PREFIX = 'in/shop/'

describe.skipIf(start === undefined)(
  'a drop folder in a store of others (npm install --no-save fauxqs)',
  () => {
    let store: PublicStore
    let sandbox: Sandbox
    let place: Place

    beforeAll(async () => {
      if (start === undefined) return
      store = await start({ port: 0, logger: false })
      store.createBucket('exports')
      sandbox = await startSandbox({ port: 0, apiKey: 'key', clock: systemClock })
      place = await openPlace({})
      await place.write('secret', 'test')
      await configure('false')
    })
    const configure = (claim: string): Promise<void> =>
      place.write(
        'config.yaml',
        `
service: { base_url: "${sandbox.url}", api_key: key, rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source:
      type: csv
      folder: "s3://exports/in/shop"
      settle: 0s
      remote: { endpoint: "${store.address}", access_key_id: test, secret_access_key_file: secret, timeout: 5s, claim: ${claim} }
    key: no
    map: { mail: mail, first_name: first, family_name: last }
`,
      )
    afterAll(async () => {
      await store.stop()
      await sandbox.close()
      await place.close()
    })

    const at = (key: string): string =>
      `${store.address}/exports/${key.split('/').map(encodeURIComponent).join('/')}`
    const put = async (key: string, body: string): Promise<void> => {
      expect((await fetch(at(key), { method: 'PUT', body })).status).toBe(200)
    }
    async function keys(): Promise<string[]> {
      const text = await (await fetch(`${store.address}/exports?list-type=2`)).text()
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)]
        .map(([, key = '']) => key.replaceAll('&amp;', '&'))
        .sort()
    }
    const textOf = async (key: string): Promise<string> => (await fetch(at(key))).text()

    it('is noticed to overwrite what has the name of a claim', async () => {
      await configure('true')
      await put(`${PREFIX}a.csv`, EXPORT)
      expect((await place.cli('run')).stdout).toContain('a.csv cannot be claimed')
      expect(await keys()).toEqual([`${PREFIX}a.csv`])
      await fetch(at(`${PREFIX}a.csv`), { method: 'DELETE' })
      await configure('false')
    })

    it('is read, put away with its rejects, explained, and rid of a person', async () => {
      await put(`${PREFIX}ä +&(1).csv`, `${EXPORT}3,,,\n`)
      await put(`${PREFIX}deeper/other.csv`, EXPORT)
      await put('in/other.csv', EXPORT)
      expect((await place.cli('check')).stdout).toContain('1 file')
      expect((await place.cli('run')).stdout).toMatch(/2 created/)
      const [deeper, file = '', rejects] = (await keys()).filter((key) => key.startsWith(PREFIX))
      expect([deeper, file, rejects]).toEqual([
        `${PREFIX}deeper/other.csv`,
        expect.stringMatching(/^in\/shop\/processed\/ä \+&\(1\)\.\d{8}.*\.csv$/),
        expect.stringMatching(/rejects\.csv$/),
      ])
      expect((await place.cli('explain', 'shop', 'bob@example.org')).stdout).toContain('Elm')
      expect((await place.cli('audit', 'forget', 'bob@example.org', '--yes')).code).toBe(0)
      expect(await textOf(file)).toBe(`${EXPORT}3,,,\n`.replace('2,bob@example.org,Bob,Elm', ''))
    })

    it('brings every file of a listing, a second one of a name beside the first, and finds nothing twice', async () => {
      const rows = (turn: number): string => `no,mail,first,last\nx${turn},x${turn}@example.org,A,B\n`
      for (let turn = 0; turn < 12; turn += 1) await put(`${PREFIX}${turn}.csv`, rows(turn))
      expect((await place.cli('run')).stdout).toMatch(/12 created/)
      const before = sandbox.requests().length
      await put(`${PREFIX}0.csv`, rows(0))
      expect((await place.cli('run')).stdout).toMatch(/1 unchanged/)
      expect(
        sandbox
          .requests()
          .slice(before)
          .filter(({ method }) => method !== 'GET'),
      ).toEqual([])
      const left = (await keys()).filter((key) => /^in\/shop\/[^/]*$/.test(key))
      expect(left).toEqual([])
      expect((await keys()).filter((key) => /processed\/0\.\d/.test(key))).toHaveLength(2)
    })

    it('a missing bucket is a missing folder', async () => {
      const text = (await textConfig()).replace('s3://exports/', 's3://nowhere/')
      await place.write('config.yaml', text)
      expect((await place.cli('run')).stdout).toContain('is missing')
    })

    async function textConfig(): Promise<string> {
      const { readFile } = await import('node:fs/promises')
      return readFile(place.path('config.yaml'), 'utf8')
    }
  },
)
