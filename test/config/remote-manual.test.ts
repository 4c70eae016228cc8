// The examples of the manual for remote folders, as they are written there: only addresses and credentials are those of the
// test's servers.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'
import { startS3Server } from '../support/s3-server.ts'
import { hasSshd, startSftpServer } from '../support/sftp-server.ts'

interface Source {
  readonly type: string
  readonly folder: string
  readonly remote: Readonly<Record<string, string>>
}

const manual = readFileSync(resolve(import.meta.dirname, '../../config/sources/remote.md'), 'utf8')
const examples = [...manual.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
  ([, text = '']) => (parse(text) as { source: Source }).source,
)
const exampleOf = (scheme: string): Source => {
  const found = examples.find(({ folder }) => folder.startsWith(`${scheme}://`))
  if (found === undefined) throw new Error(`the manual has no example of ${scheme}`)
  return found
}

const EXPORT = 'mail,first\nann@example.org,Ann\n'

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: 'key', clock: systemClock })
  place = await openPlace()
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

async function run(source: Source): Promise<string> {
  const pipeline = { source: { ...source, settle: '0s' }, map: { mail: 'mail', first_name: 'first' } }
  const service = { base_url: sandbox.url, api_key: 'key' }
  await place.write(
    'config.yaml',
    JSON.stringify({ service, state: { path: 'state.db' }, pipelines: { shop: pipeline } }),
  )
  return (await place.cli('run')).stdout
}

describe('the examples of config/sources/remote.md', () => {
  it('are one for each protocol', () => expect(examples).toHaveLength(2))

  it('S3', async () => {
    const store = await startS3Server()
    try {
      const { remote, ...source } = exampleOf('s3')
      expect(Object.keys(remote)).toEqual(['region', 'endpoint', 'access_key_id', 'secret_access_key_file'])
      await place.write('secret', store.secret)
      store.put('shop/people.csv', EXPORT)
      const own = { endpoint: store.url, access_key_id: store.keyId, secret_access_key_file: 'secret' }
      expect(await run({ ...source, remote: { ...remote, ...own } })).toContain('1 created')
      expect(store.keys()).toEqual([expect.stringMatching(/^shop\/processed\/people\..*csv$/)])
    } finally {
      await store.close()
    }
  })

  it.skipIf(!hasSshd)('SFTP', async () => {
    const server = await startSftpServer()
    try {
      const { remote, folder, ...source } = exampleOf('sftp')
      expect(Object.keys(remote)).toEqual(['known_hosts', 'key_file', 'passphrase_file', 'timeout'])
      // The key of this test has no passphrase.
      const { passphrase_file: _, ...kept } = remote
      const path = join(server.home, new URL(folder).pathname)
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, 'people.csv'), EXPORT)
      await place.write('key', server.key)
      const address = `sftp://${server.user}@127.0.0.1:${server.port}${path}`
      const own = { known_hosts: server.knownHosts, key_file: 'key' }
      expect(await run({ ...source, folder: address, remote: { ...kept, ...own } })).toContain('1 created')
      expect(readdirSync(path)).toEqual(['.claims', 'processed'])
    } finally {
      await server.stop()
    }
  })
})
