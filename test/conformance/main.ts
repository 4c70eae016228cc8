// npm run conformance -- --base-url URL [--api-key-file FILE] [--rate N] [--json]
// Holds a service against the interface, rule by rule. It makes contacts and terms of unmistakable names, and deletes
// the contacts again; terms cannot be deleted.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Api, openApi, Violation } from './api.ts'
import type { Rule } from './rule.ts'
import { RULES } from './table.ts'

interface Finding {
  readonly id: string
  readonly section: string
  readonly says: string
  readonly verdict: 'holds' | 'does not hold' | 'seen'
  readonly seen: string | undefined
}

async function find(rule: Rule, api: Api): Promise<Finding> {
  const { id, section, says } = rule
  try {
    const result = await rule.check(api)
    const seen = typeof result === 'string' ? result : undefined
    return { id, section, says, verdict: says.startsWith('open:') ? 'seen' : 'holds', seen }
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return { id, section, says, verdict: 'does not hold', seen: `expected ${error.message}` }
  }
}

const line = ({ verdict, section, says, seen }: Finding): string =>
  `${verdict.padEnd(13)}  ${section.padEnd(30)}  ${says}${seen === undefined ? '' : `\n${' '.repeat(15)}${seen}`}`

const USAGE =
  'npm run conformance -- --base-url URL [--api-key-file FILE] [--rate N] [--json]; else the key is taken from CONTACT_SYNC_API_KEY'

async function options() {
  const { values } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      'api-key-file': { type: 'string' },
      rate: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
    },
  })
  const file = values['api-key-file']
  const apiKey =
    file === undefined ? process.env['CONTACT_SYNC_API_KEY'] : (await readFile(file, 'utf8')).trim()
  const baseUrl = values['base-url']?.replace(/\/+$/, '')
  const rate = Number(values.rate)
  if (baseUrl === undefined || !URL.canParse(baseUrl) || apiKey === undefined || !(rate > 0))
    throw new Error(USAGE)
  return { baseUrl, apiKey, rate, json: values.json }
}

async function main(): Promise<number> {
  const { json, ...target } = await options()
  const api = openApi(target)
  const findings: Finding[] = []
  try {
    for (const rule of RULES) {
      const finding = await find(rule, api)
      findings.push(finding)
      if (!json) console.log(line(finding))
      // Without the key nothing else means anything.
      if (rule.id === 'key-right' && finding.verdict === 'does not hold') return 5
    }
  } finally {
    const { deleted, made } = await api.cleanUp()
    console.error(`${deleted} of ${made} contacts deleted again; the terms named "conformance ..." stay`)
  }
  const broken = findings.filter(({ verdict }) => verdict === 'does not hold').length
  if (json) console.log(JSON.stringify({ base_url: target.baseUrl, broken, findings }))
  else console.log(`${findings.length - broken} of ${findings.length} rules hold`)
  return broken === 0 ? 0 : 3
}

try {
  process.exitCode = await main()
} catch (error) {
  const isUnreachable = error instanceof TypeError && error.message === 'fetch failed'
  console.error(
    isUnreachable ? 'the service cannot be reached' : error instanceof Error ? error.message : error,
  )
  process.exitCode = isUnreachable ? 5 : 2
}
