// Which account a page is about, where the daemon serves several: the one that the user has chosen, of those that the user may
// see. A page is made from the data of that account alone; where there is one account, nothing of this shows.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { PageEnv } from './access.ts'
import type { ConsoleData } from './data.ts'
import { problemPage } from './pages/sign-in.ts'
import type { TokenHolder } from './token.ts'

export interface ConsoleAccount {
  readonly name: string
  readonly data: ConsoleData
  /** Whether a user may see it; the token of the console may see all. */
  isOpenTo(holder: TokenHolder): boolean
}

export interface PageAccounts {
  /** Of the account that the request is about. */
  readonly data: ConsoleData
  /** For requests whose holder is known. */
  readonly chosen: MiddlewareHandler<PageEnv>
}

/** The data of the account that is asked for, wherever it is used while the request is answered. */
function dataOf(here: () => ConsoleData): ConsoleData {
  return {
    get views() {
      return here().views
    },
    get log() {
      return here().log
    },
    live: () => here().live(),
    counting: () => here().counting(),
    requestsOfDay: () => here().requestsOfDay(),
    explain: (...asked) => here().explain(...asked),
    correctable: (...asked) => here().correctable(...asked),
    brakes: () => here().brakes(),
    drift: () => here().drift(),
    configuration: () => here().configuration(),
    decide: (decision) => here().decide(decision),
    alerts: () => here().alerts(),
    testAlerts: () => here().testAlerts(),
    noteRead: (read) => here().noteRead(read),
  }
}

/** `accounts` are asked each time: a reload may have changed them. */
export function pageAccounts(accounts: () => readonly ConsoleAccount[]): PageAccounts {
  const current = new AsyncLocalStorage<ConsoleData>()
  const here = (): ConsoleData => {
    const data = current.getStore()
    if (data === undefined) throw new Error('asked outside of a request')
    return data
  }
  return {
    data: dataOf(here),
    async chosen(context, next) {
      const open = accounts().filter((one) => one.isOpenTo(context.get('holder')))
      const session = context.get('session')
      const wanted = session === undefined ? context.req.query('account') : session.account
      const account = open.find(({ name }) => name === wanted) ?? open[0]
      if (account === undefined) {
        const text = 'This user may see none of the accounts of this configuration.'
        return context.html(problemPage('No account', text), 403)
      }
      const others = open.flatMap(({ name }) => (name === account.name ? [] : [name]))
      if (accounts().length > 1) context.set('account', { name: account.name, others })
      return current.run(account.data, next)
    },
  }
}

/** `/account`: from now on the pages are about another one. */
export function accountRoutes(app: Hono<PageEnv>): void {
  app.post('/account', async (context: Context<PageEnv>) => {
    const { account } = await context.req.parseBody()
    if (typeof account === 'string') await context.get('session')?.chooseAccount(account)
    return context.redirect('/', 303)
  })
}
