// A configuration of several services: each account is what it would be alone in the file.
import { describe, expect, it } from 'vitest'
import type { Settings } from '../../src/core/settings.ts'
import { ENV, FOLDER, linesOf, loadFixture, loadText } from './fixtures.ts'

async function accountsOf(name: string): Promise<readonly Settings[]> {
  const loaded = await loadFixture(name)
  if (!loaded.ok) throw new Error(linesOf(loaded).join('\n'))
  return loaded.accounts
}

describe('a configuration of several services', () => {
  it('gives each its service, its pipelines, its users and a state', async () => {
    const shown = (await accountsOf('accounts.yaml')).map((one) => ({
      account: one.account,
      service: `${one.service.base_url} ${one.service.rate_limit.requests}`,
      state: one.state.path.slice(FOLDER.length),
      pipelines: one.pipelines.map(({ name }) => name),
      users: one.server.users.map(({ name }) => name),
    }))
    const both = ['anna', 'bert']
    expect(shown).toEqual([
      {
        ...{ account: 'default', service: 'https://main.example.com 5', state: 'state.db' },
        ...{ pipelines: ['shop'], users: both },
      },
      {
        ...{ account: 'north', service: 'https://north.example.com 2', state: 'state.north.db' },
        ...{ pipelines: ['fjord'], users: ['anna'] },
      },
    ])
  })

  it('warns of one that no pipeline uses, and has it all the same', async () => {
    const service = 'service: { base_url: "https://a.example.com", api_key: "${KEY}" }'
    const pipelines = 'pipelines: { shop: { source: { type: csv, folder: in }, map: { mail: Mail } } }'
    const loaded = await loadText(`${service}\naccounts: { later: { ${service} } }\n${pipelines}\n`)
    expect(linesOf(loaded)).toEqual([
      '/etc/sync/sync.yaml:2:13: accounts.later: no pipeline uses this account; name it in a pipeline, account: NAME, or remove it',
    ])
    expect(loaded.ok && loaded.accounts.map(({ account }) => account)).toEqual(['default', 'later'])
  })

  it('is the same for an account as it would be alone', async () => {
    const pipeline = (account: string) =>
      `pipelines: { shop: { ${account} source: { type: csv, folder: in }, key: no, map: { mail: Mail } } }\n`
    const service = 'service: { base_url: "https://a.example.com", api_key: "${KEY}", timeout: 3s }'
    const alone = await loadText(`${service}\n${pipeline('')}`)
    const among = await loadText(`accounts: { one: { ${service} } }\n${pipeline('account: one,')}`)
    if (!alone.ok || !among.ok) throw new Error('not loaded')
    const { account, state, pipelines, ...rest } = among.settings
    const { account: own, state: kept, pipelines: expected, ...others } = alone.settings
    expect([account, own]).toEqual(['one', 'default'])
    expect(state.path).toBe(kept.path.replace(/\.db$/, '.one.db'))
    expect(rest).toEqual(others)
    // What was sent before stays known where a file gets accounts.
    expect(pipelines.map(({ hash }) => hash)).toEqual(expected.map(({ hash }) => hash))
  })

  it.each([
    ['[fjord]', []],
    [
      '[shop]',
      [
        '/etc/sync/sync.yaml:8:38: approvals[0].by: needs 1 approver, and server.users has none for one of its accounts; give enough users the role approver; what waits for more could never be released',
      ],
    ],
  ])('asks the account of a rule alone for approvers: %s', async (pipelines, problems) => {
    const service = (host: string) => `{ base_url: "https://${host}.example.com", api_key: "\${KEY}" }`
    const pipeline = (account: string) =>
      `{ account: ${account}, source: { type: csv, folder: ${account} }, map: { mail: Mail } }`
    const user = (name: string, role: string) =>
      `{ name: ${name}, token: "${name}-has-a-token-of-her-own", role: ${role} }`
    const text = [
      'accounts:',
      `  one: { service: ${service('one')}, users: [anna] }`,
      `  two: { service: ${service('two')} }`,
      'pipelines:',
      `  shop: ${pipeline('one')}`,
      `  fjord: ${pipeline('two')}`,
      `server: { users: [${user('anna', 'operator')}, ${user('berta', 'approver')}] }`,
      `approvals: [{ pipelines: ${pipelines}, by: 1, when: { deletes: 1 } }]`,
    ].join('\n')
    const lines = linesOf(await loadText(text)).filter((line) => !line.includes('plain text'))
    expect(lines).toEqual(problems)
  })

  it('needs no key for a command that sends nothing', async () => {
    const service = 'service: { base_url: "https://a.example.com", api_key: "${NOWHERE}" }'
    const text = `accounts: { one: { ${service} } }\npipelines: { shop: { account: one, source: { type: csv, folder: in }, map: { mail: Mail } } }\n`
    expect(linesOf(await loadText(text))).toHaveLength(1)
    expect((await loadText(text, ENV, { withoutSecrets: 'all' })).ok).toBe(true)
  })

  it('names the places of problems as the file has them', async () => {
    const text = 'accounts:\n  one:\n    service:\n      base_url: 5\npipelines: {}\n'
    expect(linesOf(await loadText(text))).toContain(
      '/etc/sync/sync.yaml:4:17: accounts.one.service.base_url: is a number to YAML, but text is expected; write it in quotes: "5"',
    )
  })
})
