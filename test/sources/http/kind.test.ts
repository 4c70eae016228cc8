import { peopleServer } from '../../support/people-server.ts'
import { describePull, type Row } from '../../contracts/pull.ts'

const SIZE = 1

describePull('http', async () => {
  let rows: readonly Row[] = []
  let breakAfter: number | undefined
  const server = await peopleServer(({ url }) => {
    const from = Number(url.searchParams.get('from') ?? '0')
    const since = Number(url.searchParams.get('changed_after') ?? '0')
    const found = rows.filter(({ changed }) => changed >= since)
    if (breakAfter !== undefined && from >= breakAfter) return { status: 500 }
    const next = from + SIZE < found.length ? from + SIZE : null
    return { body: { data: { items: found.slice(from, from + SIZE) }, meta: { next } } }
  })
  return {
    options: {
      url: `${server.url}/people?fixed=1`,
      records: 'data.items',
      next: { cursor: 'meta.next', param: 'from' },
      since: { param: 'changed_after', field: 'changed' },
      attempts: 1,
    },
    put: (given) => void (rows = given),
    breakAfter: (records) => void (breakAfter = records),
    close: () => server.close(),
  }
})
