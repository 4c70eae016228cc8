// Reads one file as text, or says in a sentence why it cannot be.
// A configuration is small: what is large, binary or in another encoding was named by mistake.
import { createReadStream } from 'node:fs'

export type ReadFile = (path: string) => Promise<Uint8Array>

export const MAX_BYTES = 1_000_000

/** The file's bytes, but never many more than a configuration may have. */
export async function readSmallFile(path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of createReadStream(path, { end: MAX_BYTES })) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder; name the file in it',
  EACCES: 'cannot be read; give the user that runs contact-sync permission to read it',
  ENOTDIR: 'there is no such file: a part of its path is not a folder',
}

function readErrorText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  return READ_ERRORS[code] ?? `cannot be read (${code})`
}

/** The text without a byte order mark; or the problem, "what is wrong; what would be right". */
export async function readText(
  path: string,
  readFile: ReadFile,
): Promise<{ text: string } | { problem: string; missing: boolean }> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (error) {
    const problem = readErrorText(error)
    return { problem, missing: problem === READ_ERRORS['ENOENT'] }
  }
  if (bytes.length > MAX_BYTES)
    return { problem: 'is larger than 1 MB; a configuration never is, so check its name', missing: false }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { problem: 'is not UTF-8 text; save it as UTF-8', missing: false }
  }
}
