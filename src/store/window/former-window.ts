// The window of the rate limit and the requests of the day as older versions kept them, in the state itself: carried over
// into the file beside it once, by the first owner that asks the service.
import type { Connection } from '../file/connection.ts'

export interface FormerWindow {
  /** When places become free, and requests by the hour, both since the epoch; undefined: nothing is left to be carried over. */
  read():
    | {
        readonly freeAt: readonly number[]
        readonly hours: readonly { readonly hour: number; readonly requests: number }[]
      }
    | undefined
  /** They stand in the file. */
  clear(): void
}

export function createFormerWindow(db: Connection): FormerWindow {
  const places = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'rate_window'").pluck()
  const hours = db.prepare<[], { hour: number; requests: number }>('SELECT hour, requests FROM daily_request')
  const forgetPlaces = db.prepare("DELETE FROM meta WHERE name = 'rate_window'")
  const forgetHours = db.prepare('DELETE FROM daily_request')
  return {
    read() {
      const text = places.get()
      const counted = hours.all()
      if (text === undefined && counted.length === 0) return undefined
      return { freeAt: JSON.parse(text ?? '[]') as number[], hours: counted }
    },
    clear: db.transaction(() => {
      forgetPlaces.run()
      forgetHours.run()
    }),
  }
}
