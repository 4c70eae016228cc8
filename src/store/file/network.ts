// Whether a folder lies on a network file system. SQLite's log needs memory that all processes share, and locks that
// hold: network file systems keep neither, and damage the state silently.
import { statfsSync } from 'node:fs'

/** By the number that statfs gives (Linux). Those of containers and virtual machines (overlay, 9p, virtiofs) are local. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
])

/** Its name; undefined for a local file system. */
export function networkFileSystem(
  folder: string,
  statfs: (path: string) => { readonly type: number } = statfsSync,
): string | undefined {
  // The kernel's type is a signed number on some machines.
  return NETWORK.get(statfs(folder).type >>> 0)
}
