// What was read is shown with everything visible that a terminal or an editor would obey instead of showing: escape
// sequences, characters that turn the direction of writing, and such as have no width. Pure.

// Besides controls and format characters: line and paragraph separators, halves of characters, and blank letters.
const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]/gu

/** Every UTF-16 unit as JSON escapes it: a document of JSON stays the same document. */
const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => {
    const unit = text.charCodeAt(index).toString(16)
    return `\\u${unit.padStart(4, '0')}`
  }).join('')

/** Line breaks and tabs stay: text that we write has them. */
export const harmless = (text: string): string =>
  text.replaceAll(OBEYED, (found) => (found === '\n' || found === '\t' ? found : escaped(found)))

/** Line breaks alone: for a line that goes through `harmless` later, and may hold colours. */
export const unbroken = (text: string): string => text.replaceAll('\n', escaped)

/** For a list in which each line is one record: line breaks are made visible, too. */
export const oneLine = (text: string): string => text.replaceAll(OBEYED, escaped)
