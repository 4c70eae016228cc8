// What an admin reads for each way to be wrong: one tiny file for each, named for it.
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import { KINDS } from './fake-kinds.ts'
import { ENV, FOLDER, linesOf, loadFixture } from './fixtures.ts'

/** By the file's name: `line:column: path: what is wrong, and what would be right`, in order. */
const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  'a-list': ['1:1: is a list; write a mapping of keys'],
  'account-missing': ['4:3: pipelines.shop.account: is missing; name one of accounts: north'],
  'account-of-one': ['4:14: pipelines.shop.account: names no account; known here: default'],
  'accounts-wrong': [
    '3:33: accounts.north.service.base_url: is not a web address; it begins with https://',
    '3:79: accounts.north.service.time_out: is not a known key; did you mean timeout?',
    '4:3: accounts.south.service: is missing; add service: The Contact Management Service of this account, as `service` at the top.',
    '4:20: accounts.south.users[0]: names no user of server.users; describe it under server.users',
    '4:27: accounts.south.sevice: is not a known key; did you mean service?',
    '5:3: accounts["a b"]: is not a name for an account; use up to 64 letters, digits, - and _',
    '5:68: accounts["a b"].service.api_key: is empty (environment variable EMPTY); set EMPTY to the real one',
    '6:3: accounts.default: is what service at the top describes; keep one of the two',
    '7:41: approvals[0].by: needs 1 approver, and server.users has none; give enough users the role approver; what waits for more could never be released',
    '10:14: pipelines.shop.account: names no account; did you mean north?',
    '15:34: pipelines.fjord.source.folder: reads the same files as pipelines.shop; give each pipeline a folder of its own, or another pattern in files',
  ],
  'address-without-key': [
    '3:3: pipelines.shop.key: is missing; without it the mapped mail is the key, and mail is not mapped; name the column with the stable identity',
  ],
  'alerts-wrong': [
    '2:42: server.token_file: stands beside token; keep one of the two',
    '4:5: alerts[0]: must have exactly one of webhook and mail; write an entry for each receiver',
    '5:14: alerts[1].webhook: would be sent unprotected; begin it with https:// (http is for this machine only)',
    '6:14: alerts[2].webhook: is a link-local address; no receiver has one',
    '7:14: alerts[3].webhook: contains a user or password; sign messages with secret instead',
    '8:14: alerts[4].webhook: is not a web address; it begins with https://',
    '9:48: alerts[5].on: names nothing_arrived without a time; add nothing_by: "07:00"',
    '10:49: alerts[6].on[0]: is "faild"; did you mean failed? possible: failed, held, rejects, in_doubt, nothing_arrived, key_refused, unreachable, daily_limit, file_refused, reload_refused, overdue, drift, drift_share, erased_seen, hand_over',
    '11:56: alerts[7].pipelines[0]: names no pipeline of this configuration; did you mean shop?',
    '11:76: alerts[7].nothing_by: is not a time of day; write one such as "07:00", in quotes',
    '12:79: alerts[8].secret_file: stands beside secret; keep one of the two',
    '12:101: alerts[8].nothing_on: is empty; write a value, or leave the key out',
    '13:41: alerts[9].mail.smtp: is not a mail server; write one such as smtps://mail.example.com or smtp://mail.example.com:587',
    '13:76: alerts[9].mail.from: is not an e-mail address; write one such as ops@example.com',
    '14:21: alerts[10].mail.smtp: contains a user or password; write them as user and password',
    '14:84: alerts[10].mail.to: is an empty list; write an address, or a list of addresses',
  ],
  'alias-bomb': ['3:8: an alias of a value that contains aliases; write the value out'],
  'binary-tag': ['2:22: tags (!name) are not available; write the value without it'],
  choices: [
    '6:11: pipelines.shop.mode: is "ful"; did you mean full? possible: incremental, full',
    '7:12: pipelines.shop.blank: is "empty"; possible: keep, clear',
    '8:29: pipelines.shop.duplicate_check_method: is "emial"; did you mean email? possible: auto, email, none',
  ],
  constants: [
    '6:40: pipelines.shop.map.mail.default: is not an e-mail address; write name@example.com',
    '7:29: pipelines.shop.map.mail_status.value: cannot be in this field; it takes 1, 2, 3, 4, 7',
    '8:43: pipelines.shop.map.title.lookup.Herr: cannot be in this field; it takes m, f',
    '8:62: pipelines.shop.map.title.otherwise: cannot be in this field; it takes m, f',
    '9:28: pipelines.shop.map.ba_country.value: is not a country code; write two letters such as DE',
    '10:26: pipelines.shop.map.ba_state.value: has 22 characters; the field takes 20',
    '11:31: pipelines.shop.map.date_of_birth.value: is not a date; write 1980-12-31, or 1980-12-31T00:00:00+01:00',
  ],
  'duplicate-key': [
    '4:12: service.timeout: is not a duration; write one such as 500ms, 30s, 5m, 2h or 30d',
    '6:1: service: occurs twice; keep one of the two',
    '11:5: pipelines.shop.mode: occurs twice; keep one of the two',
    '12:5: pipelines.shop.blnk: is not a known key; did you mean blank?',
  ],
  'durations-and-shares': [
    '4:12: service.timeout: is not a duration; write one such as 500ms, 30s, 5m, 2h or 30d',
    '5:23: service.retry.max_delay: is not a duration; write one such as 500ms, 30s, 5m, 2h or 30d',
    '10:28: pipelines.shop.guards.max_deletes: is not a share; write one such as 5%, up to 100%, or a whole number to count',
    '10:47: pipelines.shop.guards.max_changes: is too small; at least 0',
  ],
  empty: ['1:1: is empty; copy config/contact-sync.example.yaml, or name another file with --config'],
  'expect-unmapped': [
    '10:26: pipelines.shop.expect.values.Phone.change: watches nothing: no field is made of this column; name a column that a field is made of, or give the list of its values',
  ],
  'key-empty': ['3:12: service.api_key: is empty (environment variable EMPTY); set EMPTY to the real one'],
  'key-file-empty': [
    '3:17: service.api_key_file: the file empty-key: is empty; write the key of the service into it, and nothing else',
  ],
  'key-file-missing': [
    '3:17: service.api_key_file: the file no-such-file: there is no such file; write the key of the service into it, and nothing else',
  ],
  'key-file-with-name': [
    '3:17: service.api_key_file: the file named-key: is written as NAME=value, of which all would be sent; write the key of the service into it, and nothing else',
  ],
  'key-in-quotes': [
    '3:12: service.api_key: stands in quotes, which would be sent with it (environment variable QUOTED); set QUOTED to the real one',
  ],
  'key-missing': [
    '1:1: service.api_key: is missing; add api_key: ${CONTACT_SYNC_API_KEY}, or api_key_file with the path of a file',
  ],
  'key-number': ['3:12: service.api_key: is a number to YAML, but text is expected; write it in quotes'],
  'key-placeholder': [
    '3:12: service.api_key: still holds a placeholder; set CONTACT_SYNC_API_KEY to the real one',
  ],
  'key-twice': ['4:17: service.api_key_file: is set together with api_key; keep one of the two'],
  'key-with-space': [
    '3:12: service.api_key: contains white space or other characters that no key has (environment variable SPACED); set SPACED to the real one',
  ],
  'many-aliases': ['2:88: more than 20 aliases (*name); write the values out'],
  'mapping-forms': [
    '6:13: pipelines.shop.map.mail: is not a mapping; write the name of a column, or { column: NAME } with more beside it',
    '7:14: pipelines.shop.map.mail2: is empty; write the name of a column, or { column: NAME } with more beside it',
    '8:19: pipelines.shop.map.first_name: has column and columns and value at once; keep one of them',
    '9:20: pipelines.shop.map.family_name: does not say where the value comes from; give one of column, columns, value, template, pick and expression',
    '10:40: pipelines.shop.map.company.otherwise: has no effect without lookup; use default for blank values',
    '11:30: pipelines.shop.map.job_title.template: names no column; write {Column}, or use value for a fixed text',
    '12:26: pipelines.shop.map.skype.template: has an unmatched brace; write {Column}, and {{ or }} for the braces themselves',
    '13:23: pipelines.shop.map.fax.columns: is an empty list; name the columns to try, in order',
    '14:14: pipelines.shop.map.phone: is not a mapping; write the name of a column, or { column: NAME } with more beside it',
  ],
  'misplaced-keys': [
    '1:66: service.concurrency: is not a known key; it belongs under service.rate_limit',
    '2:1: rate_limit: is not a known key; it belongs under service',
    '5:5: pipelines.shop.folder: is not a known key; it belongs under pipelines.shop.source',
    '6:5: pipelines.shop.max_deletes: is not a known key; it belongs under pipelines.shop.guards',
    '7:5: pipelines.shop.custom_fields: is not a known key; it belongs under pipelines.shop.map',
    '8:38: pipelines.shop.source.key: is not a known key; it belongs under pipelines.shop',
    '8:47: pipelines.shop.source.schedule: is not a known key; it belongs under pipelines.shop',
    '9:26: pipelines.shop.map.state: is not a known key; did you mean ba_state?',
    '9:39: pipelines.shop.map.terms: is not a known key; it belongs under pipelines.shop',
  ],
  'merge-key': [
    '2:1: x: is not a known key; the nearest known is max_parallel',
    '5:5: pipelines.shop["<<"]: is not a known key; merge keys are not available, write the values out',
  ],
  'metrics-token-is-key': [
    '2:31: server.metrics_token_file: is the same as service.api_key; create another one, for metrics only: openssl rand -hex 24',
  ],
  'metrics-token-shared': [
    '2:45: server.metrics_token: is the same as server.token; create another one, for metrics only: openssl rand -hex 24',
  ],
  'metrics-token-twice': [
    '2:66: server.metrics_token_file: stands beside metrics_token; keep one of the two',
  ],
  'hand-edits': [
    '7:17: pipelines.shop.update_via: cannot be combined with hand_edits: keep; each contact is read before it is written; set update_via: id',
    '14:17: pipelines.club.update_via: cannot be combined with hand_edits: ask; each contact is read before it is written; set update_via: id',
  ],
  household: [
    '5:20: pipelines.families.key.fields: lacks mail; contacts are looked up by e-mail address; name mail among the fields',
    '5:33: pipelines.families.key.fields[1]: names no mapped field; map family_name',
    '6:29: pipelines.families.duplicate_check_method: cannot be combined with key: { fields: [...] }; email may merge two persons with one e-mail address; leave it out: such contacts are looked up first and then created with none',
    '7:17: pipelines.families.update_via: cannot be combined with key: { fields: [...] }; a bulk call identifies contacts by e-mail address only; set update_via: id',
    '11:20: pipelines.fine.key.fields: does not identify a contact; name mail and at least one more field',
    '15:27: pipelines.wrong.key.fields[1]: is "mail_status"; possible: title, title2, first_name, family_name, company, job_title, mail, mail2, phone_type, phone, phone2_type, phone2, fax, skype, fb, twitter, ba_street, ba_street2, ba_city, ba_postal_code, ba_state, ba_country, date_of_birth',
    '15:41: pipelines.wrong.key.column: is not a known key; known here: fields',
  ],
  writes: [
    '7:17: pipelines.fresh.on_missing: cannot be combined with writes: create; such a pipeline never changes existing contacts; set on_missing: keep, or writes: all',
    '8:29: pipelines.fresh.duplicate_check_method: cannot be combined with writes: create; auto may merge a new contact into one with another e-mail address, and so change it; set email or none',
    '12:13: pipelines.there.writes: is update, which looks up contacts by e-mail address; map mail',
    '14:17: pipelines.there.on_missing: cannot be combined with writes: update; such a pipeline deletes no contact that it did not create; set on_missing: keep or remove_terms, or writes: all',
  ],
  'missing-source': ['3:3: pipelines.shop.source: is missing; add source: Where the records come from.'],
  'no-mail-no-address': [
    '5:5: pipelines.shop.map: cannot make a contact; map mail, or all of first_name, family_name, ba_street, ba_city, ba_postal_code',
  ],
  'nothing-in-it': [
    '1:1: service.base_url: is missing; add base_url: The address of the service: https, or http on this machine only.',
    '1:1: service.api_key: is missing; add api_key: ${CONTACT_SYNC_API_KEY}, or api_key_file with the path of a file',
    '2:12: pipelines: is empty; describe at least one pipeline',
  ],
  'numbers-for-text': [
    '5:51: pipelines.shop.map.ba_postal_code.value: is a number to YAML, but text is expected; write it in quotes: "01234"',
    '5:95: pipelines.shop.map.ba_city.lookup.x: is a number to YAML, but text is expected; write it in quotes: "007"',
    '5:133: pipelines.shop.map.phone.default: is a number to YAML, but text is expected; write it in quotes: "0"',
  ],
  'on-missing': [
    '7:17: pipelines.shop.on_missing: needs mode: full; a file with only some records says nothing about the others; set on_missing: keep, or mode: full if every file has all records',
  ],
  'out-of-range': [
    '4:12: service.timeout: is too long; at most 1h',
    '5:27: service.rate_limit.requests: is too small; at least 1',
    '5:35: service.rate_limit.per: is too short; at least 1ms',
    '6:17: service.bulk.size: is too large; at most 1000',
  ],
  'own-tag': ['1:10: tags (!name) are not available; write the value without it'],
  'phone-type-of': [
    '8:36: pipelines.shop.map.phone_type.phone_type_of: needs the rule phone at phone; write phone: { column: ..., phone: DE }',
    '9:47: pipelines.shop.map.custom_fields.kind.phone_type_of: needs the rule phone at phone2; write phone2: { column: ..., phone: DE }',
  ],
  'pipeline-name': [
    '3:3: pipelines["web shop"]: is not a name for a pipeline; use up to 64 letters, digits, - and _',
    '5:26: pipelines["web shop"].map.firs_name: is not a known key; did you mean first_name?',
    '6:5: pipelines["web shop"].mod: is not a known key; did you mean mode?',
    '9:12: pipelines.shop.blank: is "cler"; did you mean clear? possible: keep, clear',
  ],
  'preset-faulty': [
    '5:28: pipelines.crm.map.title.value: cannot be in this field; it takes m, f',
    '5:40: pipelines.crm.map.skype: is empty; write the name of a column, or { column: NAME } with more beside it',
    'presets/faulty.yaml:5:17: pipelines.crm.map.first_name.colum: is not a known key; did you mean column?',
  ],
  'preset-unknown': ['4:23: pipelines.shop.source.preset: names no preset; known here: faulty, tiny'],
  'recursive-alias': ['1:25: an alias of a value that contains aliases; write the value out'],
  'same-folder': [
    '7:34: pipelines.other.source.folder: reads the same files as pipelines.shop; give each pipeline a folder of its own, or another pattern in files',
  ],
  'same-key-as-text-and-number': [
    '5:62: pipelines.shop.map.title.lookup.1: occurs twice; keep one of the two',
  ],
  schedule: ['6:15: pipelines.shop.schedule: minute: 61 is above 59; write 0 to 59'],
  'source-options': [
    '4:27: pipelines.shop.source.folder: is empty; write a value, or leave the key out',
    '4:39: pipelines.shop.source.delimiter: is not a known key; known here: folder, files, settle, encoding, records, type, preset, null_values',
    '4:69: pipelines.shop.source.null_values[0]: is a number to YAML, but text is expected; write it in quotes: "0"',
    '4:72: pipelines.shop.source.null_values[1]: is nothing to YAML, but text is expected; write it in quotes: "NULL"',
  ],
  'source-type-missing': ['4:5: pipelines.shop.source.type: is missing; possible: csv, json'],
  'source-type': ['4:21: pipelines.shop.source.type: is "cvs"; did you mean csv? possible: csv, json'],
  'syntax-errors': [
    '5:5: a bracket opened above is not closed; close it with } or ]',
    '6:1: is not valid YAML here (Missing closing "quote); look for a missing quote, bracket or colon',
  ],
  'no-break-space': [
    '4:1: ["\u00a0 pipelines"]: is not a known key; it begins with a no-break space (U+00A0), which does not indent; use plain spaces',
  ],
  'no-break-value': [
    '2:3: is not valid YAML here (Implicit keys need to be on a single line); look for a missing quote, bracket or colon, and for no-break spaces (U+00A0), which separate nothing',
  ],
  'star-schedule': ['3:20: is not valid YAML here; text that begins with * must stand in quotes'],
  'star-unquoted': [
    '3:49: no anchor (&name) above has this name; text that begins with * must stand in quotes',
  ],
  'tab-indent': ['2:1: a tab cannot indent; use spaces'],
  timezone: [
    '6:15: pipelines.shop.timezone: is not a time zone; write an IANA name such as Europe/Berlin (did you mean Europe/Berlin?)',
  ],
  'timezone-abbreviated': [
    '6:15: pipelines.shop.timezone: is not a time zone; write an IANA name such as Europe/Berlin',
  ],
  'token-empty': [
    '2:18: server.token: is empty (environment variable EMPTY); set EMPTY to the real one, or leave token out',
  ],
  transforms: [
    '6:37: pipelines.shop.map.mail.transform: names no transform; did you mean trim?',
    '7:43: pipelines.shop.map.first_name.transform: needs options; write { truncate: 40 }',
    '8:57: pipelines.shop.map.family_name.transform[0].truncate: is text; write a number',
    '8:67: pipelines.shop.map.family_name.transform[1].lower: takes no options; write the name lower alone',
    '9:73: pipelines.shop.map.company.transform.split.part: is 0; 1 is the first part, -1 the last',
    '10:64: pipelines.shop.map.job_title.transform.replace.pattern: is not an RE2 pattern (error parsing regexp: missing closing ): `(a`); see https://github.com/google/re2/wiki/Syntax',
    '11:71: pipelines.shop.map.skype.transform.replace.with: names $1, which the pattern has no group for; put the part that is meant in ( )',
    '12:37: pipelines.shop.map.fb.transform.trim: takes no options; write the name trim alone',
    '13:36: pipelines.shop.map.fax.transform: is not a transform; write a name such as trim, { truncate: 40 }, or a list of these',
  ],
  'two-documents': ['6:1: a second document begins here (---); keep one document in a file'],
  'unknown-field': [
    '5:26: pipelines.shop.map.last_name: is not a known key; did you mean family_name?',
    '5:43: pipelines.shop.map.email2: is not a known key; did you mean mail2?',
  ],
  'unknown-keys': [
    '1:66: service.timout: is not a known key; did you mean timeout?',
    '2:1: sate: is not a known key; did you mean state?',
    '7:5: pipelines.shop.shedule: is not a known key; did you mean schedule?',
  ],
  'url-credentials': [
    '2:13: service.base_url: contains a user or password; leave them out, the key belongs in service.api_key',
  ],
  'url-http': [
    '2:13: service.base_url: would send the key and all contacts unprotected; begin it with https:// (http is for this machine only)',
  ],
  'url-none': ['2:13: service.base_url: is not a URL; write one such as https://system.server.example.com'],
  'url-query': ['2:13: service.base_url: contains a query or fragment; leave out everything from ? or # on'],
  'url-with-api-path': [
    '2:13: service.base_url: contains the path of the interface; end it before /public/api',
  ],
  'version-of-dots': [
    '4:16: service.api_version: is no version; write it as in the path of the interface, V1 for example',
  ],
  'text-rules': [
    '5:26: pipelines.shop.skip_without[1]: names no mapped field; known here: mail, title, title2, first_name, family_name, company, job_title, skype, fax, mail2',
    '5:32: pipelines.shop.skip_without[2]: names no mapped field; known here: mail, title, title2, first_name, family_name, company, job_title, skype, fax, mail2',
    '7:35: pipelines.shop.map.mail.address: is too small; at least 1',
    '8:33: pipelines.shop.map.title.name: takes a name, which title cannot hold; write name: title',
    '9:34: pipelines.shop.map.title2.name: is "titel2"; did you mean title? possible: title, title2, first, family',
    '10:38: pipelines.shop.map.first_name.name: takes title, which is for the field title; take first or family',
    '11:56: pipelines.shop.map.family_name.address: stands beside name; a field has one of them',
    '12:37: pipelines.shop.map.company.unless: is not an RE2 pattern (error parsing regexp: missing closing ): `(`); see https://github.com/google/re2/wiki/Syntax',
    '13:32: pipelines.shop.map.job_title.expression: Unexpected token: EOF (at character 14); write CEL, as in record["Position"] + ", " + record["Department"]',
    '14:28: pipelines.shop.map.skype.expression: uses contact, of which the field is a part; name columns, record["Position"]',
    '15:26: pipelines.shop.map.fax.expression: matches() can run without end on some texts; use like() with the same pattern',
    '16:49: pipelines.shop.map.mail2.optional: is text; write true or false',
    '19:35: pipelines.shop.terms.assign[0].transform: has no effect with name; write the final term',
    '20:38: pipelines.shop.terms.assign[1].transform: names no transform; did you mean trim?',
    '23:19: pipelines.crm.skip_without: names no mapped field; known here: mail, phone',
    '26:9: pipelines.crm.tests[0]: expects nothing; add contact, terms, rejected or skipped',
    '27:9: pipelines.crm.tests[1]: expects a contact and none; keep contact and terms, or one of rejected and skipped',
    '28:40: pipelines.crm.tests[2].record.A: is a number to YAML, but text is expected; write it in quotes: "1"',
    '28:56: pipelines.crm.tests[2].contact.email: is not a known key',
  ],
  'value-rules': [
    '6:35: pipelines.shop.map.mail.country: is for ba_country and custom fields; leave it out',
    '7:41: pipelines.shop.map.date_of_birth.date: "DD" counts the days of the year; the day of the month is d or dd',
    '7:76: pipelines.shop.map.date_of_birth.two_digit_years_until: is too large; at most 99',
    '8:55: pipelines.shop.map.ba_country.number: stands beside country; a field has one of them',
    '9:34: pipelines.shop.map.phone.phone: is not a country with telephone numbers; write its two capital letters, DE say',
    '11:55: pipelines.shop.map.phone_type.transform: has no effect with phone_type_of; leave it out',
    '12:37: pipelines.shop.map.phone2_type.phone_type_of: is "phon"; did you mean phone? possible: phone, phone2',
    '13:32: pipelines.shop.map.fax.phone: is not a country with telephone numbers; write its two capital letters, DE say',
    '13:46: pipelines.shop.map.fax.timezone: has no effect without date; leave it out',
    '14:35: pipelines.shop.map.company.date: is for date_of_birth and custom fields; leave it out',
    '16:35: pipelines.shop.map.custom_fields.since.date: is an empty list; write patterns such as dd.MM.yyyy',
    '17:35: pipelines.shop.map.custom_fields.until.date: has dd/MM/yyyy and M/d/yyyy, which read 03/04 as two days; keep the one that the exporter uses',
    '18:45: pipelines.shop.map.custom_fields.last.date[1]: "TT" is not a pattern letter; the day is d or dd, and text is quoted: \'T\'',
    '19:34: pipelines.shop.map.custom_fields.next.date: has auto among others; write date: auto, or the patterns alone',
  ],
  'variable-as-number': ['2:17: server.port: is text; write a number'],
  'variable-in-braces': [
    '1:57: is not valid YAML here; put the text with ${...} in quotes, because it is between { and }',
  ],
  'variable-in-default': [
    '6:12: pipelines.shop.where: holds "${" in the default of STATUS; a default cannot name a variable: write plain text',
  ],
  'variable-malformed': [
    '6:12: pipelines.shop.where: holds "${" without a variable name and "}"; write ${NAME} or ${NAME:-default}, and $${ for the literal characters',
  ],
  'variable-missing': [
    '2:13: service.base_url: the environment variable SYSTEM_ID is not set; set it, or give a default with ${SYSTEM_ID:-default}',
  ],
  'windows-1252': ['1:1: is not UTF-8 text; save it as UTF-8'],
  'wrong-types': [
    '2:8: state: is text; write a mapping of keys',
    '3:15: log.level: is not one of the possible values; possible: error, warn, info, debug',
    '3:29: log.keep: is not a duration; write one such as 500ms, 30s, 5m, 2h or 30d',
    '4:17: server.port: is text; write a number',
    '4:29: server.host: is a number to YAML, but text is expected; write it in quotes: "127"',
    '9:15: pipelines.shop.schedule: is a number to YAML, but text is expected; write it in quotes: "5"',
    '10:10: pipelines.shop.key: is an empty list; write a column, a list of columns, or { fields: [mail, first_name] }',
    '11:12: pipelines.shop.watch: is a number; write true or false',
  ],
}

