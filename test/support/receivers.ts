// Receivers of alerts for tests: a webhook and a mail server on real sockets, which keep what they are told.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface Post {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Webhook {
  readonly url: string
  readonly posts: readonly Post[]
  /** The status of the next answers, 200 at first; undefined: it never answers. */
  answers(status: number | undefined): void
  /** Resolves when it has been told so often. */
  told(times: number): Promise<readonly Post[]>
  close(): Promise<void>
}

export async function startWebhook(): Promise<Webhook> {
  const posts: Post[] = []
  let status: number | undefined = 200
  let noticed = Promise.withResolvers<undefined>()
  const server = createServer((request, answer) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      posts.push({ path: request.url ?? '', headers: request.headers, body })
      noticed.resolve(undefined)
      noticed = Promise.withResolvers()
      if (status === undefined) return
      answer.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere' }).end('erika@example.com')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook/T000/secret-part`,
    posts,
    answers: (next) => (status = next),
    async told(times) {
      while (posts.length < times) await noticed.promise
      return posts
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export interface MailServer {
  readonly port: number
  readonly mails: readonly { readonly to: readonly string[]; readonly text: string }[]
  close(): Promise<void>
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: { to: string[]; text: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...options,
    onData(stream, session, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  // A client that breaks off is the client's business.
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    close: async () => new Promise((done) => server.close(() => done())),
  }
}
