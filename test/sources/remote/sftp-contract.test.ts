// A drop folder on a real SFTP server keeps to what one on this machine keeps to.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { csvKind } from '../../../src/sources/csv/kind.ts'
import { remoteOptions } from '../../../src/sources/remote/options.ts'
import { openSftp } from '../../../src/sources/remote/sftp/session.ts'
import { describeSource } from '../../contracts/source.ts'
import { hasSshd, type SftpServer, startSftpServer } from '../../support/sftp-server.ts'

describe.skipIf(!hasSshd)('over SFTP', () => {
  let server: SftpServer
  let spool: string

  beforeAll(async () => {
    server = await startSftpServer()
    spool = mkdtempSync(join(tmpdir(), 'spool-'))
  })
  afterAll(async () => {
    await server.stop()
    rmSync(spool, { recursive: true, force: true })
  })

  it('a file that became shorter since it was listed ends its fetch', async () => {
    const path = join(server.home, 'people.csv')
    writeFileSync(path, 'mail\nann@example.org\n')
    const address = { kind: 'sftp', user: server.user, host: '127.0.0.1', path: server.home } as const
    const options = remoteOptions.parse({ key: server.key, known_hosts: server.knownHosts })
    const session = await openSftp({ ...address, port: server.port }, { ...options, spool })
    try {
      const entry = await session.entry('', 'people.csv')
      writeFileSync(path, 'mail\n')
      const fetched = session.fetch('', entry!, join(spool, 'people.csv'))
      await expect(fetched).rejects.toThrow('a file became shorter while it was fetched')
    } finally {
      await session.close()
      rmSync(path)
    }
  })

  describeSource('csv over sftp', {
    ending: '.csv',
    create({ folder, settle }, clock) {
      const address = `sftp://${server.user}@127.0.0.1:${server.port}${folder}`
      const options = csvKind.schema.parse({ folder: address, settle, remote: {} })
      // Copies are named by file and version, and a version by size and second: each folder has its own.
      const own = { spool: join(spool, basename(folder)), claim: false }
      const remote = { key: server.key, known_hosts: server.knownHosts, timeout: 5000, ...own }
      return csvKind.create({ ...options, remote }, { clock })
    },
    text: (columns, rows) => {
      const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`
      return [columns, ...rows].map((row) => `${row.map(quoted).join(',')}\n`).join('')
    },
    lineOf: (index) => index + 2,
    damagedAtEnd: (columns, rows) =>
      [columns, ...rows].map((row) => `${row.join(',')}\n`).join('') + '"open,',
    droppable: '.rejects.csv',
    isCoarse: true,
  })
})
