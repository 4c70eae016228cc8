// Foreign data as text for display: whatever could mislead is made visible.

/** Invisible marks, and marks that change the direction of the text: names may hold them, pages show them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text of others: control and format characters as `\u{202e}`. Line breaks and tabs stay. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (char) =>
    char === '\n' || char === '\t' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  )

/** Hashes are compared by their beginning and end; the whole one is in the title. */
export const shortHash = (hash: string): string =>
  hash.length <= 20 ? hash : `${hash.slice(0, 10)}…${hash.slice(-6)}`
