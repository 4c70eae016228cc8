// Takes records out of JSON text without moving the others: an empty object stays in place of each, or, among records one
// a line, a blank line; and as many line breaks as it had.
const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_OBJECT, OPEN_LIST, CLOSE_OBJECT, CLOSE_LIST] = [0x7b, 0x5b, 0x7d, 0x5d]

/** `depth`: how many brackets stand around a record. */
export interface RecordPlace {
  readonly depth: number
  isTheirs(text: string): boolean | Promise<boolean>
  /** Is given what stands around the records. */
  around?(part: Buffer): void
}

function blanked(record: string, depth: number): Buffer {
  const breaks = record.replaceAll(/[^\r\n]/g, '')
  return Buffer.from(depth === 0 ? breaks : `{}${breaks}`)
}

/** Follows brackets and texts, byte by byte: how deep the byte stands, and whether it opens or closes something there. */
function createLevel() {
  let level = 0
  let inText = false
  let isEscaped = false
  const inside = (byte: number): void => {
    if (isEscaped) isEscaped = false
    else if (byte === BACKSLASH) isEscaped = true
    else if (byte === QUOTE) inText = false
  }
  /** The level at which an object opens (`opens`) or anything closes (`closes`); undefined for all other bytes. */
  return (byte: number): { opens?: number; closes?: number } | undefined => {
    if (inText) {
      inside(byte)
      return undefined
    }
    if (byte === QUOTE) inText = true
    if (byte === OPEN_OBJECT) return { opens: level++ }
    if (byte === OPEN_LIST) level += 1
    if (byte !== CLOSE_OBJECT && byte !== CLOSE_LIST) return undefined
    level -= 1
    return { closes: level }
  }
}

/** UTF-8 in and out. */
export async function* withoutRecords(
  parts: AsyncIterable<Buffer>,
  { depth, isTheirs, around }: RecordPlace,
): AsyncGenerator<Buffer> {
  const follow = createLevel()
  let held: Buffer[] | undefined
  const take = async (last: Buffer): Promise<Buffer> => {
    const record = Buffer.concat([...(held ?? []), last])
    held = undefined
    const text = record.toString('utf8')
    return (await isTheirs(text)) ? blanked(text, depth) : record
  }
  for await (const part of parts) {
    let from = 0
    for (const [at, byte] of part.entries()) {
      const bracket = follow(byte)
      if (bracket?.opens === depth && held === undefined) {
        around?.(part.subarray(from, at))
        yield part.subarray(from, at)
        from = at
        held = []
      } else if (bracket?.closes === depth && held !== undefined) {
        yield await take(part.subarray(from, at + 1))
        from = at + 1
      }
    }
    if (held === undefined) {
      around?.(part.subarray(from))
      yield part.subarray(from)
    } else held.push(part.subarray(from))
  }
  yield* held ?? []
}
