// Words that several commands say.

/** A field's value in a plan: blank is named, text is quoted. */
export const shownValue = (value: unknown): string =>
  value === null || value === '' ? '(blank)' : JSON.stringify(value)

/** Behind the name of a file that was written. */
export const replacedText = (replaced: boolean): string => (replaced ? ', replacing the existing file' : '')
