// Where a drop folder lies that is not on this machine: `sftp://user@host/folder`. A secret never stands in an address:
// addresses are shown and logged.

export interface SftpAddress {
  readonly kind: 'sftp'
  readonly user: string
  readonly host: string
  readonly port: number
  /** Absolute, or relative to the folder of the user. */
  readonly path: string
}

export type RemoteAddress = SftpAddress

const FORMS = 'must be a path, or sftp://USER@HOST/FOLDER'

/** As curl takes it: /~/ is the folder of the user. */
function pathOf(pathname: string): string {
  const path = decodeURIComponent(pathname).replace(/\/+$/, '')
  if (path === '/~') return '.'
  return path.startsWith('/~/') ? path.slice('/~/'.length) : path || '/'
}

function sftpAddress(url: URL): SftpAddress | string {
  if (url.username === '' || url.hostname === '') return FORMS
  const { hostname, port } = url
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const user = decodeURIComponent(url.username)
  return { kind: 'sftp', user, host, port: port === '' ? 22 : Number(port), path: pathOf(url.pathname) }
}

/** The address, or what is wrong with it. */
export function readAddress(folder: string): RemoteAddress | string {
  if (!URL.canParse(folder)) return FORMS
  const url = new URL(folder)
  if (url.password !== '')
    return 'holds a password; write it into a file, and set source.remote.password_file'
  if (url.search !== '' || url.hash !== '')
    return 'must not have a part after ? or #; write %3F or %23 in a name'
  try {
    return url.protocol === 'sftp:' ? sftpAddress(url) : FORMS
  } catch {
    return 'has a % that encodes no character; write %25 for the sign itself'
  }
}