/** Files that are in order, for other tests. */
const IN_ORDER = [
  'accounts',
  'alerts',
  'blocks',
  'everything',
  'key-from-file',
  'key-in-plain-text',
  'minimal',
  'not-yet-but-harmless',
  'preset-alone',
  'preset-merged',
  'text-rules-right',
  'value-rules-right',
]

describe('what is wrong with a configuration', () => {
  it.each(Object.entries(MESSAGES))('%s', async (name, expected) => {
    const loaded = await loadFixture(`${name}.yaml`)
    expect(loaded.ok).toBe(false)
    expect(linesOf(loaded).map((line) => line.replace(`${name}.yaml:`, ''))).toEqual(expected)
  })

  it.each(IN_ORDER)('%s: nothing', async (name) => {
    expect(await loadFixture(`${name}.yaml`)).toMatchObject({ ok: true })
  })

  it('has a message for every file', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'))
    expect(files.map((file) => file.replace('.yaml', '')).sort()).toEqual(
      [...Object.keys(MESSAGES), ...IN_ORDER].sort(),
    )
  })

  it('never holds a secret', () => {
    const all = Object.values(MESSAGES).flat().join('\n')
    for (const secret of [
      ENV.KEY,
      ENV.TOKEN,
      ENV.SPACED,
      ENV.QUOTED,
      'hunter2',
      '012345',
      'changeme',
      'secret-path',
      'written-here',
    ])
      expect(all).not.toContain(secret)
  })

  it('says how to make a file that is not there', async () => {
    expect(linesOf(await loadFixture('no-such.yaml'))).toEqual([
      'no-such.yaml:1:1: there is no such file; copy config/contact-sync.example.yaml, or name another file with --config',
    ])
  })

  it('says that a folder holds none', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'empty-'))
    const options = { file: empty, env: ENV, kinds: KINDS, presetFolder: `${FOLDER}presets` }
    expect(linesOf(await loadSettings(options))).toEqual([
      `${empty}:1:1: holds no configuration; write contact-sync.yaml into it`,
    ])
    rmdirSync(empty)
  })
})
