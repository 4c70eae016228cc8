// The workflows for GitHub and GitLab: their own lines run by a real shell in a real repository, against a server that
// stands for the interface of each.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { MAIN } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

const FILES = resolve(import.meta.dirname, '../../config/deploy/pull-request')
const MARKER = '<!-- contact-sync: test and rehearse -->'
const TOKEN = 'canary-token-4711'

const CONFIGURATION = (first: string, expected: string) => `
service: { base_url: "https://service.example", api_key: "\${CONTACT_SYNC_API_KEY}" }
state: { path: ../state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: ../inbox }
    key: no
    map: { mail: mail, first_name: ${first} }
    tests: [{ name: a name, record: { first: Anna, nick: Ann }, contact: { first_name: ${expected} } }]
`

let folder: string
const path = (...names: string[]): string => join(folder, ...names)

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(path(name)), { recursive: true })
  await writeFile(path(name), text)
}

interface Ended {
  readonly code: number
  readonly text: string
}

/** A line of a workflow, as its runner would run it. */
function shell(line: string, env: Record<string, string> = {}): Promise<Ended> {
  const own = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    CONTACT_SYNC: `${process.execPath} ${MAIN}`,
    GIT_CONFIG_NOSYSTEM: '1',
    ...env,
  }
  return new Promise((done) =>
    execFile('sh', ['-euc', line], { cwd: path('work'), env: own }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    ),
  )
}

const git = async (line: string): Promise<void> => {
  const who = '-c user.name=a -c user.email=a@example.com -c init.defaultBranch=main'
  const { code, text } = await shell(line.replaceAll('git ', `git ${who} `))
  expect([code, text]).toEqual([0, expect.any(String)])
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pull-request-'))
  await mkdir(path('work'))
  for (const name of ['rehearse.sh', 'comment.mjs'])
    await cp(join(FILES, name), path('work', 'ci', name), { recursive: true })
  await write('work/config/contact-sync.yaml', CONFIGURATION('first', 'Anna'))
  await write('work/inbox/processed/sample.csv', 'no,mail,first,nick\nK1,a@example.com,Anna,Ann\n')
  await git('git init -q && git add . && git commit -qm one && git clone -q --bare . ../origin.git')
  await git('git remote add origin ../origin.git')
  await write('work/config/contact-sync.yaml', CONFIGURATION('nick', 'Ann'))
})
afterEach(() => rm(folder, { recursive: true }))

const readYaml = async (name: string): Promise<unknown> => parse(await readFile(join(FILES, name), 'utf8'))
const githubYaml = z.object({
  on: z.object({ pull_request: z.object({ paths: z.array(z.string()) }) }),
  permissions: z.object({ contents: z.literal('read'), 'pull-requests': z.literal('write') }).strict(),
  concurrency: z.object({ group: z.string().includes('pull_request.number') }),
  jobs: z.object({
    rehearse: z.object({
      steps: z.array(
        z.looseObject({ name: z.string().optional(), run: z.string().optional(), if: z.string().optional() }),
      ),
    }),
  }),
})
const gitlabYaml = z.object({
  'contact-sync': z.looseObject({
    rules: z.array(
      z.object({ if: z.string().includes('merge_request_event'), changes: z.array(z.string()) }),
    ),
    resource_group: z.string().includes('$CI_MERGE_REQUEST_IID'),
    script: z.array(z.string()),
    after_script: z.array(z.string()),
  }),
})

/** The lines of each that rehearse and comment, with what the host would set. */
async function lines(host: 'github' | 'gitlab') {
  if (host === 'github') {
    const { steps } = githubYaml.parse(await readYaml('github.yaml')).jobs.rehearse
    const named = (name: string): string => steps.find((step) => step.name === name)?.run ?? ''
    return { rehearse: named('Test and rehearse'), comment: named('Comment') }
  }
  const job = gitlabYaml.parse(await readYaml('gitlab.yaml'))['contact-sync']
  return { rehearse: job.script.at(-1) ?? '', comment: job.after_script[0] ?? '' }
}

