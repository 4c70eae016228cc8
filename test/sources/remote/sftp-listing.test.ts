// Listings of an SFTP server that does what it likes: without end, with one name twice.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ssh2, { type Attributes, type FileEntry } from 'ssh2'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { remoteOptions } from '../../../src/sources/remote/options.ts'
import { openSftp } from '../../../src/sources/remote/sftp/session.ts'

const keys = ssh2.utils.generateKeyPairSync('ed25519')
const OK = 0
const END = 1

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sftp-listing-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const attrs = { mode: 0o100644, size: 5, mtime: 1, atime: 1, uid: 0, gid: 0 } satisfies Attributes
const entry = (filename: string): FileEntry => ({ filename, longname: filename, attrs })

/** `part`: what is read next of the folder; undefined: its end. */
async function listed(part: (turn: number) => FileEntry[] | undefined) {
  let turn = 0
  const server = new ssh2.Server({ hostKeys: [keys.private] }, (client) => {
    client.on('error', () => undefined)
    client.on('authentication', (asked) => asked.accept())
    client.on('session', (accept) =>
      accept().on('sftp', (acceptSftp) => {
        const sftp = acceptSftp()
        sftp.on('OPENDIR', (id) => sftp.handle(id, Buffer.from('h')))
        sftp.on('CLOSE', (id) => sftp.status(id, OK))
        sftp.on('READDIR', (id) => {
          turn += 1
          const names = part(turn)
          if (names === undefined) sftp.status(id, END)
          else sftp.name(id, names)
        })
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const known = join(folder, 'known_hosts')
  writeFileSync(known, `[127.0.0.1]:${port} ${keys.public}\n`)
  const options = remoteOptions.parse({ password: 'x', known_hosts: known })
  const address = { kind: 'sftp', user: 'me', host: '127.0.0.1', port, path: '/in' } as const
  const session = await openSftp(address, { ...options, spool: '' })
  try {
    return await session.list('')
  } finally {
    await session.close()
    server.close()
  }
}

it('one without end is broken off', async () => {
  const names = Array.from({ length: 4000 }, () => ({ ...entry('a'), longname: '' }))
  await expect(listed(() => names)).rejects.toThrow('more than 500000 names, or no end')
}, 60_000)

it('a name that comes twice is one file, and a part without names is not the end', async () => {
  const parts = [[entry('a.csv')], [], [entry('a.csv'), entry('.'), entry('b.csv')]]
  const entries = await listed((turn) => parts[turn - 1])
  expect(entries?.map(({ name }) => name)).toEqual(['a.csv', 'b.csv'])
})
