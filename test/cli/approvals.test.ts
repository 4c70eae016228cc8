// Changes that approvers must release: by the commands of several persons, over restarts, other settings and newer files.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'approvals-key'
const TOKENS = { anna: 'a'.repeat(32), bert: 'b'.repeat(32), olga: 'o'.repeat(32) }
const user = (name: keyof typeof TOKENS, role = 'approver'): string =>
  `    - { name: ${name}, token: "\${${name.toUpperCase()}}", role: ${role} }\n`
const USERS = user('anna') + user('bert') + user('olga', 'operator')

interface Given {
  readonly users?: string
  readonly approvals?: string
  readonly guards?: string
}

let sandbox: Sandbox
let place: Place
const env: Record<string, string> = {
  THE_KEY: KEY,
  ...{ ANNA: TOKENS.anna, BERT: TOKENS.bert, OLGA: TOKENS.olga, CARL: 'c'.repeat(32) },
}

const configure = ({
  users = USERS,
  approvals = '[{ when: { deletes: 1 }, by: 2 }]',
  guards = '{ max_deletes: 100%, max_deletes_per: off }',
}: Given = {}): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
server:
  users:
${users}
approvals: ${approvals}
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    mode: full
    on_missing: delete
    guards: ${guards}
    key: no
    map: { mail: mail, first_name: first }
    terms: { assign: [{ column: tags }] }
