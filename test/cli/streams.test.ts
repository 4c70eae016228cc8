// `streams`: the tap of the example, and catalogs of other forms.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlace, type Place } from '../support/in-process.ts'

const DATA = resolve(import.meta.dirname, '../../config/examples/data')

let place: Place
beforeEach(async () => {
  // Whatever `node` the path has would do as well; this one is there.
  place = await openPlace({ PATH: dirname(process.execPath) })
  for (const name of ['example-tap.mjs', 'example-tap.json', 'example-tap.txt'])
    await place.write(name, readFileSync(join(DATA, name), 'utf8'))
})
afterEach(() => place.close())

const configured = (command: readonly string[], stream = 'people'): Promise<void> =>
  place.write(
    'config.yaml',
    `service: { base_url: http://127.0.0.1:1, api_key: "\${NO_SUCH_KEY}" }
state: { path: state.db }
pipelines:
  crm: { source: ${JSON.stringify({ type: 'singer', command, stream })}, map: { mail: email } }
`,
  )
const TAP = [process.execPath, 'example-tap.mjs', '--config', 'example-tap.json']

/** A tap that answers with this, whatever it is asked. */
async function answering(catalog: unknown): Promise<void> {
  await place.write('catalog.json', JSON.stringify(catalog))
  await configured(['/bin/sh', '-c', 'cat catalog.json'])
}

describe('streams', () => {
  it('lists streams, keys and fields under the names of a mapping', async () => {
    await configured(TAP)
    const { code, stdout, stderr } = await place.cli('streams', 'crm')
    expect(code, stderr).toBe(0)
    expect(stdout).toBe(
      `people (the source of this pipeline; key id; replication key changed)
  id               integer
  changed          string, date-time
  email            null or string
  name.first       null or string
  name.last        null or string
  city             null or string
  phones[0].value  null or string
visits (key id)
  id    integer
  page  null or string
`,
    )
    expect(stderr).toContain('2 streams; names of fields are columns for the mapping')
  })

  it('prints the same as JSON', async () => {
    await configured(TAP)
    const { streams } = (await place.json('streams')) as { streams: { fields: unknown[] }[] }
    expect(streams).toMatchObject([
      { stream: 'people', key_properties: ['id'], replication_key: 'changed' },
      { stream: 'visits', key_properties: ['id'], replication_key: null, fields: { length: 2 } },
    ])
    expect(streams[0]?.fields[1]).toEqual({ name: 'changed', types: ['string'], format: 'date-time' })
  })

  it('reads what stands in the metadata, and types that are one of several', async () => {
    const metadata = {
      'table-key-properties': ['ID'],
      'valid-replication-keys': ['at'],
      inclusion: 'available',
    }
    const at = { anyOf: [{ type: 'string', format: 'date-time' }, { type: ['string', 'null'] }] }
    await answering({
      streams: [
        {
          ...{ tap_stream_id: 'public-people', metadata: [{ breadcrumb: [], metadata }] },
          schema: { properties: { at, tags: { type: 'array', items: { type: 'string' } }, free: {} } },
        },
      ],
    })
    expect(await place.json('streams', 'crm')).toEqual({
      streams: [
        {
          ...{ stream: 'public-people', key_properties: ['ID'], replication_key: 'at' },
          fields: [
            { name: 'at', types: ['string', 'null'], format: 'date-time' },
            { name: 'tags', types: ['array'], format: null },
            { name: 'free', types: [], format: null },
          ],
        },
      ],
    })
    expect((await place.cli('streams')).stderr).toContain('warning: the tap has no stream people')
  })

  it('writes the catalog as the tap gave it', async () => {
    await configured(TAP)
    const { stderr } = await place.cli('streams', '--output', 'my-catalog.json')
    expect(stderr).toMatch(/catalog written to .*my-catalog\.json; name it as source\.catalog/)
    const { streams } = JSON.parse(readFileSync(place.path('my-catalog.json'), 'utf8')) as {
      streams: unknown[]
    }
    expect(streams).toMatchObject([{ stream: 'people', schema: { type: 'object' } }, { stream: 'visits' }])
  })

  it.each([
    [
      'is no catalog',
      ['/bin/sh', '-c', 'echo "{}"'],
      'SOURCE_ANSWER: the catalog of the tap cannot be used: it has no list "streams"',
    ],
    [
      'is no JSON',
      ['/bin/sh', '-c', 'echo usage: tap'],
      'SOURCE_ANSWER: the catalog of the tap cannot be used: it is not valid JSON',
    ],
    [
      'is not given',
      ['/bin/sh', '-c', 'echo no --discover here >&2; exit 2'],
      'SOURCE_FAILED: tap sh: it ended with exit code 2: no --discover here',
    ],
  ])('ends with 3 where the answer %s', async (_, command, message) => {
    await configured(command)
    const { code, stdout, stderr } = await place.cli('streams')
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain(message)
  })

  it('wants a pipeline that has a tap', async () => {
    await place.write(
      'config.yaml',
      `service: { base_url: http://127.0.0.1:1, api_key: k }
pipelines:
  shop: { source: { type: csv, folder: in }, map: { mail: mail } }
  pipe: { source: { type: singer, stream: people }, map: { mail: mail } }
  tube: { source: { type: singer, stream: people }, map: { mail: mail } }
`,
    )
    const refused = async (...names: string[]) => {
      const { code, stderr } = await place.cli('streams', ...names)
      return `${code} ${stderr}`
    }
    expect(await refused('shop')).toContain('2 USAGE: the source of shop is csv, not singer')
    expect(await refused('pipe')).toContain('2 USAGE: the source has no tap: source.command is not set')
    expect(await refused()).toContain('2 USAGE: streams needs the name of a pipeline')
  })
})
