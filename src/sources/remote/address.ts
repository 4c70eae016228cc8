// Where a drop folder lies that is not on this machine: `sftp://user@host/folder`, or
// `s3://bucket/prefix`. A secret never stands in an address: addresses are shown and logged.

export interface SftpAddress {
  readonly kind: 'sftp'
  readonly user: string
  readonly host: string
  readonly port: number
  /** Absolute, or relative to the folder of the user. */
  readonly path: string
}

export interface S3Address {
  readonly kind: 's3'
  readonly bucket: string
  /** Blank, or with a slash at its end. */
  readonly prefix: string
}

export type RemoteAddress = SftpAddress | S3Address

const FORMS = 'must be a path, sftp://USER@HOST/FOLDER or s3://BUCKET/PREFIX'

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

const BUCKET = /^[a-z0-9][a-z0-9._-]{1,62}$/

function s3Address({ hostname, username, port, pathname }: URL): S3Address | string {
  if (username !== '' || port !== '') return FORMS
  if (!BUCKET.test(hostname))
    return 'names no bucket: small letters, digits, dots and hyphens, as in s3://BUCKET/PREFIX'
  const prefix = decodeURIComponent(pathname).replaceAll(/^\/+|\/+$/g, '')
  if (prefix.split('/').some((part) => part === '.' || part === '..'))
    return 'must not have . or .. in its prefix'
  return { kind: 's3', bucket: hostname, prefix: prefix === '' ? '' : `${prefix}/` }
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
    if (url.protocol === 's3:') return s3Address(url)
    return url.protocol === 'sftp:' ? sftpAddress(url) : FORMS
  } catch {
    return 'has a % that encodes no character; write %25 for the sign itself'
  }
}
