// Listings of a bucket: names are decoded where the store says that it has encoded them, and nowhere else.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { remoteOptions } from '../../../src/sources/remote/options.ts'
import { readPage } from '../../../src/sources/remote/s3/listing.ts'
import { openS3 } from '../../../src/sources/remote/s3/session.ts'
import { type PeopleServer, peopleServer, type Reply } from '../../support/people-server.ts'

const page = (key: string, more = ''): string =>
  `<ListBucketResult>${more}<IsTruncated>false</IsTruncated><Contents><Key>${key}</Key><ETag>"e"</ETag><Size>3</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents></ListBucketResult>`
const keyOf = (text: string): string | undefined => readPage(text).objects[0]?.key
const ENCODED = '<EncodingType>url</EncodingType>'

describe('the names of a listing', () => {
  it.each([
    ['encoded', 'in/%C3%A4+%2B%25.csv', ENCODED, 'in/ä +%.csv'],
    ['encoded, said behind the objects', 'in/a+b.csv', ENCODED, 'in/a b.csv'],
    ['as they are', 'in/ä +&amp;(1).csv', '', 'in/ä +&(1).csv'],
    ['as they are, with a percent sign', 'in/100%.csv', '', 'in/100%.csv'],
  ])('%s', (what, key, encoding, name) => {
    const text = what.endsWith('objects')
      ? page(key).replace('</ListBucketResult>', `${encoding}</ListBucketResult>`)
      : page(key, encoding)
    expect(keyOf(text)).toBe(name)
  })

  it.each([
    ['no encoding that there is', page('in/100%.csv', ENCODED)],
    ['no list', '<Other/>'],
    ['no XML', 'Log in'],
    ['more, and not where', page('a').replace('false', 'true')],
  ])('that has %s is refused', (_, text) =>
    expect(() => readPage(text)).toThrow('the store answers a listing with something else'),
  )
})

describe('a store', () => {
  let server: PeopleServer | undefined
  afterEach(() => server?.close())

  function sessionWith(endpoint: string) {
    const remote = { endpoint, access_key_id: 'id', secret_access_key: 'secret' }
    const address = { kind: 's3', bucket: 'exports', prefix: 'in/' } as const
    return openS3(address, { ...remoteOptions.parse(remote), spool: '' })
  }

  async function listed(reply: Reply) {
    server = await peopleServer(() => reply)
    return sessionWith(server.url).list('')
  }

  it('that names the page that it gave as the next one is not asked without end', async () => {
    const more = '<NextContinuationToken>again</NextContinuationToken>'
    const body = page('in/a.csv', more).replace('false', 'true')
    await expect(listed({ body })).rejects.toThrow('the store lists the same page twice')
    expect(server?.asked).toHaveLength(2)
  })

  it('whose listing has no end is not asked without end', async () => {
    const object = '<Contents><Key>in/a</Key></Contents>'.repeat(100_000)
    server = await peopleServer((_, number) => ({
      body: `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${number}</NextContinuationToken>${object}</ListBucketResult>`,
    }))
    await expect(sessionWith(server.url).list('')).rejects.toThrow('more than 500000 names, or no end')
    expect(server.asked).toHaveLength(5)
  }, 30_000)

  async function fetched(reply: Reply, bytes: number): Promise<unknown> {
    const folder = mkdtempSync(join(tmpdir(), 's3-'))
    const to = join(folder, 'copy')
    writeFileSync(to, '')
    server = await peopleServer(() => reply)
    const entry = { name: 'a', what: 'file', bytes, writtenAt: 0, version: 's3:e:0' }
    try {
      return await sessionWith(server.url)
        .fetch('', entry, to)
        .catch((error: unknown) => error)
    } finally {
      expect(statSync(to).size).toBeLessThanOrEqual(bytes)
      rmSync(folder, { recursive: true })
    }
  }

  it('whose object is longer than listed fills no disk', async () => {
    const fault = await fetched({ body: 'x'.repeat(200_000) }, 1000)
    expect(fault).toHaveProperty('message', 'an object is longer than the store says that it is')
  })

  it.each([
    [403, 'InvalidObjectState', 'SOURCE_DENIED', 'the store refuses that (403 InvalidObjectState)'],
    [503, 'SlowDown', 'SOURCE_UNREACHABLE', 'the store fails (503 SlowDown)'],
    [404, undefined, 'SOURCE_FAILED', 'the store refuses that (404 no reason given)'],
  ])(
    'that refuses to give a short object is quoted, not measured: %i %s',
    async (status, reason, code, message) => {
      const body = reason === undefined ? '' : `<Error><Code>${reason}</Code><Key>in/a</Key></Error>`
      expect(await fetched({ status, body }, 10)).toMatchObject({ code, message })
      await server?.close()
      expect(await fetched({ status, body }, 1000)).toMatchObject({ code, message })
    },
  )

  it('whose answer is too large is not read to its end', async () => {
    const body = Buffer.alloc(20 * 1024 * 1024, ' ')
    await expect(listed({ body })).rejects.toThrow('has more than 16777216 bytes')
  })

  it('that answers with a change of protocol is not waited for', async () => {
    await expect(listed({ isUpgrade: true })).rejects.toThrow('cannot be reached (PROTOCOL_CHANGED)')
  })
})
