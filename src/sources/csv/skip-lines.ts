// Drops the lines that an exporter writes before the header. Works on bytes, ahead of any parsing: such lines
// may hold anything, lone quotes among it.

const LF = 0x0a
const CR = 0x0d

/** The text behind its first lines; CR LF, LF and CR end a line, also across parts. */
export async function* withoutFirstLines(
  parts: AsyncIterable<Buffer>,
  count: number,
): AsyncGenerator<Buffer> {
  let left = count
  let endedWithCr = false
  for await (const part of parts) {
    let at = 0
    for (; at < part.length; at += 1) {
      const byte = part[at]
      const isSecondHalf = endedWithCr && byte === LF
      if (left === 0 && !isSecondHalf) break
      if (!isSecondHalf && (byte === LF || byte === CR)) left -= 1
      endedWithCr = byte === CR
    }
    if (at === part.length) continue
    endedWithCr = false
    yield at === 0 ? part : part.subarray(at)
  }
}
