// `server.users`: a separate name and token for each; otherwise the configuration is refused, with the place and without
// the token.
import { expect, it } from 'vitest'
import { linesOf, loadText, settingsOf } from './fixtures.ts'

const withUsers = (...users: string[]) => `service: { base_url: https://a.example.com, api_key: "\${KEY}" }
server: { token: "\${TOKEN}", users: [${users.join(', ')}] }
pipelines:
  shop:
    source: { type: csv, folder: in }
    map: { mail: E-Mail }
`
const ANNA = '{ name: anna, token: anna-has-this-token, role: operator }'

it('each user has a name, a role and a token, which is redacted everywhere', async () => {
  const { server, secrets } = settingsOf(await loadText(withUsers(ANNA)))
  expect(server.users).toEqual([{ name: 'anna', token: 'anna-has-this-token', role: 'operator' }])
  expect(secrets).toContain('anna-has-this-token')
})

it.each([
  ['{ name: Anna, token: another-of-anna-here, role: viewer }', 'is used twice'],
  ['{ name: ben, token: anna-has-this-token, role: viewer }', 'is the same as that of anna'],
  ['{ name: ben, token: "${TOKEN}", role: viewer }', 'is the same as that of server.token'],
  ['{ name: ben, token: "${KEY}", role: viewer }', 'is the same as that of service.api_key'],
  ['{ name: ben, token: bens-token-here, role: viewer }', 'is shorter than 16 characters'],
  ['{ name: ben, role: viewer }', 'is missing; add token_file'],
  ['{ name: ben, token: bens-own-token-here, token_file: x, role: viewer }', 'stands beside token'],
  ['{ name: ben, token: bens-own-token-here, role: admin }', 'possible: viewer, operator, approver'],
  ['{ name: "b\\nen", token: bens-own-token-here, role: viewer }', 'is not a name'],
])('refuses %s', async (user, message) => {
  const lines = linesOf(await loadText(withUsers(ANNA, user)))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('server.users[1]')
  expect(lines[0]).toContain(message)
  for (const token of ['anna-has', 'bens-']) expect(lines[0]).not.toContain(token)
})
