// Every example of the manual in YAML is loaded: whole files as they are, pieces of a pipeline or of a mapping in one
// around them. None needs a regular expression.
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { loadSettings, problemText } from '../../src/config/load.ts'
import { CONTACT_FIELD_NAMES } from '../../src/core/mapping/contact.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'

type Piece = Record<string, unknown>

const CONFIG = resolve(import.meta.dirname, '../../config')
const SERVICE = { base_url: 'https://service.example', api_key: '${CONTACT_SYNC_API_KEY}' }
const SOURCE = { type: 'csv', folder: '../state/inbox/shop' }
const MAP = { mail: 'E-Mail' }
const TOP = [
  'accounts',
  'approvals',
  'consents',
  'service',
  'state',
  'log',
  'keep',
  'server',
  'alerts',
  'blocks',
  'pipelines',
]

const manual = readFileSync(resolve(CONFIG, 'README.md'), 'utf8')

interface Example {
  readonly heading: string
  readonly text: string
}

/** Each block of YAML with the heading above it. */
const examplesOf = (page: string): readonly Example[] =>
  page.split(/^#+ /m).flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'))
    return [...section.matchAll(/^( *)```yaml\n([^]*?)^ *```$/gm)].map(([, indent = '', block = '']) => ({
      heading,
      text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }))
  })

/** The manual itself, and its page for each kind of source. */
const examples = [
  manual,
  ...globSync('sources/*.md', { cwd: CONFIG }).map((name) => readFileSync(resolve(CONFIG, name), 'utf8')),
].flatMap(examplesOf)

const isField = (name: string): boolean => (CONTACT_FIELD_NAMES as readonly string[]).includes(name)

/** What stands in the table of what can be said of a field. */
const rows: readonly Example[] = [...manual.matchAll(/^\| ([^|`]+) \| `((\w+): .*)` \|$/gm)].flatMap(
  ([, heading = '', text = '', field = '']) =>
    isField(field) ? [{ heading, text: text.replaceAll('\\|', '|') }] : [],
)

/** A field that the example does not map, and that an example about it needs. */
const withFields = (map: Piece): Piece =>
  Object.hasOwn(map, 'phone_type') && !Object.hasOwn(map, 'phone')
    ? { phone: { column: 'Phone', phone: 'DE' }, ...map }
    : map

/** It has no folder of its own. */
const isAsked = ({ type = 'csv' }: Piece): boolean => SOURCE_KINDS[String(type)]?.isPulled === true

function pipelineOf(piece: Piece): Piece {
  const isMap = Object.keys(piece).every((key) => isField(key) || key === 'custom_fields')
  const given = isMap ? { map: piece } : piece
  const { map = {}, source = {} } = given as { map?: Piece; source?: Piece }
  const defaults = isAsked(source) ? {} : SOURCE
  return { ...given, source: { ...defaults, ...source }, map: { ...MAP, ...withFields(map) } }
}

/** A whole configuration around the piece. */
function wholeOf(piece: Piece): Piece {
  const isTop = Object.keys(piece).every((key) => TOP.includes(key))
  const whole = isTop ? piece : { pipelines: { shop: pipelineOf(piece) } }
  return {
    ...(Object.hasOwn(piece, 'accounts') ? {} : { service: SERVICE }),
    state: { path: '../state/manual.db' },
    pipelines: { shop: { source: SOURCE, map: MAP } },
    ...whole,
  }
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const whole = stringify(wholeOf(parse(text) as Piece))
  const loaded = await loadSettings({
    file: resolve(CONFIG, 'contact-sync.yaml'),
    env: {
      CONTACT_SYNC_API_KEY: 'key',
      BEN_TOKEN: 'bens-own-token-here',
      NORTH_KEY: 'key-of-north',
      SOUTH_KEY: 'key-of-south',
      CRM_TOKEN: 'token',
      DATABASE_URL: 'sqlite:/people.db',
      OPS_WEBHOOK: 'https://hooks.example/1',
    },
    kinds: SOURCE_KINDS,
    presetFolder: resolve(CONFIG, 'presets'),
    readFile: (path) =>
      path.endsWith('contact-sync.yaml')
        ? Promise.resolve(Buffer.from(whole))
        : Promise.resolve(path.startsWith('/run/') ? Buffer.from(`secret${path}`) : readFileSync(path)),
  })
  return loaded.ok ? [] : loaded.problems.map(problemText)
}

describe('the examples of the manual', () => {
  it('are many, and in most sections', () => {
    expect(examples.length).toBeGreaterThan(25)
    expect(rows.length).toBeGreaterThan(12)
  })

  it.each([...examples, ...rows].map(({ heading, text }, place) => [place + 1, heading, text] as const))(
    '%i: %s',
    async (_, __, text) => {
      expect(await problemsOf(text)).toEqual([])
    },
  )

  it('would not be loaded with a mistake in them', async () => {
    expect(await problemsOf('phone: { colunm: Tel }')).toHaveLength(1)
    expect(await problemsOf('expect: { columns: some }')).toHaveLength(1)
  })

  it('need no regular expression', () => {
    // A pattern of `unless` without special characters is a text.
    const isNeeded = (text: string): boolean =>
      /\bpattern:|\bmatches\(|\blike\(|\bunless: [^}]*[^\w }]/.test(text)
    const needing = [...examples, ...rows].filter(({ text }) => isNeeded(text))
    expect(needing.map(({ heading }) => heading)).toEqual([])
  })
})
