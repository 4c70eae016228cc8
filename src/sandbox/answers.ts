// Writes what callers get: records, lists, success and refusals, in the shapes that the habits ask for.
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Failure } from './failure.ts'
import type { Habits } from './habits.ts'

const IDS = new Set(['id', 'field_id', 'terms'])

function withIdsAsText(value: unknown, isIds = false): unknown {
  if (Array.isArray(value)) return value.map((inner) => withIdsAsText(inner, isIds))
  if (typeof value === 'number') return isIds ? String(value) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withIdsAsText(inner, IDS.has(name))]),
  )
}

function listOf(values: readonly unknown[], lists: Habits['lists']): object {
  if (lists === 'array') return [...values]
  const step = lists === 'keyed' ? 1 : 2
  return Object.fromEntries(values.map((value, index) => [String(index * step), value]))
}

/** A record or a list of them, with 200. */
export function answer(context: Context, value: object, habits: Habits): Response {
  const shaped = habits.idsAsText ? (withIdsAsText(value) as object) : value
  return context.json(Array.isArray(shaped) ? listOf(shaped, habits.lists) : shaped)
}

export const PLAIN_SUCCESS = 'true'

export function answerSuccess(context: Context, { success }: Habits): Response {
  return context.json({ success: { text: PLAIN_SUCCESS, boolean: true, number: 1 }[success] })
}

export const page = (title: string): string =>
  `<!doctype html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`

const escaped = (text: string): string =>
  text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Refusals of what a body holds. */
const OF_BODIES = new Set([400, 409, 413, 415, 422])

function statusOf({ status, kind }: Failure, habits: Habits): ContentfulStatusCode {
  if (kind === 'key') return habits.refusedKey.startsWith('401') ? 401 : 403
  const meant = kind === 'contact' ? (Number(habits.refusedContact) as ContentfulStatusCode) : status
  return habits.errorsIn200 && OF_BODIES.has(meant) ? 200 : meant
}

function isPage({ kind }: Failure, habits: Habits): boolean {
  if (kind === 'key' && habits.refusedKey.endsWith('html')) return true
  if (kind === 'unknown-contact' && habits.unknownContact === 'html-404') return true
  return habits.errorBody === 'html'
}

export function answerRefusal(context: Context, failure: Failure, habits: Habits): Response {
  const { message, kind } = failure
  const isListed = kind === 'unknown-contact' && habits.unknownContact === 'empty-list'
  if (isListed && context.req.method === 'GET') return context.json(listOf([], habits.lists))
  const status = statusOf(failure, habits)
  if (isPage(failure, habits)) return context.html(page(escaped(message)), status)
  switch (habits.errorBody) {
    case 'empty':
      return context.body('', status)
    case 'error':
      return context.json({ error: message }, status)
    case 'errors':
      return context.json({ errors: [message] }, status)
    default:
      return context.json({ error: true, message }, status)
  }
}
