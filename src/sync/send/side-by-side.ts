// Requests that are under way: as many at a time as the service allows, and never two for one mail at once, because the second
// could be judged before the first is there.
import type { Operation } from '../../core/change/operation.ts'
import { type Contact, contactMailKey } from '../../core/mapping/contact.ts'
import { isStopped, type RunContext } from '../context.ts'
import type { NameTurn } from './turns.ts'

/** Requests that are ready (and in the journal) when a turn is free: an answer need not be worked on before the next one leaves. */
const READY = 1

export interface SideBySide {
  /** Begins the task, which sends these operations, once it may; false: the run is to end, or one of the tasks has failed. */
  begin(
    task: () => Promise<void>,
    of: { kind: Operation['kind']; operations: readonly Operation[] },
  ): Promise<boolean>
  /** Resolves when all have ended; throws what the first of them has thrown. */
  end(): Promise<void>
}

/**
 * The mails that a request concerns: those it brings, those it takes away, which may be another's from then on, and those by
 * which a bulk call finds its contacts. A create of another pipeline may be merged into a contact by its mail, and would be gone
 * with it if that were deleted meanwhile; or it makes a second contact of a mail. In a household a mail_status is judged by those
 * of its mail.
 */
function mailsOf(
  { kind, mailKey, known }: Operation,
  { isBulk, isHousehold }: { isBulk: boolean; isHousehold: boolean },
): string[] {
  const isNamed =
    kind === 'delete' ||
    (kind === 'update' && (isBulk || mailKey !== undefined)) ||
    (kind === 'consent' && isHousehold)
  return [mailKey, isNamed ? contactMailKey(known) : undefined].filter((mail) => mail !== undefined)
}

const familyName = (contact: Contact): string[] => {
  const name = contact['family_name']
  return typeof name === 'string' && name !== '' ? [name.normalize('NFC').toLowerCase()] : []
}

/** Under `auto` the service may merge a create into any contact of its name, which must not be deleted meanwhile. */
function namesOf(operations: readonly Operation[], { pipeline }: RunContext): NameTurn {
  const isJudged = pipeline.duplicate_check_method === 'auto'
  return {
    alone: operations.filter(({ kind }) => kind === 'delete').flatMap(({ known }) => familyName(known)),
    shared: isJudged
      ? operations.filter(({ kind }) => kind === 'create').flatMap(({ fields }) => familyName(fields))
      : [],
  }
}

export function createSideBySide(context: RunContext): SideBySide {
  const underway = new Map<Promise<void>, Operation['kind']>()
  const busy = new Set<string>()
  const errors: unknown[] = []
  const mustWait = (mails: readonly string[]): boolean =>
    underway.size >= context.service.rate_limit.concurrency + READY || mails.some((mail) => busy.has(mail))
  const creates = (): Promise<void>[] =>
    [...underway].flatMap(([done, kind]) => (kind === 'create' ? done : []))
  return {
    async begin(task, { kind, operations }) {
      const of = { isBulk: operations.length > 1, isHousehold: context.pipeline.household !== undefined }
      const mails = [...new Set(operations.flatMap((operation) => mailsOf(operation, of)))]
      // The result of every create must be known before any delete: a create may be merged into a contact that is to be deleted.
      if (kind === 'delete') await Promise.all(creates())
      while (mustWait(mails)) await Promise.race(underway.keys())
      if (isStopped(context) || errors.length > 0) return false
      for (const mail of mails) busy.add(mail)
      const done = context.mails
        .take(mails, task, namesOf(operations, context))
        .catch((error: unknown) => void errors.push(error))
        .finally(() => {
          underway.delete(done)
          for (const mail of mails) busy.delete(mail)
        })
      underway.set(done, kind)
      return true
    },
    async end() {
      await Promise.all(underway.keys())
      if (errors.length > 0) throw errors[0]
    },
  }
}
