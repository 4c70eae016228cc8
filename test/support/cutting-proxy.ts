// A way to a database server that ends, or falls silent, after so many bytes of its answers.
import { connect, createServer, type AddressInfo } from 'node:net'

interface Cut {
  readonly after: number
  /** The connections stay open, and nothing comes any more. */
  readonly isSilent?: boolean
}

/** Gives the port. */
export async function withCut(
  port: number,
  { after, isSilent = false }: Cut,
  work: (port: number) => Promise<void>,
): Promise<void> {
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1')
    let left = after
    client.on('data', (part) => target.write(part))
    client.on('error', () => target.destroy())
    client.on('close', () => target.destroy())
    target.on('error', () => client.destroy())
    target.on('data', (part) => {
      client.write(part.subarray(0, left))
      left = Math.max(0, left - part.length)
      if (left > 0) return
      target.pause()
      if (!isSilent) client.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await work((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}
