// Keeps one comment of a pull request (GitHub) or merge request (GitLab) up to date: the first time it is made, later it is
// edited in place. It is found by its first line, among comments of the same author.
//
//   node ci/comment.mjs comment.md
//
// GitHub: GITHUB_TOKEN with `pull-requests: write`, PULL_REQUEST. GitLab: CONTACT_SYNC_COMMENT_TOKEN, a project access token
// with the scope `api` (the token of a job may not comment). The other variables are set by each of them.
import { readFile } from 'node:fs/promises'

const { env } = process
/** GitHub takes 65,536 characters. */
const LONGEST = 60_000
const PAGE = 100

const github = {
  headers: { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
  list: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/${env.PULL_REQUEST}/comments`,
  edit: ({ id }) => ['PATCH', `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/comments/${id}`],
  // Workflows comment as github-actions[bot], and cannot ask who they are.
  isOwn: async () => (comment) => comment.user?.type === 'Bot',
}

const notes = `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`
const gitlab = {
  headers: { 'private-token': env.CONTACT_SYNC_COMMENT_TOKEN },
  list: notes,
  edit: ({ id }) => ['PUT', `${notes}/${id}`],
  async isOwn() {
    const me = await ask('GET', `${env.CI_API_V4_URL}/user`)
    return (note) => note.author?.id === me.id
  },
}

const host = env.GITHUB_ACTIONS === 'true' ? github : gitlab

async function ask(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: { ...host.headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${response.status}`)
  return response.json()
}

async function existing(marker) {
  const isOwn = await host.isOwn()
  for (let page = 1; ; page += 1) {
    const comments = await ask('GET', `${host.list}?per_page=${PAGE}&page=${page}`)
    const found = comments.find((one) => one.body.startsWith(marker) && isOwn(one))
    if (found !== undefined || comments.length < PAGE) return found
  }
}

const whole = await readFile(process.argv[2], 'utf8')
const body =
  whole.length > LONGEST ? `${whole.slice(0, LONGEST)}\n\n... the rest is in the log of the job.` : whole
const [marker] = body.split('\n', 1)
const comment = await existing(marker)
const [method, url] = comment === undefined ? ['POST', host.list] : host.edit(comment)
await ask(method, url, { body })
