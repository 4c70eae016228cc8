// The host names under which the server answers. A foreign page may point its own name at this machine and let
// its reader's browser ask here; the name in the request gives it away. Numbers cannot be pointed elsewhere.
import { isIP } from 'node:net'

/** The host of a `Host` header, without its port, its brackets and a dot at its end, in small letters. */
function hostName(header: string): string {
  const [, six, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(header) ?? []
  return (six ?? name).toLowerCase().replace(/\.$/, '')
}

/** `names`: those of the configuration. Addresses and `localhost` always pass. */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return false
  const name = hostName(header)
  return isIP(name) > 0 || name === 'localhost' || names.some((own) => hostName(own) === name)
}
