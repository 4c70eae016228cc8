// `audit forget`: erases a person, and prints the certificate of it.
import { EXIT } from '../../core/words/exit-codes.ts'
import type { AtService } from '../../app/people/erase-at-service.ts'
import type { Certificate } from '../../app/people/forgetting.ts'
import type { Subject } from '../../core/erasing.ts'
import { SyncError } from '../../core/words/errors.ts'
import { confirm } from '../confirm.ts'
import { plural } from '../../core/words/format.ts'
import type { DecidingOptions } from '../decided-by.ts'
import { decided } from '../deciding.ts'
import { type Io, print, printError, printJson } from '../io.ts'
import { headText } from '../log-text.ts'
import { commandSettings } from '../settings.ts'

interface ForgetOptions extends DecidingOptions {
  readonly deleteAtService?: boolean
  readonly atService?: AtService
  readonly readmit?: boolean
  readonly yes?: boolean
}

const THERE = {
  delete: ' Its contact is deleted at the service, too.',
  blank: ' Every field of its contact at the service is emptied, and its terms are removed.',
} as const

function question({ contactIds, keys, mails }: Subject, did: AtService | undefined): string {
  const names = keys.map(({ pipeline, key }) => `${pipeline} ${key}`)
  const who = [...contactIds.map((id) => `contact ${id}`), ...names, ...mails].join(', ')
  const there = did === undefined ? '' : THERE[did]
  return `Erase ${who}? This cannot be undone.${there}`
}

const seenText = ({ contactId, isGone, left }: Certificate['seenAtService'][number]): string => {
  if (isGone) return `  contact ${contactId} at the service: looked up afterwards, and not there`
  const seen = left.length === 0 ? 'and shows no value and no term' : `and still shows ${left.join(', ')}`
  return `  contact ${contactId} at the service: emptied, read afterwards, ${seen}`
}

function certificateText(certificate: Certificate): readonly string[] {
  const { at, run_id: run, erasedBefore, removed, seenAtService, notErased, outside, head } = certificate
  const {
    texts,
    whenArchived,
    links,
    openOperations,
    inDoubt,
    rejects,
    logEntries,
    files,
    logs,
    copies,
    tombstones,
    tokens,
  } = removed
  const records = files.reduce((sum, one) => sum + one.records, 0)
  return [
    `erased at ${at}, as ${run} of the sync log`,
    ...(erasedBefore === null
      ? []
      : [
          `this person was erased before, at ${erasedBefore}; since then ${plural(whenArchived, 'record')} of theirs ${whenArchived === 1 ? 'was' : 'were'} left out when files were archived`,
        ]),
    erasedBefore === null ? 'removed:' : 'found and removed this time:',
    `  the values of ${plural(logEntries, 'entry', 'entries')} of the sync log, and their keys (${tokens.join(', ')})`,
    `  ${plural(links, 'link')} with the last known values, ${plural(openOperations, 'open operation')}, ${plural(rejects, 'reject')}`,
    ...(inDoubt > 0
      ? [`    of these ${inDoubt} in doubt: their outcome at the service is no longer looked up`]
      : []),
    `  ${plural(records, 'record')} in ${plural(files.length, 'file')}`,
    ...files.map((one) => `    ${one.file}: ${one.records}`),
    ...(texts > 0
      ? [`  what named the person in ${plural(texts, 'message')} about others, runs and files`]
      : []),
    ...(logs.length > 0 ? [`  the names in ${logs.join(', ')}`] : []),
    ...copies.map((name) => `  ${name}, the state as it was before an upgrade`),
    ...seenAtService.map(seenText),
    `kept: the entries themselves without their values, and ${plural(tombstones, 'tombstone')}, so that the person is not imported again`,
    ...(notErased.length > 0
      ? [
          'NOT DONE: these could not be searched, or may be about the person; look at each, then call this again:',
          ...notErased.map(({ file, why }) => `  ${file}: ${why}`),
        ]
      : []),
    'outside the reach of contact-sync:',
    ...outside.map((text) => `  ${text}`),
    headText(head),
  ]
}

function certificateJson(certificate: Certificate) {
  const { erasedBefore, removed, deletedAtService, seenAtService, notErased, head, ...said } = certificate
  const { logEntries, openOperations, inDoubt, uncertainRejects: _, whenArchived, ...counts } = removed
  return {
    ...said,
    erased_before: erasedBefore,
    removed: {
      log_entries: logEntries,
      open_operations: openOperations,
      in_doubt: inDoubt,
      ...counts,
      when_archived: whenArchived,
    },
    not_erased: notErased,
    deleted_at_service: deletedAtService,
    at_service: seenAtService.map(({ contactId, did, isGone, left }) => ({
      contact_id: contactId,
      did,
      gone: isGone,
      left,
    })),
    audit: head,
  }
}

export async function forget(io: Io, options: ForgetOptions, [contact = '']: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  if (options.readmit === true) return readmit(io, options, contact)
  const atService = options.atService ?? (options.deleteAtService === true ? 'delete' : undefined)
  const certificate = await decided(
    { io, options, settings },
    {
      kind: 'audit forget',
      args: { contact, atService },
      confirm: (subject: Subject) => confirm(io, question(subject, atService), options.yes === true),
    },
  )
  if (options.json === true) printJson(io, certificateJson(certificate))
  else print(io, certificateText(certificate))
  return certificate.notErased.length === 0 ? EXIT.done : EXIT.partial
}

async function readmit(io: Io, options: ForgetOptions, contact: string): Promise<number> {
  const settings = await commandSettings(io, options)
  await confirm(io, `Accept ${contact} again?`, options.yes === true)
  const lifted = await decided({ io, options, settings }, { kind: 'audit readmit', args: { contact } })
  if (lifted === 0) throw new SyncError('USAGE', `no person was erased under ${contact}`)
  if (options.json === true) printJson(io, { readmitted: lifted })
  else printError(io, 'the next export that contains this person imports it again')
  return 0
}
