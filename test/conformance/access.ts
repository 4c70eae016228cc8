// Sections 4, 5, 7 and 9: who may ask, and how.
import { expected, isRefusal, isObject } from './api.ts'
import type { Rule } from './rule.ts'

export const ACCESS: readonly Rule[] = [
  {
    id: 'key-right',
    section: '5.1',
    says: 'the key of the system is accepted as Authorization: Bearer',
    async check(api) {
      const answer = await api.call('GET', '/custom-fields')
      expected(answer.status === 200, '200 for the right key', answer)
    },
  },
  {
    id: 'key-wrong',
    section: '5.1',
    says: 'another key is refused',
    async check(api) {
      const answer = await api.call('GET', '/custom-fields', undefined, 'not-the-key')
      expected(isRefusal(answer), 'a refusal of a wrong key', answer)
      return `status ${answer.status}`
    },
  },
  {
    id: 'key-missing',
    section: '5.1',
    says: 'every request carries the key: none without it',
    async check(api) {
      for (const path of ['/terms', '/custom-fields', '/contact/1']) {
        const answer = await api.call('GET', path, undefined, null)
        expected(isRefusal(answer), `a refusal of ${path} without a key`, answer)
      }
    },
  },
  {
    id: 'version',
    section: '9',
    says: 'the version is a segment of the path: another one is not served',
    async check(api) {
      const answer = await api.call('GET', '/../V999/terms')
      expected(answer.status >= 400, 'no answer under another version', answer)
    },
  },
  {
    id: 'body-is-json',
    section: '4',
    says: 'bodies are JSON: anything else is refused',
    async check(api) {
      const answer = await api.call('POST', '/terms', '{"name":')
      expected(isRefusal(answer), 'a refusal of a body that is no JSON', answer)
    },
  },
  {
    id: 'error-body',
    section: '7',
    says: 'open: how a refusal is written',
    async check(api) {
      const answer = await api.call('POST', '/contact', { contact: { first_name: 'Nobody' } })
      const names = isObject(answer.body) ? Object.keys(answer.body).join(', ') : 'no JSON object'
      return `status ${answer.status}, ${names}`
    },
  },
]
