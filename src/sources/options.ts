// Options that every kind reading from a drop folder has. Each describes itself for the manual;
// what an option means is decided where it is used.
import iconv from 'iconv-lite'
import { z } from 'zod'
import { isRemote } from '../core/words/network/remote-folder.ts'
import { duration } from '../core/words/scalars.ts'
import { readAddress } from './remote/address.ts'
import { remoteOptions } from './remote/options.ts'

/** The names that browsers and Apple give to encodings of the Mac. */
const MAC: Readonly<Record<string, string>> = {
  '': 'macintosh',
  roman: 'macintosh',
  ce: 'maccenteuro',
  centraleurope: 'maccenteuro',
  centraleurroman: 'maccenteuro',
  ukrainian: 'macukraine',
  icelandic: 'maciceland',
  romanian: 'macromania',
  croatian: 'maccroatian',
}

/** `x-mac-ce`, `MacRoman` and their like, as iconv-lite calls them; every other name unchanged. */
function knownName(name: string): string {
  const mac = /^(?:x-?)?mac-?(.*)$/i.exec(name)?.[1]?.toLowerCase().replaceAll(/[-_ ]/g, '')
  if (mac === undefined || iconv.encodingExists(name)) return name
  return MAC[mac] ?? `mac${mac}`
}

/** iconv-lite knows these names, too, but they are transports of bytes, not encodings of text. */
const NO_TEXT = ['hex', 'base64', 'binary', 'internal']

const pattern = z
  .string()
  .min(1)
  .refine((text) => !/[/\\]/.test(text), 'must be a pattern for names without a folder, such as *.csv')

const encoding = z
  .string()
  .refine(
    (name) =>
      name === 'auto' || (iconv.encodingExists(knownName(name)) && !NO_TEXT.includes(name.toLowerCase())),
    'must be auto or the name of an encoding, such as utf-8, windows-1252, iso-8859-15 or utf-16le',
  )
  .transform(knownName)

/**
 * The options folder, files, settle and encoding.
 * @param defaultFiles the patterns that hold where `files` is not given
 */
export function folderOptions(defaultFiles: readonly string[]) {
  return {
    folder: z
      .string()
      .min(1)
      .check((ctx) => {
        const problem = isRemote(ctx.value) ? readAddress(ctx.value) : {}
        if (typeof problem === 'string')
          ctx.issues.push({ code: 'custom', input: ctx.value, message: problem })
      })
      .meta({
        path: true,
        description:
          'The drop folder: a path, `sftp://USER@HOST/FOLDER` or `s3://BUCKET/PREFIX`. Its files are processed in order of name; subfolders are ignored.',
      }),
    remote: remoteOptions.optional(),
    files: z
      .union([pattern, z.array(pattern).min(1)])
      .prefault([...defaultFiles])
      .transform((value) => (typeof value === 'string' ? [value] : value))
      .describe(
        'Which files are processed: a pattern or a list of patterns; the case of the ending is ignored.',
      ),
    settle: duration()
      .prefault('2s')
      .describe(
        'A file changed more recently than this counts as still growing and is left for later; 0s turns this off.',
      ),
    encoding: encoding
      .default('auto')
      .describe(
        'auto (byte order mark, strict UTF-8, else the 8-bit encoding that is clearly likelier than every other; without one, the file is rejected) or its name.',
      ),
  }
}

export interface FolderOptions {
  /** Absolute, or an address. */
  readonly folder: string
  readonly files: readonly string[]
  /** Milliseconds; 0: no waiting. */
  readonly settle: number
}
