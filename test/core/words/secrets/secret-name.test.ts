// Names of secrets: the one list that everything shares which has only a name to go by.
import { expect, it } from 'vitest'
import {
  isMaskable,
  isSecretName,
  maybeSecretName,
  secretsInText,
} from '../../../../src/core/words/secrets/secret-name.ts'

const CERTAIN = [
  'token',
  'access_token',
  'clientSecret',
  'password',
  'pass',
  'pwd',
  'X-Auth',
  'Authorization',
]
const LIKELY = [
  ...[
    'passcode',
    'passphrase',
    'db_pass',
    'X-Api-Key-Id',
    'apikey1',
    'keys',
    'bearer',
    'Set-Cookie',
    'JWT',
    'dsn',
  ],
  ...['webhook', 'alerts_smtp', 'private_pem', 'pin', 'user-pw'],
]
const PLAIN = ['author', 'passive', 'page', 'keyword', 'list', 'Accept', 'stream', 'spin', 'company', 'user']

it.each([...CERTAIN, 'signature', 'sig', 'session', 'api_key', 'authorize'])('%s is one', (name) => {
  expect([isSecretName(name), maybeSecretName(name)]).toEqual([true, true])
})

it.each(LIKELY)('%s may be one', (name) => {
  expect(maybeSecretName(name)).toBe(true)
})

it.each(PLAIN)('%s is none', (name) => {
  expect([isSecretName(name), maybeSecretName(name)]).toEqual([false, false])
})

it.each([
  ['postgres://me:abc@db/x', ['abc']],
  ['https://me@db/x', []],
  ['https://0123456789abcdef@db/x', ['0123456789abcdef']],
  ['Server=x;Password=abc;', ['abc']],
  ['{"api_key": "abc", "list": "d"}', ['abc']],
  ['--token=abc', ['abc']],
  ['--list=abc', []],
  ['customers', []],
])('%s holds %j', (text, expected) => {
  expect(secretsInText(text).map(({ value }) => value)).toEqual(expected)
})

it('masks no ordinary word', () => {
  expect(isMaskable({ name: 'password', value: 'abcdefg' })).toBe(false)
  expect(isMaskable({ name: 'password', value: 'abcdefgh' })).toBe(true)
  expect(isMaskable({ name: 'primary_key', value: 'customer_no' })).toBe(false)
  expect(isMaskable({ name: 'api_key', value: '0123456789abcdef' })).toBe(true)
})
