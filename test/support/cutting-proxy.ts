// A way to a database server that ends, or falls silent, after so many bytes of its answers.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Cut {
  /** So many bytes; in place of them a text, which is let through. */
  readonly after?: number
  readonly behind?: string
  /** The connections stay open, and nothing comes any more. */
  readonly isSilent?: boolean
}

/** `pass` is given each part of the answers, and gives what is let through. */
async function withWay(
  port: number,
  pass: () => (part: Buffer, way: { client: Socket; target: Socket }) => Buffer,
  work: (port: number) => Promise<void>,
): Promise<void> {
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1')
    const passed = pass()
    client.on('data', (part) => target.write(part))
    client.on('error', () => target.destroy())
    client.on('close', () => target.destroy())
    target.on('error', () => client.destroy())
    target.on('data', (part) => client.write(passed(part, { client, target })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await work((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

/** Gives the port. */
export const withCut = (
  port: number,
  { after = Infinity, behind, isSilent = false }: Cut,
  work: (port: number) => Promise<void>,
): Promise<void> => {
  const pass = () => {
    let left = after
    return (part: Buffer, { client, target }: { client: Socket; target: Socket }): Buffer => {
      const at = behind === undefined ? -1 : part.indexOf(behind)
      if (behind !== undefined && at >= 0) left = at + behind.length
      const through = part.subarray(0, left)
      left = Math.max(0, left - part.length)
      if (left > 0) return through
      target.pause()
      if (!isSilent) setImmediate(() => client.end())
      return through
    }
  }
  return withWay(port, pass, work)
}

/** Gives the port of a way on which the first such bytes of the answers are others, each written as a character of Latin-1. */
export const withSwapped = (
  port: number,
  { of, by }: { of: RegExp; by: string },
  work: (port: number) => Promise<void>,
): Promise<void> =>
  withWay(port, () => (part) => Buffer.from(part.toString('latin1').replace(of, by), 'latin1'), work)
