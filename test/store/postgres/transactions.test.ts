// Statements wait within a transaction: what fails late fails all of it, and nothing is taken for committed that is not.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Channel } from '../../../src/store/postgres/channel.ts'
import { connectToServer } from '../../../src/store/postgres/connection.ts'
import { createLine, plain } from '../../../src/store/postgres/line.ts'
import { createStatistics } from '../../../src/store/postgres/statistics.ts'
import { createTransactions } from '../../../src/store/postgres/transactions.ts'
import { POSTGRES, startPostgres } from '../../support/postgres-server.ts'

/** Notes what is asked together; the commands that it answers with are those of the texts, but for those given. */
function noting(answers: Readonly<Record<string, string | Error>>) {
  const asked: string[][] = []
  const channel: Channel = {
    mark: '',
    crowd: () => 1,
    under: () => undefined,
    ask(queries) {
      asked.push(queries.map(({ text }) => text))
      return queries.map(({ text }) => {
        const answer = answers[text] ?? text
        if (answer instanceof Error) throw answer
        return { columns: [], rows: [], changes: 0, command: answer }
      })
    },
    keepRenewing: () => undefined,
    close: () => undefined,
  }
  return { asked, line: createLine(channel) }
}

const BAD = new Error('a bad statement')

describe('a transaction at a server', () => {
  it('is asked together with its commit, and not at all any more once it has failed', () => {
    const { asked, line } = noting({ bad: BAD })
    const ended: string[] = []
    const { within } = createTransactions(line, { fence: () => undefined, ended: () => ended.push('ended') })
    within(() => line.later(plain('a')))
    expect(() => {
      within(() => {
        line.later(plain('b'))
        line.later(plain('bad'))
      })
    }).toThrow(BAD)
    expect(() => {
      within(() => {
        line.later(plain('c'))
        throw BAD
      })
    }).toThrow(BAD)
    expect(asked).toEqual([
      ['BEGIN', 'a', 'COMMIT'],
      ['BEGIN', 'b', 'bad', 'COMMIT'],
      ['ROLLBACK'],
      ['ROLLBACK'],
    ])
    expect(ended).toEqual(['ended'])
  })

  it('does not let texts of many megabytes wait', () => {
    const { asked, line } = noting({})
    const text = 'x'.repeat(300_000)
    for (let number = 0; number < 20; number += 1) line.later(plain(text))
    expect(asked.map((texts) => texts.length)).toEqual([7, 7])
    line.now()
    expect(asked.flat()).toHaveLength(20)
  })

  it('is not taken for committed where the server has rolled it back', () => {
    const { line } = noting({ COMMIT: 'ROLLBACK' })
    const ended: string[] = []
    const { within } = createTransactions(line, { fence: () => undefined, ended: () => ended.push('ended') })
    expect(() => within(() => line.later(plain('a')))).toThrow('a transaction was not committed')
    expect(ended).toEqual([])
  })

  it('does not fail where the sizes of the tables cannot be looked at', () => {
    const { asked, line } = noting({})
    const statistics = createStatistics({
      ...line,
      now: (query) => {
        line.now(query)
        throw BAD
      },
    })
    for (let written = 0; written < 2001; written += 1) statistics.count()
    statistics.refresh()
    statistics.refresh()
    expect(asked).toHaveLength(1)
  })

  it.skipIf(POSTGRES === undefined)(
    'is undone as a whole where a statement that waited fails',
    async () => {
      const server = await startPostgres(POSTGRES ?? '')
      const folder = mkdtempSync(join(tmpdir(), 'transactions-'))
      try {
        const place = { url: server.url, schema: 'undone', path: join(folder, 'state') }
        const db = connectToServer(place, {
          ...{ name: 'w', machine: 'm', pid: 1, since: 0, leaseMs: 15_000, alone: false },
        })
        db.exec('CREATE TABLE once_only (id bigint PRIMARY KEY)')
        const put = db.prepare('INSERT INTO once_only VALUES (?)')
        const count = db.prepare<[], number>('SELECT count(*) FROM once_only').pluck()
        const both = db.transaction((one: number, other: number) => {
          put.run(one)
          put.run(other)
        })
        expect(() => {
          both(1, 1)
        }).toThrow(/duplicate key/)
        expect(count.get()).toBe(0)
        both(1, 2)
        expect(count.get()).toBe(2)
        db.close()
      } finally {
        await server.stop()
        rmSync(folder, { recursive: true })
      }
    },
    60_000,
  )

  it.skipIf(POSTGRES === undefined)(
    'of a process that stands still in the middle of it keeps others waiting no longer than that',
    async () => {
      const server = await startPostgres(POSTGRES ?? '')
      const folder = mkdtempSync(join(tmpdir(), 'transactions-'))
      const open = (pid: number, leaseMs: number) =>
        connectToServer(
          { url: server.url, schema: 'still', path: join(folder, 'state') },
          { name: 'w', machine: 'm', pid, since: 0, leaseMs, alone: false },
        )
      try {
        const [usual, brief] = [open(1, 15_000), open(2, 300)]
        const timeout = usual.prepare<[], string>('SHOW idle_in_transaction_session_timeout').pluck()
        expect(timeout.get()).toBe('5s')
        expect(() => {
          brief.transaction(() => {
            brief.prepare("INSERT INTO meta VALUES ('half', 'written') RETURNING name").get()
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
            brief.prepare("INSERT INTO meta VALUES ('other', 'half')").run()
          })()
        }).toThrow(expect.objectContaining({ code: 'STATE_IO' }) as Error)
        const found = usual.prepare<[], string>("SELECT name FROM meta WHERE name IN ('half', 'other')")
        usual.transaction(() => expect(found.all()).toEqual([]))()
        brief.close()
        usual.close()
      } finally {
        await server.stop()
        rmSync(folder, { recursive: true })
      }
    },
    60_000,
  )
})