describe.each(['github', 'gitlab'] as const)('%s: test and rehearse', (host) => {
  it('the comment has the numbers, and the job fails where a test does', async () => {
    const { rehearse } = await lines(host)
    const base = { BASE: 'main', CI_MERGE_REQUEST_DIFF_BASE_SHA: 'main' }
    expect(await shell(rehearse, base)).toMatchObject({ code: 0 })
    const text = await readFile(path('work', 'comment.md'), 'utf8')
    expect(text.split('\n')[0]).toBe(MARKER)
    expect(text).toContain('The tests of the mappings pass.')
    expect(text).toContain('1 record of 1 processed file: 1 differs')
    expect(text).toContain('| first&#95;name | 0 | 1 | 0 | 0 |')
    for (const theirs of ['Ann', 'example', 'K1']) expect(text).not.toContain(theirs)
    if (host === 'gitlab') return
    await write('work/config/contact-sync.yaml', CONFIGURATION('nick', 'Anna'))
    expect(await shell(rehearse, base)).toMatchObject({ code: 3 })
    const failed = await readFile(path('work', 'comment.md'), 'utf8')
    expect(failed).toContain('**Tests of the mappings fail.**')
    expect(failed).toContain('1 record of 1 processed file: 1 differs')
    await write('work/config/contact-sync.yaml', 'no: configuration\n')
    expect(await shell(rehearse, base)).toMatchObject({ code: 2 })
    expect(await readFile(path('work', 'comment.md'), 'utf8')).toContain('not valid')
    await write('work/config/other.yaml', CONFIGURATION('nick', 'Ann'))
    const other = { ...base, CONTACT_SYNC_CONFIG: 'config/other.yaml' }
    expect(await shell(rehearse, other)).toMatchObject({ code: 0 })
    expect(await readFile(path('work', 'comment.md'), 'utf8')).toContain('nothing to compare it with')
  })
})

interface Comment {
  id: number
  body: string
  user: { type: string }
  author: { id: number }
}

/** Comments of one pull or merge request, by the address of each host. */
function fakeHost(comments: Comment[]) {
  const asked: string[] = []
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host')
    const isAllowed =
      request.headers.authorization === `Bearer ${TOKEN}` || request.headers['private-token'] === TOKEN
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const answer = (status: number, value: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      }
      if (!isAllowed) return answer(401, {})
      if (pathname === '/v4/user') return answer(200, { id: 7 })
      if (request.method === 'GET') {
        const start = (Number(searchParams.get('page')) - 1) * 100
        return answer(200, comments.slice(start, start + 100))
      }
      asked.push(`${request.method ?? ''} ${pathname}`)
      const { body } = JSON.parse(Buffer.concat(parts).toString()) as { body: string }
      if (request.method === 'POST') {
        comments.push({ id: 9000 + comments.length, body, user: { type: 'Bot' }, author: { id: 7 } })
        return answer(201, {})
      }
      const comment = comments.find(({ id }) => pathname.endsWith(`/${id}`))
      if (comment !== undefined) comment.body = body
      answer(comment === undefined ? 404 : 200, {})
    })
  })
  return { asked, server }
}

describe.each([
  ['github', ['POST /repos/o/r/issues/5/comments', 'PATCH /repos/o/r/issues/comments/']] as const,
  [
    'gitlab',
    ['POST /v4/projects/3/merge_requests/5/notes', 'PUT /v4/projects/3/merge_requests/5/notes/'],
  ] as const,
])('%s: the comment', (host, [made, edited]) => {
  it('is made once and edited in place from then on, whatever others write', async () => {
    // More than a page of others, one of whom quotes the marker.
    const comments = Array.from({ length: 130 }, (_, id) => ({
      id,
      body: id === 3 ? `${MARKER} is what it looks for` : 'fine',
      user: { type: 'User' },
      author: { id: 1 },
    }))
    const { asked, server } = fakeHost(comments)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const env = {
        github: { GITHUB_ACTIONS: 'true', GITHUB_API_URL: url, GITHUB_REPOSITORY: 'o/r', PULL_REQUEST: '5' },
        gitlab: { CI_API_V4_URL: `${url}/v4`, CI_PROJECT_ID: '3', CI_MERGE_REQUEST_IID: '5' },
      }[host]
      const tokens = { GITHUB_TOKEN: TOKEN, CONTACT_SYNC_COMMENT_TOKEN: TOKEN }
      const { comment } = await lines(host)
      for (const text of ['first', 'second', `third ${'x'.repeat(70_000)}`]) {
        await write('work/comment.md', `${MARKER}\n${text}\n`)
        expect(await shell(comment, { ...env, ...tokens })).toMatchObject({
          code: 0,
        })
      }
      const own = comments.filter(({ author }) => author.id === 7)
      expect(own).toHaveLength(1)
      expect(own[0]?.body).toMatch(/third x+\n\n\.\.\. the rest is in the log/)
      const address = `${edited}${own[0]?.id}`
      expect(asked).toEqual([made, address, address])
      const wrong = { ...env, GITHUB_TOKEN: `${TOKEN}-old`, CONTACT_SYNC_COMMENT_TOKEN: `${TOKEN}-old` }
      const refused = await shell(comment, wrong)
      expect(refused.code).toBe(1)
      expect(refused.text).toContain('401')
      expect(refused.text).not.toContain(TOKEN)
    } finally {
      server.close()
    }
  })
})
