// Inputs that the program makes itself: changes without a file, which a run plans beside those of the source. The sync log names them
// as it names a file, with line 0; of a file, line 0 says that the record is missing in it.

export const EDITS_INPUT = 'edits at the service'
export const BRAKE_INPUT = 'terms of a brake'
export const REPAIR_INPUT = 'drift repair'

const OWN: ReadonlySet<string> = new Set([EDITS_INPUT, BRAKE_INPUT, REPAIR_INPUT])

interface Place {
  readonly file: string
  readonly line: number
  /** Of a record of several rows. */
  readonly lines?: readonly number[]
}

/** The record has gone: the file is the one that lacks it. */
export const isMissingIn = ({ file, line }: Place): boolean => line === 0 && !OWN.has(file)

const EDIT_ENDED =
  'an edit at the service had ended, or was released: what the source wanted was sent, without its row'

/** Why a value that stands there came from no row; undefined where it came from one, or nothing is to be added to the name. */
export function noteWithoutLine({ file, line }: Place): string | undefined {
  if (file === EDITS_INPUT && line === 0) return EDIT_ENDED
  return isMissingIn({ file, line }) ? `the record was missing in ${file}` : undefined
}

/** Where the record of an entry stands. */
export function placeText(place: Place): string {
  const { file, line, lines = [line] } = place
  if (isMissingIn(place)) return `missing in ${file}`
  return line === 0 ? file : `${file}:${lines.join(',')}`
}