`,
  )

let files = 0
/** `{ K1: 'Anna' }`: first names by key; with a term where one follows a slash. */
async function drop(people: Readonly<Record<string, string>>): Promise<void> {
  const rows = Object.entries(people).map(([key, value]) => {
    const [first = '', tag = ''] = value.split('/')
    return `${key},${key}@example.com,${first},${tag}`
  })
  files += 1
  await place.write(`inbox/${files}.csv`, ['no,mail,first,tags', ...rows, ''].join('\n'))
}

async function run(code: number): Promise<string> {
  const told = await place.cli('run', '--json')
  expect(told, told.stderr).toMatchObject({ code })
  const { pipelines } = JSON.parse(told.stdout) as { pipelines: { run_id: string }[] }
  return pipelines[0]?.run_id ?? ''
}

const as = async (name: keyof typeof TOKENS, ...args: string[]) => {
  env['CONTACT_SYNC_USER_TOKEN'] = TOKENS[name]
  const told = await place.cli(...args, '--by', name)
  delete env['CONTACT_SYNC_USER_TOKEN']
  return told
}

/** The first name that the service has for a record; undefined where it has no contact of its mail. */
async function nameOf(key: string): Promise<string | undefined> {
  const url = `${sandbox.url}/public/api/V1/contact/${key}@example.com?fields=first_name`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } })
  if (answer.status === 404) return undefined
  return ((await answer.json()) as { first_name: string }[])[0]?.first_name
}

const PEOPLE = { K1: 'Anna', K2: 'Bert', K3: 'Carl', K4: 'Dora' }
const without = (...keys: string[]) =>
  Object.fromEntries(Object.entries(PEOPLE).filter(([key]) => !keys.includes(key)))

beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace(env)
  await configure()
  await drop(PEOPLE)
  await run(0)
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

describe('what a rule requires', () => {
  it('is said by the run, with the command of an approver', async () => {
    await drop(without('K4'))
    const told = await place.cli('run')
    expect(told.code).toBe(4)
    expect(told.stdout).toMatch(/each approver: contact-sync held release \S+ --as NAME/)
  })

  it('stands beside another guard: what goes without approvers is no change that has come since', async () => {
    await configure({ guards: '{ max_changes: 1, max_deletes: 100%, max_deletes_per: off }' })
    await drop({ K1: 'Anne', K2: 'Berta', K3: 'Carla' })
    const held = await run(4)
    const listed = async () => (await place.cli('held', 'list')).stdout
    const command = `contact-sync held release ${held} --as NAME\n`

    expect(await listed()).toContain(`to release exactly these, 1 of them by 2 approvers: ${command}`)
    expect((await as('anna', 'held', 'release', held)).stdout).toBe(
      `3 changes of shop released; the next run sends them, unless newer data arrives first\n1 change approved\n1 change still waits; 1 more approver must release them: ${command}`,
    )
    expect(await listed()).toContain(`run ${held}: 1 change held by max_changes`)
    expect(await listed()).toContain('released so far by anna')
    expect(await listed()).not.toContain('have changed since')
    expect(await listed()).toContain(`to release exactly these, by 2 approvers: ${command}`)
    // What an operator may release has gone already.
    const operator = await as('olga', 'held', 'release', held)
    expect(operator.code).toBe(2)
    expect(operator.stderr).toContain(`1 change of run ${held} must be released by 2 approvers`)
    expect((await as('bert', 'held', 'release', held)).stdout).toBe(
      '1 change of shop released; the next run sends it, unless newer data arrives first\n3 changes were released before; the next run sends them\n',
    )
    const { stdout: log } = await place.cli('audit', 'list', '--run', held, '--json')
    const { entries } = JSON.parse(log) as { entries: { action: string; reason: string }[] }
    const releases = entries.flatMap(({ action, reason }) => (action === 'release' ? [reason] : []))
    expect(releases.toSorted()).toEqual([
      '1 change held by max_changes was released',
      '3 changes held by max_changes were released',
    ])
    await run(0)
    expect([await nameOf('K1'), await nameOf('K4')]).toEqual(['Anne', undefined])
  })

  it('says that a release of its run lets go what waits for a brake as well', async () => {
    const brake = '{ terms: [News], above: 0, first: 1, watch: 1h, stop_when: { unsubscribed: 50% } }'
    await configure({ guards: `{ brake: ${brake}, max_deletes: 100%, max_deletes_per: off }` })
    await drop({ K1: 'Anna/News', K2: 'Berta/News', K3: 'Carla/News' })
    const command = `contact-sync held release ${await run(4)}`
    const { stdout: listed } = await place.cli('held', 'list')
    expect(listed).toContain(
      `to release these and what else the run holds (brake), by 2 approvers: ${command} --as NAME\n`,
    )
    expect(listed).toContain(`to release these and what else the run holds (approval): ${command}\n`)
  })

  it('goes when two different approvers have released it, and not before', async () => {
    await drop({ ...without('K4'), K1: 'Anne' })
    expect(await place.cli('plan', '--json')).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/"guard": ?"approval", ?\s*"holds": ?"deletes"/) as string,
    })
    const held = await run(4)
    // Updates go; the delete waits.
    expect([await nameOf('K1'), await nameOf('K4')]).toEqual(['Anne', 'Dora'])
    expect(await place.json('held', 'list')).toMatchObject({
      held: [
        { guard: 'approval', number: 1, approvers_needed: 2, changes: [{ action: 'delete', key: 'K4' }] },
      ],
    })
    expect((await place.cli('held', 'list')).stdout).toContain(
      `to release exactly these, by 2 approvers: contact-sync held release ${held} --as NAME`,
    )

    const alone = await place.cli('held', 'release', held)
    expect(alone).toMatchObject({ code: 2, stdout: '' })
    expect(alone.stderr).toContain(`1 change of run ${held} must be released by 2 approvers`)
    expect(alone.stderr).toContain('(anna, bert)')
    expect((await as('olga', 'held', 'release', held)).code).toBe(2)

    expect((await as('anna', 'held', 'release', held, '--reason', 'left the club')).stdout).toBe(
      `1 change approved\n1 change still waits; 1 more approver must release them: contact-sync held release ${held} --as NAME\n`,
    )
    // The same person twice is one approver.
    const again = await as('anna', 'held', 'release', held, '--json')
    expect(JSON.parse(again.stdout)).toEqual({
      run_id: held,
      pipelines: ['shop'],
      changes: 0,
      approvals: { approved: 0, again: 1, waiting: 1, missing: 1, left_out: [] },
    })
    await run(0)
    expect(await nameOf('K4')).toBeDefined()

    expect((await as('bert', 'held', 'release', held)).stdout).toContain('1 change of shop released')
    await drop({ ...without('K4'), K1: 'Anne' })
    await run(0)
    expect(await nameOf('K4')).toBeUndefined()
    const { entries } = (await place.json('audit', 'list')) as { entries: Record<string, unknown>[] }
    expect(
      entries.filter(({ action }) => action === 'approve' || action === 'release').reverse(),
    ).toMatchObject([
      { action: 'approve', by: 'anna', role: 'approver', note: 'left the club' },
      { action: 'approve', by: 'bert' },
      { action: 'release', by: 'bert' },
    ])
    expect((await place.cli('audit', 'verify')).code).toBe(0)
  })

  it('lists whose approvals count now: they follow the change into a newer file, and end with the settings', async () => {
    const approved = async (): Promise<unknown> => {
      const { held } = (await place.json('held', 'list')) as { held: { approved_by: string[] }[] }
      return held.map((plan) => plan.approved_by)
    }
    await drop(without('K4'))
    await as('anna', 'held', 'release', await run(4))
    expect(await approved()).toEqual([['anna']])
    await drop(without('K4'))
    await run(4)
    expect(await approved()).toEqual([['anna']])
    expect((await place.cli('held', 'list')).stdout).toContain('released so far by anna')
    await configure({ guards: '{ max_deletes: 90%, max_deletes_per: off }' })
    expect(await approved()).toEqual([[]])
    expect((await place.cli('held', 'list')).stdout).not.toContain('released so far')
    await configure({ users: USERS.replace('name: anna', 'name: carl').replace('ANNA', 'CARL') })
    expect(await approved()).toEqual([[]])
  })

  it('is judged for each rule: a whole plan by one approver, its deletes by two', async () => {
    await configure({ approvals: '[{ when: { deletes: 1 }, by: 2 }, { when: { changes: 2 }, by: 1 }]' })
    await drop({ ...without('K4'), K1: 'Anne', K2: 'Berta' })
    const held = await run(4)
    const told = JSON.parse((await as('anna', 'held', 'release', held, '--json')).stdout) as object
    expect(told).toMatchObject({ changes: 2, approvals: { approved: 3, waiting: 1, missing: 1 } })
    await run(0)
    expect([await nameOf('K1'), await nameOf('K2'), await nameOf('K4')]).toEqual(['Anne', 'Berta', 'Dora'])
  })

  it('is asked for what a guard holds as well', async () => {
    await configure({ guards: '{ max_deletes: 0 }' })
    await drop(without('K4'))
    const held = await run(4)
    expect(await place.json('held', 'list')).toMatchObject({
      held: [{ guard: 'max_deletes', number: 1, approvers_needed: 2 }],
    })
    expect((await place.cli('held', 'release', held)).code).toBe(2)
    for (const name of ['bert', 'anna'] as const) await as(name, 'held', 'release', held, '--key', 'K4')
    await drop(without('K4'))
    await run(0)
    expect(await nameOf('K4')).toBeUndefined()
  })

  it('holds only the changes that give a term', async () => {
    await configure({ approvals: '[{ when: { terms: [newsletter] }, by: 1 }]' })
    await drop({ ...PEOPLE, K1: 'Anne', K2: 'Bert/Newsletter' })
    const held = await run(4)
    expect(await place.json('held', 'list')).toMatchObject({ held: [{ changes: [{ key: 'K2' }] }] })
    expect((await as('anna', 'held', 'release', held)).code).toBe(0)
    await run(0)
    expect(await place.json('held', 'list')).toEqual({ held: [] })
  })
})

describe('an approval', () => {
  it('stays with the same change in a newer file, and is void for one that has moved', async () => {
    await configure({ approvals: '[{ when: { changes: 1 }, by: 2 }]' })
    await drop({ ...PEOPLE, K1: 'Anne', K2: 'Berta' })
    const first = await run(4)
    await as('anna', 'held', 'release', first)
    await drop({ ...PEOPLE, K1: 'Anne', K2: 'Bertha' })
    const second = await run(4)
    expect((await as('bert', 'held', 'release', first)).stderr).toContain('contact-sync held list')
    const told = JSON.parse((await as('bert', 'held', 'release', second, '--json')).stdout) as object
    expect(told).toMatchObject({ changes: 1, approvals: { approved: 2, waiting: 1, missing: 1 } })
    await run(0)
    expect([await nameOf('K1'), await nameOf('K2')]).toEqual(['Anne', 'Bert'])
  })

  it.each([
    ['changes', 'Berta', 'Bertha'],
    ['new_terms', 'Bert/two', 'Bert/three'],
  ])('is void for what has moved, though that alone would need none (%s)', async (rule, before, now) => {
    await configure({ approvals: `[{ when: { ${rule}: 2 }, by: 1 }]` })
    await drop({ ...PEOPLE, K1: 'Anne/one', K2: before })
    await as('anna', 'held', 'release', await run(4))
    await drop({ ...PEOPLE, K1: 'Anne/one', K2: now })
    await run(4)
    expect([await nameOf('K1'), await nameOf('K2')]).toEqual(['Anne', 'Bert'])
    expect(await place.json('held', 'list')).toMatchObject({
      held: [{ guard: 'approval', number: 1, to_approve: 1, changes: [{ key: 'K2' }] }],
    })
  })

  it('counts for a plan as for the run: of the change itself, and of the same one in a newer file', async () => {
    await configure({ approvals: '[{ when: { changes: 2 }, by: 1 }]' })
    const people = { ...PEOPLE, K1: 'Anne', K2: 'Berta' }
    await drop(people)
    await as('anna', 'held', 'release', await run(4))
    await drop(people)
    const planned = await place.cli('plan', '--json')
    expect(planned).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(planned.stdout)).toMatchObject({ pipelines: [{ updated: 2, held: 0, warnings: [] }] })
    await run(0)
    expect([await nameOf('K1'), await nameOf('K2')]).toEqual(['Anne', 'Berta'])
  })

  it('counts once: the same change again, after it was sent, needs all approvers again', async () => {
    await configure({ approvals: '[{ when: { changes: 1 }, by: 2 }]' })
    for (const first of ['Anne', 'Anna']) {
      await drop({ ...PEOPLE, K1: first })
      const held = await run(4)
      for (const name of ['anna', 'bert'] as const) await as(name, 'held', 'release', held)
      await run(0)
    }
    await drop({ ...PEOPLE, K1: 'Anne' })
    const held = await run(4)
    expect(JSON.parse((await as('anna', 'held', 'release', held, '--json')).stdout)).toMatchObject({
      changes: 0,
      approvals: { approved: 1, waiting: 1, missing: 1 },
    })
    await run(0)
    expect(await nameOf('K1')).toBe('Anna')
  })

  it('counts once: the same change again, after it was dropped, needs all approvers again', async () => {
    await configure({ approvals: '[{ when: { changes: 1 }, by: 2 }]' })
    await drop({ ...PEOPLE, K1: 'Anne' })
    const dropped = await run(4)
    await as('anna', 'held', 'release', dropped)
    await as('anna', 'held', 'drop', dropped)
    await drop(PEOPLE)
    await run(0)
    await drop({ ...PEOPLE, K1: 'Anne' })
    const held = await run(4)
    expect(JSON.parse((await as('bert', 'held', 'release', held, '--json')).stdout)).toMatchObject({
      changes: 0,
      approvals: { approved: 1, missing: 1 },
    })
  })

  it('of a change that was sent is not named as one that has changed since', async () => {
    await configure({
      approvals: '[{ when: { deletes: 1 }, by: 2 }, { when: { terms: [Newsletter] }, by: 1 }]',
    })
    await drop({ ...without('K4'), K1: 'Anna/Newsletter' })
    const held = await run(4)
    await as('anna', 'held', 'release', held)
    await run(0)
    expect(JSON.parse((await as('bert', 'held', 'release', held, '--json')).stdout)).toMatchObject({
      changes: 1,
      approvals: { approved: 1, left_out: [] },
    })
  })

  it('is void under other settings of the pipeline', async () => {
    await drop(without('K4'))
    const held = await run(4)
    await as('anna', 'held', 'release', held)
    await configure({ approvals: '[{ when: { deletes: 1 }, by: 1 }]' })
    // One approver changed the rule; what was held under it still takes two, who agree under the settings of now.
    expect(JSON.parse((await as('anna', 'held', 'release', held, '--json')).stdout)).toMatchObject({
      changes: 0,
      approvals: { approved: 1, missing: 1 },
    })
    await configure()
    expect(JSON.parse((await as('bert', 'held', 'release', held, '--json')).stdout)).toMatchObject({
      changes: 1,
    })
  })

  it('is withdrawn where the settings change before it is sent', async () => {
    await drop(without('K4'))
    const held = await run(4)
    await as('anna', 'held', 'release', held)
    await as('bert', 'held', 'release', held)
    await configure({ approvals: '[{ when: { deletes: 1, changes: 50 }, by: 2 }]' })
    await run(0)
    expect(await nameOf('K4')).toBeDefined()
    expect(await place.json('held', 'list')).toMatchObject({
      held: [{ released_at: null, approvers_needed: 2 }],
    })
  })

  it('is withdrawn where an approver is removed before it is sent', async () => {
    await drop(without('K4'))
    const held = await run(4)
    await as('anna', 'held', 'release', held)
    await as('bert', 'held', 'release', held)
    const carl = '    - { name: carl, token: "${CARL}", role: approver }\n'
    await configure({ users: user('bert') + carl })
    await run(0)
    expect(await nameOf('K4')).toBeDefined()
    expect(await place.json('held', 'list')).toMatchObject({
      held: [{ released_at: null, approvers_needed: 2, approved_by: ['bert'] }],
    })
    await configure({ users: user('anna') + user('bert') + carl })
    await as('anna', 'held', 'release', held)
    await run(0)
    expect(await nameOf('K4')).toBeUndefined()
  })

  it('counts no longer when its approver was removed', async () => {
    await drop(without('K4'))
    const held = await run(4)
    await as('anna', 'held', 'release', held)
    const carl = '    - { name: carl, token: "${CARL}", role: approver }\n'
    await configure({ users: user('bert') + carl })
    expect(JSON.parse((await as('bert', 'held', 'release', held, '--json')).stdout)).toMatchObject({
      changes: 0,
      approvals: { approved: 1, missing: 1 },
    })
  })

  it('can be refused: what is dropped is not planned again', async () => {
    await drop(without('K4'))
    const held = await run(4)
    expect((await as('bert', 'held', 'drop', held, '--reason', 'still a member')).code).toBe(0)
    await drop(without('K4'))
    await run(0)
    expect(await nameOf('K4')).toBeDefined()
  })
})

it('is required of an undo as well', async () => {
  await drop({ ...PEOPLE, K5: 'Emil' })
  const created = await run(0)
  const undone = await place.cli('undo', created, '--delete-created', '--yes')
  expect(undone.code).toBe(4)
  expect(await nameOf('K5')).toBeDefined()
  const { held } = (await place.json('held', 'list')) as { held: { run_id: string }[] }
  for (const name of ['anna', 'bert'] as const)
    expect((await as(name, 'held', 'release', held[0]?.run_id ?? '')).code).toBe(0)
  await run(0)
  expect(await nameOf('K5')).toBeUndefined()
})

it.each([
  ['more approvers than there are', { approvals: '[{ when: { deletes: 1 }, by: 3 }]' }, 'server.users has 2'],
  ['no approver at all', { users: user('olga', 'operator') }, 'server.users has none'],
  [
    'a pipeline that is not there',
    { approvals: '[{ pipelines: [shopp], when: { deletes: 1 } }]' },
    'names no pipeline',
  ],
  ['no condition', { approvals: '[{ when: {}, by: 1 }]' }, 'names no condition'],
  ['a condition that always applies', { approvals: '[{ when: { deletes: 0 } }]' }, 'at least 1'],
  [
    'two names with one token',
    { users: `${user('anna')}    - { name: bert, token: "\${ANNA}", role: approver }\n` },
    'is the same as that of anna',
  ],
])('check refuses %s', async (_, given, text) => {
  await configure(given)
  const told = await place.cli('check')
  expect(told.code).toBe(2)
  expect(told.stdout).toContain(text)
})
